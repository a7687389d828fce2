"""coturn's configuration as the service's own settings have it. Pure: text in, text out."""

from __future__ import annotations

from collections.abc import Iterator

from signaling.ice_servers import IceConfig, IceConfigInvalid, Network, media_networks

_EVERYWHERE = ("0.0.0.0-255.255.255.255", "::1-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")
"""Not from ``::`` on: coturn takes a range that begins there for one of IPv4 addresses."""


def turn_conf(config: IceConfig, base: str = "") -> str:
    """A configuration file: ``base``, and then what depends on the service's settings.

    The shared secret is not in it: coturn is given that on its command line.

    Raises:
        IceConfigInvalid: the settings do not say where relays may lead.
    """
    if not config.media_addresses:
        raise IceConfigInvalid("media_addresses must say where relays may lead")
    return "\n".join([*([base.rstrip(), ""] if base.strip() else []), *_lines(config), ""])


def _lines(config: IceConfig) -> Iterator[str]:
    yield "# --- from the service's settings, by `voicepeer turn-config`: change those instead"
    yield f"realm={config.turn_realm}"
    if config.turn_database is not None:
        yield "# Users whom the service adds for each session, and removes."
        yield "lt-cred-mech"
        yield f"userdb={config.turn_database}"
    yield "# Relays lead to the service's media and nowhere else; coturn lets what is allowed win."
    for span in _EVERYWHERE:
        yield f"denied-peer-ip={span}"
    for network in media_networks(config.media_addresses):
        yield f"allowed-peer-ip={_span(network)}"


def _span(network: Network) -> str:
    low, high = network[0], network[-1]
    return str(low) if low == high else f"{low}-{high}"

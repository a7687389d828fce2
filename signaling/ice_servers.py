"""ICE servers for one client: STUN and TURN addresses, and time-limited TURN credentials.

The credentials are those of "A REST API For Access To TURN Services"
(draft-uberti-behave-turn-rest-00), which coturn implements as ``use-auth-secret``: the username is
``expiry:user``, the password is base64(HMAC-SHA1(secret, username)). Where coturn and the service
share a database of users (``signaling.turn_users``) they have the same form, and nobody but the
service knows the secret.
"""

from __future__ import annotations

import base64
import hmac
import ipaddress
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from signaling.sessions import IceServer

STUN_PORT = 3478
"""STUN and TURN share it (RFC 8489 section 18.6, RFC 8656 section 18)."""

TURNS_PORT = 5349

SERVICE = "service"
"""Owner of the credentials that the service itself uses."""

DEFAULT_REALM = "voicepeer"
"""As ``coturn/turnserver.conf`` has it."""

DEFAULT_TTL_S = 600
"""Enough to connect, and not much for a thief. A call may last longer: coturn asks for the expiry
when a relay is opened, not when it is refreshed (measured with 4.6.1, docs/turn.md)."""

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

_WIDEST_V4, _WIDEST_V6 = 8, 32
"""Prefix lengths: of the widest private network there is, and of what one provider is given."""

_NO_MACHINE: tuple[Network, ...] = tuple(
    ipaddress.ip_network(one)
    for one in (
        *("0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4"),
        # Those that have IPv4 addresses in them, any, are ways around what is denied of IPv4.
        *("::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16"),
        *("fe80::/10", "ff00::/8"),
    )
)
"""Unspecified, link-local (where clouds have their metadata), multicast and reserved (RFC 6890)."""

_REALM = re.compile(r"[A-Za-z0-9._-]{1,127}")

MAX_USER_CHARS = 200
_UNSAFE = re.compile(r"[^A-Za-z0-9._@/-]|select", re.IGNORECASE | re.ASCII)
"""coturn refuses names with spaces or quotes, or with ``union`` and ``select``, unasked: it puts
them into SQL. Some servers take a colon for the end of the expiry."""

_URL = re.compile(
    r"(?:stuns?:(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::\d{1,5})?"
    r"|turns?:(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::\d{1,5})?(?:\?transport=(?:udp|tcp))?)"
)


class IceConfigInvalid(ValueError):
    """A STUN or TURN address, the secret or the lifetime cannot be used."""


@dataclass(frozen=True, slots=True)
class TurnCredentials:
    """What a client shows to the TURN server until it expires."""

    username: str
    credential: str


@dataclass(frozen=True, slots=True)
class IceConfig:
    """Servers to hand out, and how coturn knows whom they were given to.

    Either ``turn_secret``, which is coturn's ``static-auth-secret``, or ``turn_database``, which
    is its SQLite ``userdb``. ``media_addresses`` are where clients reach the service's media, an
    address or a network (CIDR) each: where they are given, coturn's relays lead nowhere else, and
    the service itself, which could reach nobody through one, takes none.

    Raises:
        IceConfigInvalid: an address is no STUN (RFC 7064) or TURN (RFC 7065) URI, or not one that
            media is reached at; the realm or the database's path cannot stand in coturn's
            configuration; TURN has neither secret nor database, or both; or the lifetime is not
            positive.
    """

    stun_urls: tuple[str, ...] = ()
    turn_urls: tuple[str, ...] = ()
    turn_secret: str = ""
    turn_ttl_s: int = DEFAULT_TTL_S
    turn_database: Path | None = None
    turn_realm: str = DEFAULT_REALM
    media_addresses: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_urls(self.stun_urls, "stun")
        _check_urls(self.turn_urls, "turn")
        media_networks(self.media_addresses)
        _check_realm(self.turn_realm)
        if self.turn_database is not None:
            _check_database(self.turn_database)
        if self.turn_urls and not self.turn_secret and self.turn_database is None:
            raise IceConfigInvalid(
                "TURN servers are set but how they know clients is not: give the file of coturn's "
                "userdb as the TURN database, or the value of its static-auth-secret as the secret"
            )
        if self.turn_secret and self.turn_database is not None:
            raise IceConfigInvalid("choose one of the TURN secret and the TURN database, not both")
        if self.turn_ttl_s <= 0:
            raise IceConfigInvalid(
                f"TURN credentials must last longer than {self.turn_ttl_s} seconds"
            )

    def __repr__(self) -> str:
        return f"IceConfig(stun_urls={self.stun_urls!r}, turn_urls={self.turn_urls!r})"


def media_networks(addresses: Iterable[str]) -> tuple[Network, ...]:
    """Addresses and networks as such.

    Raises:
        IceConfigInvalid: one is neither; is no address of a machine; or is so wide a network that
            relays would lead to machines of others.
    """
    try:
        found = tuple(ipaddress.ip_network(address) for address in addresses)
    except ValueError as error:
        raise IceConfigInvalid(
            f"media addresses are written like 192.0.2.7 or 192.0.2.0/28: {error}"
        ) from error
    for network in found:
        _check_network(network)
    return found


def loopback_media(config: IceConfig) -> list[str]:
    """Media addresses on loopback: good for a test, and else a way to what listens only there."""
    return [str(found) for found in media_networks(config.media_addresses) if found.is_loopback]


def _check_network(network: Network) -> None:
    if network.is_loopback:
        return
    if network.prefixlen < (_WIDEST_V4 if network.version == 4 else _WIDEST_V6):
        raise IceConfigInvalid(
            f"the media address {network} is a network so wide that relays would lead to machines "
            "of others: give the addresses at which the service's media is reached"
        )
    if any(network.version == one.version and network.overlaps(one) for one in _NO_MACHINE):
        raise IceConfigInvalid(
            f"the media address {network} is or has none that a machine is reached at from "
            "elsewhere: give those at which the service's media is, IPv4 ones as such"
        )


def _check_realm(realm: str) -> None:
    # It becomes a line of coturn's configuration, and stands in its SQL.
    if not _REALM.fullmatch(realm):
        raise IceConfigInvalid(
            f"{realm!r} is no TURN realm: it has letters, digits, dots, dashes and underscores"
        )


def _check_database(path: Path) -> None:
    text = str(path)
    if not path.is_absolute():
        raise IceConfigInvalid(
            f"the TURN database is given as {text!r}, which leads elsewhere from coturn's folder "
            "than from the service's: give its whole path"
        )
    if any(one.isspace() or not one.isprintable() or one in "\"'" for one in text):
        raise IceConfigInvalid(
            f"the TURN database is given as {text!r}, which coturn's configuration cannot hold: "
            "its path must have no spaces, line breaks or quotes"
        )


def _check_urls(urls: Iterable[str], scheme: str) -> None:
    for url in urls:
        if not _URL.fullmatch(url) or not url.startswith(scheme):
            raise IceConfigInvalid(
                f"{url!r} is not a {scheme.upper()} address; write it like "
                f"{scheme}:{scheme}.example.org:{STUN_PORT}"
            )


def session_user(session_id: str, room: str) -> str:
    """Who a session's credentials are for, as coturn's log and its quota for each user show it."""
    return f"{session_id}@{room}"


def new_user(owner: str) -> str:
    """A user of its own where there is no session yet: those of one name share coturn's quota."""
    return f"{owner}.{secrets.token_hex(8)}"


def turn_credentials(secret: str, user: str, now_s: float, ttl_s: int) -> TurnCredentials:
    """Credentials that coturn accepts until ``now_s + ttl_s`` (Unix time).

    What a TURN server could stumble over in ``user`` is replaced by ``_``.
    """
    username = f"{int(now_s) + ttl_s}:{_UNSAFE.sub('_', user)[:MAX_USER_CHARS]}"
    return TurnCredentials(username, turn_password(secret, username))


def turn_password(secret: str, username: str) -> str:
    """What belongs to a whole username, with its expiry."""
    digest = hmac.new(secret.encode(), username.encode(), "sha1").digest()
    return base64.b64encode(digest).decode()


def ice_servers(config: IceConfig, turn: TurnCredentials | None) -> list[IceServer]:
    """The ``iceServers`` of an RTCConfiguration for one client; no TURN without credentials."""
    servers: list[IceServer] = []
    if config.stun_urls:
        servers.append({"urls": list(config.stun_urls)})
    if config.turn_urls and turn is not None:
        servers.append(
            {
                "urls": list(config.turn_urls),
                "username": turn.username,
                "credential": turn.credential,
            }
        )
    return servers

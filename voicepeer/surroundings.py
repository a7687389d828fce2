"""What a service needs of what is around it: the clock, ports, addresses, relays, certificates."""

from __future__ import annotations

import datetime
import errno
import http.client
import ipaddress
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from signaling.config import SignalingConfig
from signaling.ice_servers import IceConfigInvalid, media_networks
from voicepeer import config
from voicepeer.config import Config
from voicepeer.core.errors import ConfigInvalid
from voicepeer.finding import Finding, reason
from voicepeer.redis_link import RedisLink, explain, need_package

RENEW_DAYS = 14
"""Before a certificate ends: those of 90 days are usually renewed 30 days before."""

ANSWER_TIMEOUT_S = 2.0
MAX_ANSWER_BYTES = 4_096

_LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Where what listens everywhere is reached from here."""


def clock_is_set(_settings: Config) -> Iterator[Finding]:
    """Whether the clock is right, by which tokens and TURN credentials end."""
    from voicepeer import clock

    now_s = time.time()
    shown = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(now_s))
    remedy = "run chrony or systemd-timesyncd: tokens and TURN credentials end by the clock"
    if clock.is_behind(now_s):
        what = f"{shown} is before this software was installed"
        yield Finding("clock", "fault", what, f"set it; then {remedy}")
    elif clock.is_kept() is False:
        yield Finding(
            "clock", "note", f"{shown}; nothing on this machine says that it is set", remedy
        )
    else:
        yield Finding("clock", "ok", shown)


def port_and_access(settings: Config) -> Iterator[Finding]:
    """Whether the service could listen, and who could come in."""
    from voicepeer.wiring import signaling_config

    try:
        signaling = signaling_config(settings)
    except ConfigInvalid as error:
        yield Finding("network", "fault", str(error), "correct the settings it names")
    else:
        yield Finding("access", "ok", _access(signaling))
    yield _port(settings.server.host, settings.server.port)


def _port(host: str, port: int) -> Finding:
    try:
        _try_port(host, port)
    except OSError as error:
        if error.errno == errno.EADDRINUSE and (state := _own_state(host, port)):
            return Finding("network", "ok", f"{host} port {port} is used by a service: {state}")
        remedy = "stop what uses it, or choose another with --port"
        what = f"{host} port {port} cannot be used: {reason(error)}"
        return Finding("network", "fault", what, remedy)
    return Finding("network", "ok", f"{host} port {port} is free")


def _own_state(host: str, port: int) -> str:
    """How the service is that answers there; empty where that is none of ours."""
    asking = http.client.HTTPConnection(_LOOPBACK.get(host, host), port, timeout=ANSWER_TIMEOUT_S)
    with closing(asking):
        try:
            asking.request("GET", "/readyz")
            answer = msgspec.json.decode(asking.getresponse().read(MAX_ANSWER_BYTES), type=_State)
        except (OSError, http.client.HTTPException, msgspec.DecodeError):
            return ""
    if answer.reason:
        return f"{answer.status} ({answer.reason})"
    return answer.status if answer.max_sessions else ""


class _State(msgspec.Struct):
    """What ``/readyz`` says: it has a reason, or so many places."""

    status: str
    reason: str = ""
    max_sessions: int = 0


def media_addresses(settings: Config) -> Iterator[Finding]:
    """Where calls come in, which is what a firewall has to let through."""
    from voicepeer import rtc

    addresses = rtc.host_addresses()
    usable = [one for one in addresses if _takes_udp(one)]
    if not usable:
        remedy = "give this machine an address that others can reach"
        yield Finding("media", "fault", "no address of this machine takes UDP", remedy)
        return
    what = f"calls come in at {', '.join(usable)}, UDP ports {_udp_ports()}"
    try:
        networks = media_networks(settings.ice.media_addresses)
    except IceConfigInvalid:
        return  # told of the port and access
    inside = [one for one in usable if any(ipaddress.ip_address(one) in net for net in networks)]
    if networks and not inside:
        remedy = "relays lead there and nowhere else: name this machine's addresses"
        what = f"{what}; none of them is in ice.media_addresses"
        yield Finding("media", "note", what, remedy)
    else:
        yield Finding("media", "ok", what)


def _takes_udp(address: str) -> bool:
    try:
        family, kind, protocol, _, found = socket.getaddrinfo(address, 0, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.bind(found)
    except OSError:
        return False
    return True


def _udp_ports() -> str:
    """Those that the system gives to sockets that ask for none (ip(7))."""
    try:
        low, high = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
    except (OSError, ValueError):
        return "of the system's choice"
    return f"{low} to {high}"


def ice_servers(settings: Config) -> Iterator[Finding]:
    """Whether each STUN and TURN server gives clients what they are sent to it for."""
    from voicepeer import wiring
    from voicepeer.relay_check import RelayRefused, mapped_address, relayed_address

    try:
        ice = wiring.ice_config(settings)
    except ConfigInvalid:
        return  # told of the port and access
    if ice.turn_urls and ice.turn_database is not None and not ice.turn_database.exists():
        remedy = "voicepeer turn-config --out FILE makes it, and coturn's configuration"
        yield Finding("turn", "fault", f"there is no {ice.turn_database}", remedy)
        return
    asked: list[tuple[str, Callable[[], str]]] = [
        *((url, partial(mapped_address, url)) for url in ice.stun_urls if url.startswith("stun:")),
        *((url, partial(relayed_address, url, ice)) for url in ice.turn_urls),
    ]
    for url, ask in asked:
        try:
            answer = ask()
        except RelayRefused as error:
            yield Finding("turn", "fault", f"{url}: {error}", error.remedy)
        except IceConfigInvalid as error:
            yield Finding("turn", "fault", str(error), "correct the settings in [ice]")
        else:
            what = "we are seen at" if url.startswith("stun") else "it relays at"
            yield Finding("turn", "ok", f"{url}: {what} {answer}")


def certificates(settings: Config, named: Sequence[str]) -> Iterator[Finding]:
    """Until when those are good that are named, and those that clients of ``turns:`` are shown."""
    yield from (_certificate(one) for one in (*_turns(settings), *named))


def redis_servers(settings: Config) -> Iterator[Finding]:
    """Whether each Redis answers, and keeps what it is given."""
    for setting in ("voices.store", "rooms.redis_url"):
        section, name = setting.split(".")
        url: str = getattr(getattr(settings, section), name)
        if url.startswith(("redis:", "rediss:")):
            yield _redis(setting, url)


def _redis(setting: str, url: str) -> Finding:
    remedy = "do what it says, and see that it runs, and that this machine reaches it"
    try:
        need_package()
        link = RedisLink.of(url, setting, config.secret(config.ENV_REDIS_PASSWORD))
    except ConfigInvalid as error:
        return Finding("redis", "fault", str(error), f"correct {setting}, or install what it needs")
    import redis

    try:
        with redis.Redis(**link.options()) as asked:
            told = asked.info()
    except (redis.RedisError, OSError) as error:
        return Finding("redis", "fault", explain(link, error), remedy)
    what = f"{link.name}: Redis {told['redis_version']} ({setting})"
    if setting == "voices.store" and (risk := _loses(told)):
        return Finding("redis", "note", f"{what} {risk}", "voices are to stay: change that in it")
    return Finding("redis", "ok", what)


def _loses(told: dict[str, Any]) -> str:
    """Why saved voices would not be there for ever; empty where they would."""
    if str(told.get("maxmemory_policy", "")).startswith("allkeys"):
        return "removes what it likes when it is full (maxmemory-policy)"
    if not told.get("aof_enabled"):
        return "may lose the last minutes when it ends (appendonly no)"
    return ""


def _turns(settings: Config) -> list[str]:
    """Servers whose certificate every client is shown."""
    from voicepeer import wiring
    from voicepeer.relay_check import ServerAddress

    try:
        ice = wiring.ice_config(settings)
    except ConfigInvalid:
        return []  # told of the port and access
    urls = (*ice.stun_urls, *ice.turn_urls)
    found = [ServerAddress.of(url) for url in urls if url.startswith(("stuns:", "turns:"))]
    return [f"turns://{_bracketed(one.host)}:{one.port}" for one in found]


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _certificate(named: str) -> Finding:
    from voicepeer.certificates import CertificateUnusable, expiry

    try:
        ends = expiry(named)
    except CertificateUnusable as error:
        remedy = "put one there that browsers trust for this name, and its chain"
        return Finding("tls", "fault", f"{named}: {error}", remedy)
    left = ends - datetime.datetime.now(datetime.UTC)
    what = f"{named} is good until {ends:%Y-%m-%d %H:%M} UTC"
    if left.total_seconds() <= 0:
        return Finding("tls", "fault", f"{named} ended on {ends:%Y-%m-%d}", "renew it now")
    if left.days < RENEW_DAYS:
        remedy = "renew it, and see why that was not done by itself"
        return Finding("tls", "note", f"{what}: {left.days} days", remedy)
    return Finding("tls", "ok", f"{what}: {left.days} days")


def _access(signaling: SignalingConfig) -> str:
    """Who may come in; names nothing that is secret."""
    if signaling.is_open:
        return "no keys: whoever is on this machine may do everything, and nobody else"
    plain, auth = len(signaling.api_keys), signaling.auth
    return f"{plain} plain keys, {len(auth.keys)} named ones, {len(auth.tokens.keys)} for tokens"


def _try_port(host: str, port: int) -> None:
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    with socket.socket(family, kind, protocol) as probe:
        # As servers do: a port whose last connections have just ended counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(address)

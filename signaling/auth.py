"""Who may come in: keys, web origins, and the rule that an open service stays on loopback."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection, Iterable

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(\[[0-9a-f:.]+\]|[\w.-]+)(:\d{1,5})?/?", re.I)
"""Of any scheme: pages inside apps and extensions have others than http and https."""

_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
"""Which may be left out (WHATWG URL, section 3.2)."""

MIN_KEY_CHARS = 16
"""Shorter keys can be guessed over the network within days."""


def bearer_token(header: str | None) -> str | None:
    """The token of an ``Authorization: Bearer`` header (RFC 6750 section 2.1)."""
    scheme, _, token = (header or "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def weak_key(keys: Iterable[str]) -> str | None:
    """What is wrong with the configured keys, if anything; never quotes a key."""
    if any(len(key) < MIN_KEY_CHARS for key in keys):
        return (
            f"an API key has fewer than {MIN_KEY_CHARS} characters: "
            "make one with `openssl rand -hex 24`"
        )
    return None


def is_loopback(host: str) -> bool:
    """Whether a bind address or host name stays on this machine.

    Names other than ``localhost`` are not looked up and count as reachable from outside.
    """
    bare = host.strip().strip("[]").lower().rstrip(".")
    if bare == "localhost" or bare.endswith(".localhost"):  # RFC 6761 section 6.3
        return True
    try:
        return ipaddress.ip_address(bare.partition("%")[0]).is_loopback
    except ValueError:
        return False


def refuse_bind(host: str, *, is_open: bool) -> str | None:
    """Why the service may not listen on ``host``, or ``None`` when it may.

    A cloned voice must not be had by whoever finds the port: without keys only loopback is allowed.
    """
    if not is_open or is_loopback(host):
        return None
    return (
        f"refusing to listen on {host or 'all addresses'} without authentication: set an API key, "
        "or listen on 127.0.0.1"
    )


def is_origin(text: str) -> bool:
    """Whether a setting names a web origin, or with ``*`` any."""
    return text == "*" or _ORIGIN.fullmatch(text) is not None


def origin_allowed(origin: str | None, host: str, allowed: Collection[str]) -> bool:
    """Whether a request with this ``Origin`` may open a socket (RFC 6455 section 10.2).

    Programs send none and are let through; a browser's page must come from the service itself
    (``host`` is the request's Host header) or from an allowed origin. Schemes are not compared for
    the service's own pages, because a proxy in front may have ended TLS.
    """
    if origin is None or "*" in allowed:
        return True
    plain = _plain(origin)
    if plain in {_plain(item) for item in allowed}:
        return True
    scheme = plain.partition("://")[0]
    return scheme in {"http", "https"} and plain == _plain(f"{scheme}://{host}")


def _plain(origin: str) -> str:
    """An origin as browsers write it: in small letters, without its scheme's own port."""
    scheme, divider, host = origin.lower().rstrip("/").partition("://")
    return f"{scheme}{divider}{host.removesuffix(f':{_PORTS.get(scheme)}')}"


def host_allowed(host: str | None, allowed_origins: Collection[str]) -> bool:
    """Whether a request to a service without keys may name it by this Host header.

    An open service on loopback must be called by a loopback name: a foreign name that resolves to
    this machine is a DNS-rebinding page, whose Origin and Host agree. ``None`` is a request without
    the header, which no browser sends, but health checks in HTTP/1.0 do.
    """
    if host is None:
        return True
    names = {_plain(origin).partition("://")[2] for origin in allowed_origins}
    bare = host.lower()
    short = {bare, bare.removesuffix(":443"), bare.removesuffix(":80")}
    return bool(short & names) or is_loopback(_without_port(host))


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0] if host.count(":") == 1 else host

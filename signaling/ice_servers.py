"""ICE servers for one client: STUN and TURN addresses, and time-limited TURN credentials.

The credentials are those of "A REST API For Access To TURN Services"
(draft-uberti-behave-turn-rest-00), which coturn implements as ``use-auth-secret``: the username is
``expiry:user``, the password is base64(HMAC-SHA1(secret, username)).
"""

from __future__ import annotations

import base64
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass

from signaling.sessions import IceServer

STUN_PORT = 3478
"""STUN and TURN share it (RFC 8489 section 18.6, RFC 8656 section 18)."""

TURNS_PORT = 5349

SERVICE = "service"
"""Owner of the credentials that the service itself uses."""

DEFAULT_TTL_S = 600
"""Enough to connect, and not much for a thief. A call may last longer: coturn asks for the expiry
when a relay is opened, not when it is refreshed (measured with 4.6.1, docs/turn.md)."""

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
    """Servers to hand out. ``turn_secret`` is coturn's ``static-auth-secret``.

    Raises:
        IceConfigInvalid: an address is no STUN (RFC 7064) or TURN (RFC 7065) URI, TURN has no
            secret, or the lifetime is not positive.
    """

    stun_urls: tuple[str, ...] = ()
    turn_urls: tuple[str, ...] = ()
    turn_secret: str = ""
    turn_ttl_s: int = DEFAULT_TTL_S

    def __post_init__(self) -> None:
        _check_urls(self.stun_urls, "stun")
        _check_urls(self.turn_urls, "turn")
        if self.turn_urls and not self.turn_secret:
            raise IceConfigInvalid(
                "TURN servers are set but their shared secret is not: "
                "give the value of coturn's static-auth-secret"
            )
        if self.turn_ttl_s <= 0:
            raise IceConfigInvalid(
                f"TURN credentials must last longer than {self.turn_ttl_s} seconds"
            )

    def __repr__(self) -> str:
        return f"IceConfig(stun_urls={self.stun_urls!r}, turn_urls={self.turn_urls!r})"


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

    A colon in ``user`` would be read as the end of the expiry by some servers, so it is replaced.
    """
    username = f"{int(now_s) + ttl_s}:{user.replace(':', '_')}"
    digest = hmac.new(secret.encode(), username.encode(), "sha1").digest()
    return TurnCredentials(username, base64.b64encode(digest).decode())


def ice_servers(config: IceConfig, user: str, now_s: float) -> list[IceServer]:
    """The ``iceServers`` of an RTCConfiguration for one client, TURN credentials made now."""
    servers: list[IceServer] = []
    if config.stun_urls:
        servers.append({"urls": list(config.stun_urls)})
    if config.turn_urls:
        turn = turn_credentials(config.turn_secret, user, now_s, config.turn_ttl_s)
        servers.append(
            {
                "urls": list(config.turn_urls),
                "username": turn.username,
                "credential": turn.credential,
            }
        )
    return servers

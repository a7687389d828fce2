"""Access tokens of LiveKit, as far as a participant has to know them.

They are JWTs whose claim ``video`` says what their holder may do; the server checks them, here they
are only made and looked at (LiveKit documentation, "Authentication").
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from voicepeer.core.errors import RoomError

MAX_TOKEN_CHARS: Final = 16_384
TOKEN_TTL_S: Final = 600
"""Of one that is made for each attempt: a participant who is in may stay after that."""


class TokenUnusable(RoomError):
    """A token will not let its holder speak in the room; the message says what it lacks."""

    def __init__(self, message: str) -> None:
        super().__init__("token_unusable", message)


class _Video(msgspec.Struct):
    room: str = ""
    roomJoin: bool = False  # noqa: N815 - names of the claim
    canPublish: bool | None = None  # noqa: N815
    canPublishSources: list[str] | None = None  # noqa: N815


class _Claims(msgspec.Struct):
    sub: str = ""
    exp: float | None = None
    video: _Video | None = None


_decoder = msgspec.json.Decoder(_Claims)


@dataclass(frozen=True, slots=True)
class Pass:
    """What a token is for: the room and who its holder is there."""

    room: str
    identity: str


def claims_of(key: str, room: str, identity: str, name: str, now_s: float) -> Mapping[str, Any]:
    """Claims of a token that lets somebody speak in a room, and hear nobody; ``now_s`` is Unix
    time. The secret of ``key`` signs them with HS256."""
    return {
        "iss": key,
        "sub": identity,
        "name": name,
        "nbf": int(now_s) - 10,  # clocks differ
        "exp": int(now_s) + TOKEN_TTL_S,
        "video": {
            "room": room,
            "roomJoin": True,
            "canPublish": True,
            "canSubscribe": False,
            "canPublishData": False,
        },
    }


def look_at(token: str, now_s: float, room: str | None = None) -> Pass:
    """What a token is for at ``now_s`` (Unix time); its signature is the server's business.

    Raises:
        TokenUnusable: it is none, or has expired, or not for joining a room and speaking there, or
            for another room than ``room``.
    """
    claims = _read(token)
    video = claims.video
    if video is None or not video.roomJoin or not video.room:
        raise TokenUnusable(
            "the LiveKit token does not let anybody join a room: it has to be made with the grants "
            "roomJoin and room"
        )
    if room is not None and room != video.room:
        raise TokenUnusable("the LiveKit token is for another room than --room names")
    if claims.exp is not None and claims.exp <= now_s:
        raise TokenUnusable("the LiveKit token has expired: make a new one")
    sources = video.canPublishSources
    if video.canPublish is False or (sources and "microphone" not in sources):
        raise TokenUnusable("the LiveKit token does not let its holder speak (canPublish)")
    return Pass(video.room, claims.sub)


def _read(token: str) -> _Claims:
    parts = token.split(".")
    if len(parts) != 3 or len(token) > MAX_TOKEN_CHARS:
        raise TokenUnusable("the LiveKit token is no JWT: it has three parts with dots between")
    try:
        body = base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4))
        return _decoder.decode(body)
    except (ValueError, binascii.Error, msgspec.MsgspecError, RecursionError) as error:
        raise TokenUnusable("the LiveKit token cannot be read: is all of it there?") from error

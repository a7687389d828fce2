"""What Pipecat's small-webrtc transport sends over the data channel besides RTVI messages.

A bare text ``ping: <ms>`` once a second, and ``{"type": "signalling", "message": {"type", ...}}``
for things of the connection itself (``@pipecat-ai/small-webrtc-transport`` 1.10).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import msgspec

from voicepeer.core.envelope import bounded

PEER_LEFT: Final = '{"type":"signalling","message":{"type":"peerLeft"}}'
"""Tells the client that the service ends the call, so that it does not try to reconnect."""


@dataclass(frozen=True, slots=True)
class KeepAlive:
    """The client is there; nothing is answered."""


@dataclass(frozen=True, slots=True)
class Signalling:
    """Something about the connection; ``trackStatus`` says that a track was turned on or off."""

    kind: str


TransportMessage: TypeAlias = KeepAlive | Signalling


class _Inner(msgspec.Struct):
    type: str


class _Signalling(msgspec.Struct):
    type: Literal["signalling"]
    message: _Inner


_decoder = msgspec.json.Decoder(_Signalling)


def read_transport(data: str | bytes) -> TransportMessage | None:
    """A message of the transport itself, or None where it is another one.

    Raises:
        PeerSentBadMessage: too large.
    """
    raw = bounded(data)
    if raw.startswith(b"ping"):
        return KeepAlive()
    if b'"signalling"' not in raw:
        return None
    try:
        return Signalling(_decoder.decode(raw).message.type)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None

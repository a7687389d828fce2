"""What a Janus server sends over its WebSocket, and how a request to it is written.

Names are those of the Janus API (https://janus.conf.meetecho.com/docs/rest.html). What a message
has besides is left out: servers of other versions say more or less.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import msgspec

Fields: TypeAlias = dict[str, Any]
"""Of an object of JSON."""

MAX_MESSAGE_BYTES: Final = 1_000_000
"""Whoever joins a VideoRoom is told of all that is published there, by some 200 bytes each."""

MAX_REASON_CHARS: Final = 200


class BadJanusMessage(Exception):
    """What came is no message of a Janus server."""


class _Identified(msgspec.Struct, frozen=True):
    id: int = 0


class _PluginData(msgspec.Struct, frozen=True):
    data: Fields = {}


class Description(msgspec.Struct, frozen=True):
    """A session description (JSEP)."""

    type: str
    sdp: str


class JanusFault(msgspec.Struct, frozen=True):
    """Why a request was refused: the API's number, and the server's words."""

    code: int = 0
    reason: str = ""


class ServerMessage(msgspec.Struct, frozen=True):
    """Any message; fields that its kind does not have are as they are here."""

    janus: str
    """Its kind: ``ack``, ``success``, ``error``, ``event``, ``hangup``, ``timeout``, …"""
    transaction: str = ""
    """Of the request that it answers."""
    sender: int = 0
    """The handle that it is about."""
    data: _Identified = _Identified()
    plugindata: _PluginData = _PluginData()
    jsep: Description | None = None
    error: JanusFault = JanusFault()
    reason: str = ""


_decoder: Final = msgspec.json.Decoder(ServerMessage)


def read(data: str | bytes) -> ServerMessage:
    """A message of the server.

    Raises:
        BadJanusMessage: not JSON, not an object with ``janus``, or a field of another type.
    """
    if len(data) > MAX_MESSAGE_BYTES:
        raise BadJanusMessage(f"a message of more than {MAX_MESSAGE_BYTES} bytes")
    try:
        return _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise BadJanusMessage(f"no message of a Janus: {str(error)[:MAX_REASON_CHARS]}") from error


def words_of(text: str) -> str:
    """A server's own words, fit to be shown: on one line, and not too many."""
    printable = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(printable.split())[:MAX_REASON_CHARS]


def write(kind: str, transaction: str, **fields: object) -> str:
    """A request; fields that are ``None`` are left out."""
    given = {name: value for name, value in fields.items() if value is not None}
    return msgspec.json.encode({"janus": kind, "transaction": transaction, **given}).decode()

"""The RTVI 2.x envelope: ``{"label": "rtvi-ai", "type", "id", "data"}`` around typed messages.

What RTVI has a name for is ``Native`` and travels under it. What it has no name for travels inside
its ``client-message`` and ``server-message`` as ``{"t": name, "d": {...}}``.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from voicepeer.core.errors import PeerSentBadMessage

RTVI_LABEL: Final = "rtvi-ai"
RTVI_VERSION: Final = "2.1.0"
MAX_MESSAGE_BYTES: Final = 15_000
"""Largest message either way: what data channels of all browsers pass in one piece."""

MAX_ID_CHARS: Final = 64
_MAX_QUOTED_CHARS = 200
"""Of what a decoder says: it quotes what it was given, however long that is."""


class Message(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="t"):
    """Base of our own messages; unknown fields of newer clients are ignored."""


class Native(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Base of RTVI's own messages.

    Defaults are sent as well, because typed clients in Swift and Kotlin want every field; only
    fields that are ``None`` are left out.
    """


class _Envelope(msgspec.Struct, kw_only=True):
    label: Literal["rtvi-ai"]
    type: str
    id: str | int | None = None
    data: msgspec.Raw = msgspec.Raw(b"{}")


class _Named(msgspec.Struct, kw_only=True):
    t: str
    d: msgspec.Raw = msgspec.Raw(b"{}")


_envelope_decoder = msgspec.json.Decoder(_Envelope)
_named_decoder = msgspec.json.Decoder(_Named)
_encoder = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class Envelope:
    """A message whose name and id are known and whose fields are not yet read."""

    name: str
    body: bytes
    request_id: str
    """Empty where the sender gave none."""
    wrapped: bool
    """Whether it is one of ours, inside ``client-message`` or ``server-message``."""

    def read(self, known: Mapping[str, type[Any]]) -> Any:  # noqa: ANN401 - one of ``known``
        """The message itself.

        Raises:
            PeerSentBadMessage: of an unknown type or with wrong fields.
        """
        cls = known.get(self.name)
        if cls is None or issubclass(cls, Native) is self.wrapped:
            raise PeerSentBadMessage(f"unknown message type {self.name[:MAX_ID_CHARS]!r}")
        try:
            message = msgspec.convert(_tagged(self.body, cls), cls)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise unreadable(error, self.body) from error
        utterance_id = getattr(message, "utterance_id", None)
        if utterance_id is not None and not 0 < len(utterance_id) <= MAX_ID_CHARS:
            raise PeerSentBadMessage(f"utterance_id must have 1 to {MAX_ID_CHARS} characters")
        return message


def open_envelope(data: str | bytes, wrapper: str) -> Envelope:
    """Take a message out of its envelope; ``wrapper`` is what ours travel in.

    Raises:
        PeerSentBadMessage: too large, not JSON or not RTVI.
    """
    raw = bounded(data)
    try:
        outer = _envelope_decoder.decode(raw)
        name, body, wrapped = outer.type, bytes(outer.data), outer.type == wrapper
        if wrapped:
            named = _named_decoder.decode(body)
            name, body = named.t, bytes(named.d)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise unreadable(error, raw) from error
    request_id = "" if outer.id is None else str(outer.id)
    if len(request_id) > MAX_ID_CHARS:
        raise PeerSentBadMessage(f"a message's id may have {MAX_ID_CHARS} characters")
    return Envelope(name, body, request_id, wrapped)


def seal(message: Message | Native, wrapper: str, request_id: str = "") -> str:
    """JSON text of a message in its envelope."""
    cls, config = type(message), message.__struct_config__
    fields = msgspec.to_builtins(message)
    fields.pop(config.tag_field)
    if isinstance(message, Native):
        kind = str(config.tag)
        body = {
            name: value for name, value in fields.items() if value is not None or name in _told(cls)
        }
    else:
        kind, body = wrapper, {"t": str(config.tag), "d": fields}
    return _encoder.encode(
        {"label": RTVI_LABEL, "type": kind, "id": request_id, "data": body}
    ).decode()


@functools.cache
def _told(cls: type[Native]) -> frozenset[str]:
    """Fields whose absence does not mean ``None``."""
    fields = msgspec.structs.fields(cls)
    return frozenset(field.encode_name for field in fields if field.default is not None)


def bounded(data: str | bytes) -> bytes:
    """The bytes of a message; raises PeerSentBadMessage where there are too many."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    if len(raw) > MAX_MESSAGE_BYTES:
        raise PeerSentBadMessage(
            f"a message may have {MAX_MESSAGE_BYTES} bytes, this one has {len(raw)}: "
            "send long text in pieces with utterance.append"
        )
    return raw


def unreadable(error: Exception, raw: bytes) -> PeerSentBadMessage:
    """Why a message could not be read, which failed with ``error``."""
    return PeerSentBadMessage(f"not a valid message: {reason_unread(error, raw)}")


def reason_unread(error: Exception, raw: bytes) -> str:
    """What is wrong with JSON, in a few words.

    msgspec has misleading ones for half of a surrogate pair (RFC 8259 section 8.2), which clients
    send that cut a text between the two.
    """
    if not isinstance(error, msgspec.ValidationError) and _has_half_a_pair(raw):
        return "a text has half of a surrogate pair: cut texts between characters only"
    return str(error)[:_MAX_QUOTED_CHARS]


def _has_half_a_pair(raw: bytes) -> bool:
    try:
        value = json.loads(raw.decode("utf-8", "surrogatepass"))
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    except (ValueError, RecursionError):
        pass
    return False


def _tagged(body: bytes, cls: type[Any]) -> dict[str, Any]:
    fields = msgspec.json.decode(body) if body not in (b"", b"null") else {}
    if not isinstance(fields, dict):
        raise PeerSentBadMessage("the message's data must be an object")
    config = cls.__struct_config__
    return {**fields, config.tag_field: config.tag}

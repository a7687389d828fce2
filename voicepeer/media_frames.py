"""What the entry of a service and one of its media processes say to each other.

Frames are those of ``engines.process.frames``. A request has an ``id``, by which its ``Done`` or
``Refused`` comes back; what has none wants no answer.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from engines.process.frames import framed
from signaling.limits import LimitKind, Spend
from signaling.messages import Connection
from signaling.principal import Principal
from signaling.sessions import IceServer, Purpose, SessionRequest
from voicepeer.config import Config
from voicepeer.core.degradation.ladder import Step

Value: TypeAlias = str | bool | list[str] | None
"""What a request is answered with."""


class Begin(msgspec.Struct, frozen=True, tag=True):
    """The first message: how to run. The answer means that sessions can be opened."""

    id: int
    config: Config


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A ``SessionRequest`` without what stays at the entry."""

    room: str
    name: str
    ice_servers: list[IceServer]
    resume_token: str | None
    principal: Principal
    purpose: Purpose
    voice: str | None
    first_voice: str | None
    speed: float | None
    stands_in: bool
    consent: str | None
    consent_id: str | None
    meets_others: bool

    @classmethod
    def of(cls, request: SessionRequest) -> Asked:
        """That of a request."""
        return cls(**{name: getattr(request, name) for name in cls.__struct_fields__})

    def request(self, spend: Spend) -> SessionRequest:
        """The same where the session is opened; ``spend`` asks the entry for what it uses."""
        return SessionRequest(**msgspec.structs.asdict(self), spend=spend)


class Open(msgspec.Struct, frozen=True, tag=True):
    """Open a session; the answer is its id and its resume token."""

    id: int
    asked: Asked


class Answer(msgspec.Struct, frozen=True, tag=True):
    """Answer an offer; the answer is an SDP."""

    id: int
    session: str
    sdp: str
    connection: Connection


class AddCandidate(msgspec.Struct, frozen=True, tag=True):
    """Add a trickled candidate."""

    id: int
    session: str
    candidate: str | None
    sdp_mid: str | None
    sdp_mline_index: int | None
    connection: Connection


class TakeOver(msgspec.Struct, frozen=True, tag=True):
    """Go on where an earlier session was; the answer is whether there was something."""

    id: int
    session: str


class Drain(msgspec.Struct, frozen=True, tag=True):
    """Let what a client asked for come to its end."""

    id: int
    session: str
    within_s: float


class Close(msgspec.Struct, frozen=True, tag=True):
    """End a session."""

    id: int
    session: str
    reason: str


class Figures(msgspec.Struct, frozen=True, tag=True):
    """Tell all figures; the answer is Prometheus' text."""

    id: int


class Ping(msgspec.Struct, frozen=True, tag=True):
    """Show that the process is not stuck."""

    id: int


class GiveUp(msgspec.Struct, frozen=True, tag=True):
    """Nobody waits for the answer of this request any more."""

    id: int


class Renew(msgspec.Struct, frozen=True, tag=True):
    """The client has shown another token; ``expires_at_s`` is Unix time."""

    session: str
    expires_at_s: float | None


class Paid(msgspec.Struct, frozen=True, tag=True):
    """What a session asked to spend was taken, or was too much where there is a time to wait."""

    session: str
    spending: int
    retry_after_s: int = 0


class Revoked(msgspec.Struct, frozen=True, tag=True):
    """A voice was deleted."""

    voice_id: str


class Economize(msgspec.Struct, frozen=True, tag=True):
    """There is so much to do in the whole service: do with less by these steps, and no others."""

    steps: tuple[Step, ...]


class Done(msgspec.Struct, frozen=True, tag=True):
    """A request was done."""

    id: int
    value: Value = None


class Refused(msgspec.Struct, frozen=True, tag=True):
    """A request was refused, as ``signaling.sessions.SessionRefused`` says."""

    id: int
    code: str
    message: str


class Spending(msgspec.Struct, frozen=True, tag=True):
    """The client of a session wants to use so much of its limits; ``Paid`` answers, by the id."""

    session: str
    id: int
    kind: LimitKind
    cost: float


class Changed(msgspec.Struct, frozen=True, tag=True):
    """How a session is now."""

    session: str
    connected: bool
    voice_id: str | None


class Noted(msgspec.Struct, frozen=True, tag=True):
    """Something that shows how the service keeps up: see ``core.degradation.vitals``."""

    what: Literal["first_audible", "done", "failed", "embedded"]
    ms: float = 0.0
    """What that took, where it counts."""


class Ended(msgspec.Struct, frozen=True, tag=True):
    """A session has ended, for whatever cause."""

    session: str
    reason: str


Request: TypeAlias = (
    Begin | Open | Answer | AddCandidate | TakeOver | Drain | Close | Figures | Ping
)
ToMedia: TypeAlias = Request | GiveUp | Renew | Paid | Revoked | Economize
ToEntry: TypeAlias = Done | Refused | Spending | Changed | Noted | Ended

_encoder = msgspec.msgpack.Encoder()
_to_media: msgspec.msgpack.Decoder[ToMedia] = msgspec.msgpack.Decoder(ToMedia)
_to_entry: msgspec.msgpack.Decoder[ToEntry] = msgspec.msgpack.Decoder(ToEntry)


def pack(message: ToMedia | ToEntry) -> bytes:
    """A message as one frame."""
    return framed(_encoder.encode(message))


def unpack_to_media(body: bytes) -> ToMedia:
    """A message from the entry; raises ``msgspec.DecodeError`` for a bad one."""
    return _to_media.decode(body)


def unpack_to_entry(body: bytes) -> ToEntry:
    """A message from a media process; raises ``msgspec.DecodeError`` for a bad one."""
    return _to_entry.decode(body)

"""What the tester processes are told and tell, one JSON object a line.

Moments are ``time.monotonic()``, which all processes of a machine share (Linux, clock_gettime(2)).
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import msgspec

Kind: TypeAlias = Literal["talk", "burst", "storm", "room", "upload", "reconnect", "lossy", "mix"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class UserPlan(msgspec.Struct, frozen=True, kw_only=True):
    """One user; the same plan says the same texts in the same order."""

    name: str
    kind: Kind = "talk"
    seed: int = 1
    learns: bool = True
    """Whether the user lets the service learn a voice first, or takes one that it has."""
    room: str = "default"


# --- to a tester --------------------------------------------------------------------------------


class Connect(msgspec.Struct, frozen=True, tag="connect"):
    """Let these users call, one after the other."""

    users: list[UserPlan]
    apart_s: float = 0.3
    after_s: float = 0.0
    """Before the first of them, whom users of other testers precede."""


class Talk(msgspec.Struct, frozen=True, tag="talk"):
    """How much of the time each user is to be spoken to from now on, over 0 to 1."""

    share: float


Order: TypeAlias = Connect | Talk

# --- of a tester --------------------------------------------------------------------------------


class Loaded(msgspec.Struct, frozen=True, tag="loaded"):
    """The tester takes orders."""

    pid: int


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """A user has a call and a voice."""

    user: str
    at_s: float


class Said(msgspec.Struct, frozen=True, tag="said"):
    """An utterance that was heard to its end."""

    user: str
    kind: Kind
    sent_s: float
    done_s: float
    first_audible_ms: float | None
    """To the first 5 ms over -50 dBFS that were there to be played, receive buffer included;
    ``None`` where it had no sound."""
    audio_ms: float
    rtf: float | None
    underruns: int
    frames_lost: int


class Timed(msgspec.Struct, frozen=True, tag="timed"):
    """Something else that took a user ``ms``."""

    user: str
    kind: Kind
    at_s: float
    what: str
    ms: float


class Trouble(msgspec.Struct, frozen=True, tag="trouble"):
    """Something went wrong for a user; ``code`` is the service's word for it, or ours."""

    user: str
    kind: Kind
    at_s: float
    code: str


class Second(msgspec.Struct, frozen=True, tag="second"):
    """A second of a tester's own life, and of the packets that came in it."""

    at_s: float
    cpu_s: float
    """Processor time of the process so far."""
    late_ms: list[float]
    """How much later than it should the event loop woke somebody."""
    gaps_ms: dict[str, list[float]]
    """Between packets with successive numbers, by the kernel's clock; by user."""
    unstamped: int = 0
    """Packets of which the kernel told no time."""


Event: TypeAlias = Loaded | Ready | Said | Timed | Trouble | Second

_orders = msgspec.json.Decoder(Order)
_events = msgspec.json.Decoder(Event)


def encode(message: Order | Event) -> bytes:
    """A line, with its end."""
    return msgspec.json.encode(message) + b"\n"


def decode_order(line: bytes) -> Order:
    """Raises ``msgspec.DecodeError`` for what is none."""
    return _orders.decode(line)


def decode_event(line: bytes) -> Event:
    """Raises ``msgspec.DecodeError`` for what is none."""
    return _events.decode(line)

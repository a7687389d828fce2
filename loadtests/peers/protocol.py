"""What a bot and whoever measures it say to each other; standard library only.

A bot is told what to do in lines of JSON on its standard input, or over a data channel where it
takes calls, and tells what happens in lines of JSON on its standard output. It ends when its input
does. All moments are ``time.monotonic()``, which on Linux is one clock for all processes.
"""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias


class BadLine(Exception):
    """A line that is not of this protocol."""


@dataclass(frozen=True, slots=True)
class Say:
    """Speak this text; texts are said one after the other."""

    text: str


@dataclass(frozen=True, slots=True)
class Cancel:
    """Be silent at once, and forget what was still to be said."""


Command: TypeAlias = Say | Cancel


@dataclass(frozen=True, slots=True)
class Ready:
    """The models are loaded."""

    offer_url: str | None
    """Where offers are posted to; ``None`` without a network."""
    versions: dict[str, str] = field(default_factory=dict)
    """Of the packages that matter."""


@dataclass(frozen=True, slots=True)
class Audio:
    """Samples that became available; only of a bot without a network."""

    at_s: float
    rate_hz: int
    pcm16: str
    """Mono, 16 bit, little endian, in Base64."""

    @classmethod
    def of(cls, at_s: float, rate_hz: int, pcm16: bytes) -> Audio:
        """From raw samples."""
        return cls(at_s, rate_hz, base64.b64encode(pcm16).decode())

    def samples(self) -> bytes:
        """The raw samples."""
        return base64.b64decode(self.pcm16)


@dataclass(frozen=True, slots=True)
class Spoken:
    """The speech of a text has been made."""

    synthesis_s: float
    """Time that was spent waiting for the synthesis."""
    audio_s: float


@dataclass(frozen=True, slots=True)
class Failed:
    """The bot cannot go on; the reason is for a person."""

    reason: str


Event: TypeAlias = Ready | Audio | Spoken | Failed

_COMMANDS: dict[str, type[Command]] = {"say": Say, "cancel": Cancel}
_EVENTS: dict[str, type[Event]] = {
    "ready": Ready, "audio": Audio, "spoken": Spoken, "failed": Failed
}  # fmt: skip
_NAMES = {kind: name for table in (_COMMANDS, _EVENTS) for name, kind in table.items()}


def encode(message: Command | Event) -> str:
    """A message as one line, without its end."""
    return json.dumps({"type": _NAMES[type(message)], **asdict(message)})


def as_command(message: object) -> Command:
    """A command that is parsed already, as frameworks hand on what a data channel brings.

    Raises:
        BadLine: it is none.
    """
    made = _made(message, _COMMANDS)
    assert isinstance(made, Command)
    return made


def decode_command(line: str | bytes) -> Command:
    """What a bot is told; raises BadLine."""
    return as_command(_parsed(line))


def decode_event(line: str | bytes) -> Event:
    """What a bot tells; raises BadLine."""
    made = _made(_parsed(line), _EVENTS)
    assert isinstance(made, Event)
    return made


def _parsed(line: str | bytes) -> object:
    try:
        parsed: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadLine("not JSON") from error
    return parsed


def _made(message: object, kinds: dict[str, Any]) -> object:
    name = message.get("type") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(name, str) or name not in kinds:
        raise BadLine("no such message")
    values = {field: value for field, value in message.items() if field != "type"}
    try:
        return kinds[name](**values)
    except TypeError as error:
        raise BadLine("fields are missing or unknown") from error

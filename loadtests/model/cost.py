"""What a user costs on paper: processor time and memory by part, without any queue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from loadtests.model.parts import Parts
from loadtests.model.queueing import users_for_streams
from voicepeer.core.errors import ConfigInvalid


@dataclass(frozen=True, slots=True)
class Habits:
    """What a user does; shares are of the time of a call."""

    talk: float = 0.25
    """In which the user is spoken to."""
    mic: float = 0.25
    """In which the user speaks."""
    call_minutes: float = 5.0
    learns: bool = True
    """Whether a voice is learned at the beginning."""


@dataclass(frozen=True, slots=True)
class Item:
    """One part of the bill."""

    what: str
    cores: float
    """Processor time a second of a user's call."""


@dataclass(frozen=True, slots=True)
class Bill:
    """What a user costs."""

    items: Sequence[Item]
    session_mb: float
    service_mb: float

    @property
    def cores(self) -> float:
        """Of a core, in all."""
        return sum(item.cores for item in self.items)

    def users_per_core(self, busy: float = 1.0) -> float:
        """How many users keep a core busy for so much of the time."""
        return busy / self.cores

    def memory_mb(self, users: int) -> float:
        """Of one service with so many users."""
        return self.service_mb + users * self.session_mb


def bill(parts: Parts, habits: Habits) -> Bill:
    """What a user with these habits costs.

    Raises:
        ConfigInvalid: nothing at all, which is too little measured of an engine that only plays.
    """
    media, engine = parts.media, parts.engine
    speech = engine.real_time_factor * engine.cores
    items = [
        Item("connected, both sides silent", media.silent_ms / 1000.0),
        Item("to take in what the user says", habits.mic * media.heard_ms / 1000.0),
        Item("to find speech in it", habits.mic * media.listening_ms / 1000.0),
        Item("to encode and send what is said", habits.talk * media.speaking_ms / 1000.0),
        Item("to make it", habits.talk * speech),
    ]
    if habits.learns:
        learned = parts.enrolment.cpu_s / (60.0 * habits.call_minutes)
        items.append(Item("to learn the voice, over the call", learned))
    made = Bill(items, media.session_mb, media.service_mb)
    if made.cores <= 0.0:
        raise ConfigInvalid("by these parts a user costs nothing: measure them again, for longer")
    return made


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU by what somebody measured of it: nothing here is known without."""

    streams: int
    """So many speak at once and each is heard in time."""
    beyond: float = 0.01
    """Share of the time in which more may want to."""

    def users(self, talk: float) -> int:
        """How many users share it."""
        return users_for_streams(self.streams, talk, self.beyond)

    def cores_beside(self, bill: Bill, talk: float) -> float:
        """Processor time that their calls take, without making speech."""
        others = sum(item.cores for item in bill.items if item.what != "to make it")
        return self.users(talk) * others

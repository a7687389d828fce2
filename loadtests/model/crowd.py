"""Who talks when, and what is said: seeded, without a clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from loadtests.model.parts import Said, Text

SILENT_S = 0.2
"""For so long a user of ``loadtests.user`` hears nothing before the next text is sent."""


AWAY_S = 10.0
"""Of a user of ``loadtests.user`` who was refused: it calls again and has its voice learned."""


class Crowd(Protocol):
    """When texts are sent; all times in seconds."""

    users: int

    def begin_s(self) -> Sequence[float]:
        """When first texts are sent, from the start."""
        ...

    def after_sent_s(self, now: float) -> float | None:
        """When another text follows one that was sent ``now``, whatever becomes of that one."""
        ...

    def after_over_s(self, now: float, audio_s: float) -> float | None:
        """When another text follows one that is over ``now``, of which so much was heard."""
        ...

    def after_refused_s(self, now: float) -> float | None:
        """When another text follows one that was refused ``now``."""
        ...


class Script(Protocol):
    """What is said."""

    def draw(self, early: bool) -> Sequence[Said]:
        """The pieces of the next text; ``early`` where the first shall be short."""
        ...


@dataclass(slots=True)
class Talkers:
    """Users who each send a text, hear it to its end, pause, and send another.

    As those of ``loadtests.scenarios.talk``: ``talk`` is the share of the time in which they are
    spoken to while nobody has to wait, and a pause is half to one and a half times what that leaves
    after a text of this length. ``audio_s`` is how long a text sounds in the mean.
    """

    users: int
    talk: float
    audio_s: float
    random: Random

    def begin_s(self) -> Sequence[float]:
        """Anywhere in the first turn of each, as nobody waits for the others."""
        return [self.random.uniform(0.0, self.audio_s / self.talk) for _ in range(self.users)]

    def after_sent_s(self, now: float) -> float | None:
        """Nobody sends a second text before the first is over."""
        return None

    def after_over_s(self, now: float, audio_s: float) -> float | None:
        """After a pause."""
        pause_s = audio_s * (1.0 - self.talk) / self.talk - SILENT_S
        return now + SILENT_S + max(0.0, pause_s) * self.random.uniform(0.5, 1.5)

    def after_refused_s(self, now: float) -> float | None:
        """After another call."""
        return now + AWAY_S * self.random.uniform(0.8, 1.2)


@dataclass(slots=True)
class Passers:
    """Texts that come at random from anybody, ``arrivals_hz`` a second: a Poisson process."""

    arrivals_hz: float
    random: Random
    users: int = 0
    """Sessions that are there all the time."""

    def begin_s(self) -> Sequence[float]:
        """The first of them."""
        return [self.random.expovariate(self.arrivals_hz)]

    def after_sent_s(self, now: float) -> float | None:
        """The next of them."""
        return now + self.random.expovariate(self.arrivals_hz)

    def after_over_s(self, now: float, audio_s: float) -> float | None:
        """Nothing depends on what was heard."""
        return None

    def after_refused_s(self, now: float) -> float | None:
        """Or on what was not."""
        return None


@dataclass(slots=True)
class Choir:
    """Users who all send in one instant, again and again, as streams of a bench begin."""

    users: int
    every_s: float

    def begin_s(self) -> Sequence[float]:
        """At the same time."""
        return [0.0] * self.users

    def after_sent_s(self, now: float) -> float | None:
        """All together again."""
        return now + self.every_s

    def after_over_s(self, now: float, audio_s: float) -> float | None:
        """Nobody waits for that."""
        return None

    def after_refused_s(self, now: float) -> float | None:
        """Or for that."""
        return None


@dataclass(slots=True)
class Recited:
    """Texts that were measured: one of them, each of its pieces as it was said some time."""

    texts: Sequence[Text]
    random: Random

    def draw(self, early: bool) -> Sequence[Said]:
        """Pieces of one text."""
        text = self.random.choice(self.texts)
        pieces = text.early_pieces if early else text.pieces
        return [self.random.choice(said) for said in pieces]

    @property
    def audio_s(self) -> float:
        """How long a text sounds in the mean."""
        return sum(text.audio_ms for text in self.texts) / len(self.texts) / 1000.0

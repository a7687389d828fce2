"""What is said in each call and who is called when: the same for all, and decided beforehand."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import Final, TypeVar

from engines.bench import TEXTS

NameT = TypeVar("NameT")


@dataclass(frozen=True, slots=True)
class Line:
    """A text of the script."""

    name: str
    text: str
    slot_s: float | None = None
    """How much of the call it takes, its speech and a pause; without one it is cut off."""

    @property
    def words(self) -> int:
        """How many it has."""
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class Script:
    """All that is said in a call."""

    lines: tuple[Line, ...]
    """The ones with slots are said first, and processors are watched meanwhile."""
    warm_up: tuple[Line, ...]
    """Said before anything is measured."""
    lossy: tuple[Line, ...]
    """Said in the call that loses packets; all with slots."""
    cut_after_s: float = 1.0
    """Lines without a slot are cancelled when they have been heard for so long."""
    after_cancel_s: float = 0.8
    """For how long at least it is listened whether they are silent."""
    settle_s: float = 6.0
    """Between parts of a call it is waited for so long at most that there is nothing to do."""
    idle_s: float = 3.0
    """For how long nobody is called, once."""

    @property
    def watched(self) -> list[Line]:
        """Lines with slots."""
        return [line for line in self.lines if line.slot_s is not None]

    @property
    def cut(self) -> list[Line]:
        """Lines without."""
        return [line for line in self.lines if line.slot_s is None]

    @property
    def warming(self) -> Script:
        """What is said before anything is measured."""
        return replace(self, lines=self.warm_up)

    @property
    def slots_s(self) -> float:
        """How much of a call its watched lines take."""
        return sum(line.slot_s or 0.0 for line in self.watched)


_SENTENCES: Final = (
    "Thank you for waiting. I have found your order, and it will be with you on Friday."
)

_TEN_WORDS: Final = Line("10 words", TEXTS[10], slot_s=5.2)

_MANY_WORDS: Final = Line("30 words", TEXTS[30])

SCRIPT: Final = Script(
    lines=(
        Line("2 words", TEXTS[2], slot_s=2.4),
        _TEN_WORDS,
        Line("2 sentences", _SENTENCES),
        _MANY_WORDS,
    ),
    warm_up=(_MANY_WORDS,),
    lossy=(_TEN_WORDS, _TEN_WORDS),
)
"""Half of the watched time is speech, whoever says it."""


def interleaved(others: Sequence[NameT], ours: Sequence[NameT]) -> list[NameT]:
    """Everybody once, ours between the others for as long as there are both."""
    pairs = zip_longest(others, ours)
    return [one for one in chain.from_iterable(pairs) if one is not None]


def order(names: Sequence[NameT], rounds: int, seed: int) -> list[list[NameT]]:
    """Who is called in each round: all of them, each time from another place of the circle.

    Neighbours stay neighbours, so that ours stay between the others, but nobody is always first.
    """
    turns = list(range(len(names)))
    random.Random(seed).shuffle(turns)
    shifts = (turns[index % len(turns)] for index in range(rounds)) if turns else iter(())
    return [[*names[shift:], *names[:shift]] for shift in shifts]

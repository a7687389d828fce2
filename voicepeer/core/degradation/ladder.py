"""Which steps are taken against an overload, one after the other, and back again.

Pure: the shell pushes how bad it is a few times a dwell time, with the time. How bad, the
*severity*, is 1 where a figure is at its limit; see ``severity``.

    enter and up_s long at least so bad ->  one step more
    leave and down_s long less bad      ->  one step less

``enter`` lies over ``leave`` and rises from step to step, so a small overload never leads to the
drastic steps. When going back was too early the next try waits twice as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

Step: TypeAlias = Literal[
    "short_first_piece", "light_listening", "fewer_utterances", "no_new_sessions"
]
"""What is done with less: first pieces have fewer words and so begin earlier; speakers are
compared less often; fewer utterances are made at once; and new sessions are sent elsewhere."""

STEPS: tuple[Step, ...] = get_args(Step)


@dataclass(frozen=True, slots=True)
class Rung:
    """A step: from which severity on it is taken, and under which it is given up."""

    step: Step
    enter: float
    leave: float

    def __post_init__(self) -> None:
        if not 0.0 < self.leave < self.enter:
            raise ValueError(f"{self.step} must be left below {self.enter:g}, where it is entered")


RUNGS = (
    Rung("short_first_piece", 1.0, 0.75),
    Rung("light_listening", 1.25, 0.75),
    Rung("fewer_utterances", 3.0, 1.5),
    Rung("no_new_sessions", 5.0, 2.0),
)


@dataclass(frozen=True, slots=True)
class Pace:
    """How long it has to be bad, or good, before a step."""

    up_s: float = 5.0
    down_s: float = 30.0
    max_down_s: float = 480.0
    """What ``down_s`` may become by going back too early; and who goes back and has no relapse for
    so long was not too early."""
    max_gap_s: float = 10.0
    """Nobody knows how it was meanwhile, so what lasts begins anew."""


class Ladder:
    """The steps in effect are ``steps``; ``push`` moves by one at a time."""

    def __init__(self, rungs: Sequence[Rung] = RUNGS, pace: Pace = Pace()) -> None:  # noqa: B008
        self._rungs = tuple(rungs)
        self._pace = pace
        self._level = 0
        self._bad_since: float | None = None
        self._good_since: float | None = None
        self._pushed_at: float | None = None
        self._relieved_at: float | None = None
        self._down_s = pace.down_s

    @property
    def level(self) -> int:
        """How many steps are in effect."""
        return self._level

    @property
    def steps(self) -> tuple[Step, ...]:
        """Those in effect, in the order in which they were taken."""
        return tuple(rung.step for rung in self._rungs[: self._level])

    @property
    def down_s(self) -> float:
        """How long it has to be good at present before a step is given up."""
        return self._down_s

    def push(self, severity: float, now: float) -> int:
        """Take how bad it is at ``now`` (s); 1 for a step more, -1 for one less, 0 for none."""
        if self._pushed_at is not None and now - self._pushed_at > self._pace.max_gap_s:
            self._bad_since = self._good_since = None
        self._pushed_at = now
        bad = self._level < len(self._rungs) and severity >= self._rungs[self._level].enter
        good = self._level > 0 and severity < self._rungs[self._level - 1].leave
        self._bad_since = _since(self._bad_since, now, lasts=bad)
        self._good_since = _since(self._good_since, now, lasts=good)
        if self._bad_since is not None and now - self._bad_since >= self._pace.up_s:
            return self._rise(now)
        if self._good_since is not None and now - self._good_since >= self._down_s:
            return self._relieve(now)
        return 0

    def _rise(self, now: float) -> int:
        if self._relieved_at is not None:
            relapse = now - self._relieved_at < self._pace.max_down_s
            doubled_s = min(2.0 * self._down_s, self._pace.max_down_s)
            self._down_s = doubled_s if relapse else self._pace.down_s
        self._relieved_at = None
        self._level += 1
        self._bad_since = None
        return 1

    def _relieve(self, now: float) -> int:
        self._relieved_at = now
        self._level -= 1
        self._good_since = None
        return -1


def _since(before: float | None, now: float, *, lasts: bool) -> float | None:
    if not lasts:
        return None
    return now if before is None else before

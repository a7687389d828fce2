"""Who was put out of a room, and may not come back for a while."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

KEPT_OUT_S = 60.0

MAX_MARKS = 1_000
"""Of one room. The one that was set longest ago makes room, and would have ended first anyway."""


@dataclass(slots=True)
class Exclusions:
    """Marks of those who are kept out of one room, each for ``lasts_s`` seconds.

    A mark is any text by which somebody is known again.
    """

    lasts_s: float = KEPT_OUT_S
    _until: dict[str, float] = field(default_factory=dict)
    """In the order of their ends."""

    def __len__(self) -> int:
        return len(self._until)

    def add(self, marks: Iterable[str], now: float) -> None:
        """Keep out whoever has one of these marks."""
        self.expire(now)
        for mark in marks:
            self._until.pop(mark, None)
            self._until[mark] = now + self.lasts_s
        while len(self._until) > MAX_MARKS:
            del self._until[next(iter(self._until))]

    def remaining_s(self, marks: Iterable[str], now: float) -> float:
        """For how long whoever has these marks is still kept out; 0 for those who are not."""
        return max((self._until.get(mark, now) - now for mark in marks), default=0.0)

    def expire(self, now: float) -> None:
        """Forget those that have ended."""
        for mark in [mark for mark, until in self._until.items() if until <= now]:
            del self._until[mark]

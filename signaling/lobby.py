"""Sockets whose client has not said yet who it is: few, and never so many that none can come in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class Waiting:
    """One of them; ``put_out`` ends its connection at once."""

    address: str
    put_out: Callable[[], None]


@dataclass(slots=True)
class Lobby:
    """Those who wait. Where all places are taken, whoever comes gets that of another one.

    It is taken from the address that has most, and there from the one that has waited longest. So
    nobody without a key keeps those out who have one, however many connections they hold open.
    """

    places: int
    _waiting: dict[Waiting, None] = field(default_factory=dict)
    """In the order of their coming."""

    def __len__(self) -> int:
        return len(self._waiting)

    def enter(self, one: Waiting) -> None:
        """Let somebody wait."""
        while len(self._waiting) >= self.places:
            held = Counter(other.address for other in self._waiting)
            most = max(held.values())
            longest = next(other for other in self._waiting if held[other.address] == most)
            self.leave(longest)
            longest.put_out()
        self._waiting[one] = None

    def leave(self, one: Waiting) -> None:
        """They have said who they are, or have gone; harmless when they have left already."""
        self._waiting.pop(one, None)

"""All that testers have told, and what of it belongs to a stretch of time."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias, assert_never

from loadtests.wire import Event, Loaded, Ready, Said, Second, Timed, Trouble


@dataclass(frozen=True, slots=True)
class TesterSecond:
    """A second of one tester."""

    tester: int
    at_s: float
    cpu_s: float
    late_ms: array[float]


@dataclass(frozen=True, slots=True)
class Gaps:
    """Times between the packets that came to one user in a second."""

    user: str
    at_s: float
    gaps_ms: array[float]


Chooses: TypeAlias = Callable[[str], bool]
"""Whether a user is one of those who are asked for, by name."""


@dataclass
class Journal:
    """Grows with what is told; hours of it are some tens of MB."""

    pids: dict[int, int] = field(default_factory=dict)
    ready_s: dict[str, float] = field(default_factory=dict)
    """When each user was ready for the first time."""
    said: list[Said] = field(default_factory=list)
    timed: list[Timed] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)
    seconds: list[TesterSecond] = field(default_factory=list)
    gaps: list[Gaps] = field(default_factory=list)
    unstamped: int = 0

    def take(self, tester: int, event: Event) -> None:
        """Note what a tester told."""
        match event:
            case Loaded(pid=pid):
                self.pids[tester] = pid
            case Ready(user=user, at_s=at_s):
                self.ready_s.setdefault(user, at_s)
            case Said():
                self.said.append(event)
            case Timed():
                self.timed.append(event)
            case Trouble():
                self.troubles.append(event)
            case Second():
                self._take_second(tester, event)
            case _:
                assert_never(event)

    def _take_second(self, tester: int, second: Second) -> None:
        late_ms = array("f", second.late_ms)
        self.seconds.append(TesterSecond(tester, second.at_s, second.cpu_s, late_ms))
        for user, gaps_ms in second.gaps_ms.items():
            if gaps_ms:
                self.gaps.append(Gaps(user, second.at_s, array("f", gaps_ms)))
        self.unstamped = max(self.unstamped, second.unstamped)

    def between(self, began_s: float, until_s: float) -> Journal:
        """What happened in a stretch of time; a text by its end."""

        def within(at_s: float) -> bool:
            return began_s <= at_s <= until_s

        return Journal(
            pids=self.pids,
            ready_s=self.ready_s,
            said=[one for one in self.said if within(one.done_s)],
            timed=[one for one in self.timed if within(one.at_s)],
            troubles=[one for one in self.troubles if within(one.at_s)],
            seconds=[one for one in self.seconds if within(one.at_s)],
            gaps=[one for one in self.gaps if within(one.at_s)],
            unstamped=self.unstamped,
        )

    def gaps_ms(self, chooses: Chooses = lambda user: True) -> list[float]:
        """All times between packets, of the users who are chosen."""
        return [gap for one in self.gaps if chooses(one.user) for gap in one.gaps_ms]

    def users(self) -> Iterator[str]:
        """All who were ready at some time."""
        yield from self.ready_s

    def codes(self) -> dict[str, int]:
        """How often each kind of trouble happened."""
        return dict(Counter(one.code for one in self.troubles).most_common())

"""Which rooms are at this service and which at others: pure, one a service.

What a common directory says is good until its claims expire; while that cannot be asked, everything
stays as it is, and new rooms are opened here.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TypeAlias

from voicepeer.core.placement import RoomKey

MAX_ELSEWHERE = 10_000
"""Rooms of others that are remembered; the one that was heard of longest ago makes room."""


@dataclass(frozen=True, slots=True)
class Here:
    """The room is at this service."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The room is at another one."""

    url: str


Whereabouts: TypeAlias = Here | Elsewhere


@dataclass(frozen=True, slots=True)
class Beat:
    """What the directory is to be told now."""

    claim: tuple[RoomKey, ...]
    """Rooms in which somebody is here: again, so that they do not expire."""
    release: tuple[RoomKey, ...]
    """Rooms in which nobody is any more."""


@dataclass(slots=True)
class Claims:
    """What one service knows of rooms; ``ttl_s`` is how long a claim is good.

    Times are seconds of any clock that does not go back.
    """

    ttl_s: float
    _ours: dict[RoomKey, float] = field(default_factory=dict)
    """Until when the claim is good; it was made here, with the directory or without it."""
    _elsewhere: dict[RoomKey, tuple[str, float]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._ours)

    @property
    def ours(self) -> Collection[RoomKey]:
        """Rooms that are here, as far as is known."""
        return self._ours.keys()

    def known(self, room: RoomKey, now: float) -> Whereabouts | None:
        """Where a room is, if the directory need not be asked for that."""
        if self._ours.get(room, now) > now:
            return Here()
        return None

    def without_directory(self, room: RoomKey, now: float) -> Whereabouts:
        """Where a room is, by what was known last; a new one is opened here.

        Somebody else's claim counts for as long as it would have been good.
        """
        url, until_s = self._elsewhere.get(room, ("", now))
        if room not in self._ours and until_s > now:
            return Elsewhere(url)
        self._ours[room] = now + self.ttl_s
        return Here()

    def told(self, room: RoomKey, owner: str | None, now: float) -> Whereabouts:
        """The directory has said whose a room is: ``None`` is ours, others are by their URL.

        One that was ours as well, because it was opened while the directory was lost, is theirs
        from now on. Who is in it here stays.
        """
        self._elsewhere.pop(room, None)
        if owner is None:
            self._ours[room] = now + self.ttl_s
            return Here()
        self._ours.pop(room, None)
        while len(self._elsewhere) >= MAX_ELSEWHERE:
            del self._elsewhere[next(iter(self._elsewhere))]
        self._elsewhere[room] = owner, now + self.ttl_s
        return Elsewhere(owner)

    def beat(self, in_use: Collection[RoomKey], now: float) -> Beat:
        """What is to be said at ``now``; ``in_use`` are rooms in which somebody is here.

        A room that was claimed a moment ago may be about to be entered.
        """
        fresh_s = now + self.ttl_s / 2
        ended = [
            room for room, until_s in self._ours.items() if room not in in_use and until_s < fresh_s
        ]
        for room in ended:
            del self._ours[room]
        # All of them: one that is somebody else's may have been given up there.
        return Beat(tuple(in_use), tuple(ended))

    def close(self) -> tuple[RoomKey, ...]:
        """Give up all that is ours; gives what is to be released."""
        ours = tuple(self._ours)
        self._ours.clear()
        return ours

"""Which of a room's participants one listener hears, when they can hear only so many at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """One who can be heard; ``spoke_at`` is when they last spoke, ``None`` if they never did."""

    participant_id: str
    speaking: bool = False
    spoke_at: float | None = None


class Sources:
    """Those who can be heard in a room, ranked once for all who listen there.

    Args:
        sources: in the order of their coming.
    """

    def __init__(self, sources: Iterable[Source]) -> None:
        self.known = {source.participant_id: source for source in sources}
        self.ranked = sorted(
            self.known.values(), key=lambda one: (not one.speaking, -_recency(one))
        )
        """Those who speak first, and before others whoever spoke last."""


class Slots:
    """The places of one listener, each with the id of one participant or none.

    Whoever has a place keeps it, so that nobody's voice jumps between players, until they are gone
    or until somebody speaks who has none: then the place goes of whoever has been silent longest.
    Of those who speak nobody is replaced.
    """

    def __init__(self, count: int) -> None:
        self._held: list[str | None] = [None] * count

    @property
    def held(self) -> tuple[str | None, ...]:
        """Who is in each place."""
        return tuple(self._held)

    def resize(self, count: int) -> None:
        """Have so many places from now on; those that go are the last ones."""
        self._held = (self._held + [None] * count)[:count]

    def assign(self, sources: Sources, listener: str = "") -> list[int]:
        """Give places to those who can be heard, but for the listener.

        Takes no longer in a large room than in a small one. Returns the indices of the places that
        have changed.
        """
        known = sources.known
        before = list(self._held)
        self._held = [one if one in known else None for one in before]
        for source in sources.ranked:
            free = None in self._held
            if not free and not source.speaking:
                break  # nor do those who follow
            if source.participant_id in self._held or source.participant_id == listener:
                continue
            place = self._free_place() if free else self._place_for(source, known)
            if place is not None:
                self._held[place] = source.participant_id
        pairs = zip(before, self._held, strict=True)
        return [place for place, (was, now) in enumerate(pairs) if was != now]

    def _free_place(self) -> int:
        return self._held.index(None)

    def _place_for(self, source: Source, known: dict[str, Source]) -> int | None:
        if not source.speaking:
            return None
        held = ((place, known[one]) for place, one in enumerate(self._held) if one is not None)
        silent = [(_recency(one), place) for place, one in held if not one.speaking]
        return min(silent)[1] if silent else None


def _recency(source: Source) -> float:
    return float("-inf") if source.spoke_at is None else source.spoke_at

"""Open connections, bounded in all and for each address. Knows no sockets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

SHARED = ""
"""The address of those who come through a proxy of ours: it is bounded only in all."""


class Crowded(Exception):  # noqa: N818 - no error of the service's
    """There is no place for one more connection, and none that could be taken from another."""


@dataclass(slots=True, eq=False)
class Guest:
    """One connection; ``put_out`` ends it at once."""

    address: str
    put_out: Callable[[], None]


@dataclass(slots=True)
class Crowd:
    """All open connections. At most ``places`` are there, and ``per_address`` of each address.

    Where no place is left, whoever comes gets that of a connection that nobody uses, which is one
    without a request at the time, or with one that has not come to its end: of the same address
    where that has too many, else of the address that has most, and there the one that has been
    unused for longest. What comes of a request counts as use, for a moment.
    """

    places: int
    per_address: int
    _all: set[Guest] = field(default_factory=set)
    _held: Counter[str] = field(default_factory=Counter)
    """How many each address has."""
    _unused: dict[Guest, None] = field(default_factory=dict)
    """Since they were last used, or something came of a body; the longest first."""

    def __len__(self) -> int:
        return len(self._all)

    def enter(self, guest: Guest) -> None:
        """Let a connection in, unused at first.

        Raises:
            Crowded: all are in use.
        """
        if guest.address != SHARED and self._held[guest.address] >= self.per_address:
            self._put_out(guest.address)
        elif len(self) >= self.places:
            addresses = {one.address for one in self._unused}
            self._put_out(max(addresses, key=self._held.__getitem__, default=None))
        self._all.add(guest)
        self._held[guest.address] += 1
        self._unused[guest] = None

    def _put_out(self, address: str | None) -> None:
        unused = (one for one in self._unused if one.address == address)
        longest = next(unused, None)
        if longest is None:
            raise Crowded
        self.leave(longest)
        longest.put_out()

    def use(self, guest: Guest) -> None:
        """A request has come over it to its end: nobody takes its place until it is done."""
        self._unused.pop(guest, None)

    def progress(self, guest: Guest) -> None:
        """A part of a request has come over it: of those unused it is the last to go."""
        if guest in self._unused:
            del self._unused[guest]
            self._unused[guest] = None

    def rest(self, guest: Guest) -> None:
        """The request is done; harmless for one that has left."""
        if guest in self._all:
            self._unused.pop(guest, None)
            self._unused[guest] = None

    def leave(self, guest: Guest) -> None:
        """It is closed; harmless when it has left already."""
        if guest not in self._all:
            return
        self._all.remove(guest)
        self._unused.pop(guest, None)
        self._held[guest.address] -= 1
        if not self._held[guest.address]:
            del self._held[guest.address]

"""Places that one key cannot take all of: the last ones are for others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

PER_FREE = 3
"""How many places a key may have for each that would stay free. So one alone gets three quarters,
and each that comes later as much of what is left (Choudhury and Hahne's dynamic thresholds, 1998).
"""


class OthersAreWaiting(Exception):  # noqa: N818 - no error of the service's
    """The places that are left are for other keys."""


class AllTaken(Exception):  # noqa: N818 - as above
    """There is no place for anybody."""


@dataclass(slots=True)
class Shares:
    """Places, and who has them.

    ``shared`` is whether there are several keys; a single one may have all places.
    """

    places: int
    shared: bool = True
    _having: Counter[str] = field(default_factory=Counter)

    @property
    def free(self) -> int:
        """Places that nobody has."""
        return self.places - self._having.total()

    def take(self, tenant: str) -> None:
        """Have one place more, until ``give_back``.

        Raises:
            AllTaken: there is none.
            OthersAreWaiting: there is, but not for this key.
        """
        if self.free <= 0:
            raise AllTaken
        if not may_have_more(self._having[tenant], self.free, shared=self.shared):
            raise OthersAreWaiting
        self._having[tenant] += 1

    def give_back(self, tenant: str) -> None:
        """Have one place less."""
        self._having[tenant] -= 1
        if not self._having[tenant]:
            del self._having[tenant]


def may_have_more(having: int, free: int, *, shared: bool) -> bool:
    """Whether a key that has ``having`` places may have one of the ``free`` ones."""
    return free > 0 and (not shared or having < PER_FREE * free)

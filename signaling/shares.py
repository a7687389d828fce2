"""Places that one or two keys cannot take all of: the last ones are for those that have none."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

PER_FREE = 3
"""How many places a key may have for each that would stay free. So one alone gets three quarters,
and each that comes later as much of what is left (Choudhury and Hahne's dynamic thresholds, 1998).
"""

MIN_LEFT = 2
LEFT_OF = 8
"""Two places, or an eighth of them where that is more, are for keys that have none yet, as long as
there are such: what is left by the rule above, the next two keys would take to the last."""


class OthersAreWaiting(Exception):  # noqa: N818 - no error of the service's
    """The places that are left are for other keys."""


class AllTaken(Exception):  # noqa: N818 - as above
    """There is no place for anybody."""


@dataclass(slots=True)
class Shares:
    """Places, and who has them; of ``tenants``, as there are keys, a single one may have all."""

    places: int
    tenants: int = 1
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
        idle = self.tenants - len(self._having)
        if not may_have_more(self._having[tenant], self.free, self.places, self.tenants, idle):
            raise OthersAreWaiting
        self._having[tenant] += 1

    def give_back(self, tenant: str) -> None:
        """Have one place less."""
        self._having[tenant] -= 1
        if not self._having[tenant]:
            del self._having[tenant]


def may_have_more(having: int, free: int, places: int, tenants: int, idle: int) -> bool:
    """Whether a key that has ``having`` of ``places`` may have one of the ``free`` ones.

    Of all ``tenants``, ``idle`` have none.
    """
    if having == 0 or tenants < 2:
        return free > 0
    left = min(max(MIN_LEFT, places // LEFT_OF), idle)
    return free > left and having < PER_FREE * free

"""How long to wait before each attempt to come back to something that was lost."""

from __future__ import annotations

import random


class Backoff:
    """Waits that double, each less a random part, until it has taken too long.

    The random part keeps those who have lost one server together from coming back together.

    Args:
        first_s: the longest that the first wait may be.
        longest_s: the same for each of the later ones.
        give_up_s: after this since ``now`` there is no reason to try any more.
        jitter: share of a wait that is left to chance, 0 to 1.
    """

    def __init__(
        self,
        first_s: float,
        longest_s: float,
        give_up_s: float,
        now: float,
        jitter: float = 0.5,
        seed: int | None = None,
    ) -> None:
        self._next_s = first_s
        self._longest_s = longest_s
        self._until = now + give_up_s
        self._jitter = jitter
        self._chance = random.Random(seed)

    def wait_s(self, now: float) -> float | None:
        """How long to wait before the next attempt, ``None`` to give up."""
        if now > self._until:
            return None
        wait_s = self._next_s * (1.0 - self._jitter * self._chance.random())
        self._next_s = min(2 * self._next_s, self._longest_s)
        return wait_s

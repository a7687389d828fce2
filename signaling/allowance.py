"""How many messages a client may send: a token bucket on the caller's clock."""

from __future__ import annotations


class Allowance:
    """``burst`` tokens at first, refilled at ``per_s`` a second up to ``burst``."""

    def __init__(self, burst: int, per_s: float) -> None:
        self._burst = float(burst)
        self._per_s = per_s
        self._tokens = float(burst)
        self._at: float | None = None

    def take(self, now: float) -> bool:
        """Use one token at ``now`` seconds; ``False`` when none is left."""
        elapsed_s = 0.0 if self._at is None else max(0.0, now - self._at)
        self._at = now
        self._tokens = min(self._burst, self._tokens + elapsed_s * self._per_s)
        if self._tokens < 1.0:
            return False
        self._tokens -= 1.0
        return True

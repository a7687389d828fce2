"""Tells a worker that is stuck from one that has nothing to do: pure, time is an argument."""

from __future__ import annotations


class Watchdog:
    """Counts what a worker owes, and since when nothing of it has come.

    Any answer counts for all that is owed: whoever serves many in turn is slow, not stuck.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._owed: dict[int, int] = {}
        self._since = 0.0

    def owe(self, key: int, answers: int, now: float) -> None:
        """The worker has to give so many more answers to ``key``."""
        if not any(self._owed.values()):
            self._since = now
        self._owed[key] = self._owed.get(key, 0) + answers

    def paid(self, key: int, now: float) -> None:
        """One answer came."""
        self._since = now
        if self._owed.get(key, 0) > 0:
            self._owed[key] -= 1

    def settle(self, key: int, now: float) -> None:
        """Nothing more is owed to ``key``; one that was owed nothing ever is ignored."""
        if self._owed.pop(key, None) is not None:
            self._since = now

    def excuse(self, now: float) -> None:
        """Begin to wait anew, because it was us who did not look."""
        self._since = now

    def forget(self) -> None:
        """The worker is gone, and all its debts with it."""
        self._owed.clear()

    def late(self, now: float) -> bool:
        """Whether something is owed and nothing came for longer than the limit."""
        return now - self._since > self._limit_s and any(self._owed.values())

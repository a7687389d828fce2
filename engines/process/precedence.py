"""In the worker: whether speech is so urgent that everything else should wait for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

_LOOK_S = 0.05


class Precedence:
    """What the speaking thread says of its hurry, and others wait for."""

    def __init__(self) -> None:
        self._free = threading.Event()
        self._free.set()
        self._lock = threading.Lock()
        self._eager = 0

    def claim(self, urgent: bool) -> None:
        """Tell whether some listener needs the next chunk soon."""
        if urgent:
            self._free.clear()
        else:
            self._free.set()

    def hasten(self) -> None:
        """Somebody waits for a job in the background: those before it are in a hurry, too."""
        with self._lock:
            self._eager += 1

    def calm(self) -> None:
        """That job is done."""
        with self._lock:
            self._eager -= 1

    @property
    def hurried(self) -> bool:
        """Whether somebody waits for a job in the background."""
        return self._eager > 0

    def wait(self, most_s: Callable[[], float]) -> float:
        """Wait until speech is not urgent, at most so long as asked for anew; how long it was."""
        began_s = time.monotonic()
        while True:
            waited_s = time.monotonic() - began_s
            left_s = most_s() - waited_s
            if left_s <= 0.0 or self._free.wait(min(left_s, _LOOK_S)):
                return waited_s


@dataclass(frozen=True, slots=True)
class Limit:
    """How long a job may wait before each run of a model, and in all (s).

    All together stays far below what the host takes for stuck.
    """

    each_s: float
    all_s: float


HURRIED = Limit(0.3, 3.0)
"""Of a job that somebody waits for."""

PATIENT = Limit(5.0, 20.0)
"""Of one that nobody waits for: under a load that never pauses it is done all the same."""


class Patience:
    """How long one job has let speech go first, and still may."""

    def __init__(self, precedence: Precedence, limit: Limit) -> None:
        """Take the limit while nobody waits for a job; else ``HURRIED`` counts."""
        self._precedence, self._limit = precedence, limit
        self._waited_s = 0.0

    def wait(self) -> None:
        """Let speech go first once more."""
        self._waited_s += self._precedence.wait(self._most_s)

    def _most_s(self) -> float:
        limit = HURRIED if self._precedence.hurried else self._limit
        return min(limit.each_s, limit.all_s - self._waited_s)

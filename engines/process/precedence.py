"""In the worker: whether speech is so urgent that everything else should wait for a while."""

from __future__ import annotations

import threading
import time

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

    def wait(self, patience_s: float, hasty_s: float) -> None:
        """Wait until speech is not urgent, at most so long.

        ``hasty_s`` is the most while somebody waits for a job; both count from the beginning.
        """
        began_s = time.monotonic()
        while True:
            most_s = hasty_s if self._eager else patience_s
            left_s = began_s + most_s - time.monotonic()
            if left_s <= 0.0 or self._free.wait(min(left_s, _LOOK_S)):
                return

"""Wakes everybody who waits for the same moment together, and always in the same order.

Tracks are due on one grid. Timers of their own would wake them in another order each time, so that
packets of one track left up to a few milliseconds unevenly; and ten timers cost more than one.
"""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

_RESOLUTION_S = 1e-5
"""Moments so close are one: multiples of 20 ms are no exact numbers."""

_metronomes: WeakKeyDictionary[asyncio.AbstractEventLoop, Metronome] = WeakKeyDictionary()


class Metronome:
    """The moments that tasks of one event loop wait for."""

    def __init__(self) -> None:
        self._waiting: dict[int, list[tuple[int, asyncio.Future[None]]]] = {}

    @classmethod
    def of_loop(cls) -> Metronome:
        """The one of the running loop."""
        loop = asyncio.get_running_loop()
        if loop not in _metronomes:
            _metronomes[loop] = cls()
        return _metronomes[loop]

    async def until(self, moment_s: float, rank: int) -> None:
        """Wait until a moment of the loop's clock; the lowest rank goes on first."""
        loop, key = asyncio.get_running_loop(), round(moment_s / _RESOLUTION_S)
        if key not in self._waiting:
            self._waiting[key] = []
            loop.call_at(moment_s, self._ring, key)
        reached = loop.create_future()
        self._waiting[key].append((rank, reached))
        await reached

    def _ring(self, key: int) -> None:
        for _, reached in sorted(self._waiting.pop(key), key=lambda one: one[0]):
            if not reached.done():
                reached.set_result(None)

"""The one end of a session, however many reasons there are for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class Ending:
    """Begins once, for the first reason that is given; then nothing stops it.

    Args:
        work: frees everything; awaited with the reason.
    """

    def __init__(self, work: Callable[[str], Awaitable[None]]) -> None:
        self._work = work
        self._task: asyncio.Task[None] | None = None
        self._reached_for: str | None = None
        self._waiting: list[Callable[[str], None]] = []

    @property
    def begun(self) -> bool:
        """Whether it has begun, or been reached already."""
        return self._task is not None

    def begin(self, reason: str) -> None:
        """End for this reason, unless there was one before."""
        if self._task is None:
            self._task = asyncio.create_task(self._run(reason), name="session close")

    async def reach(self, reason: str) -> None:
        """The same, and wait until everything is free; goes on also if who waits is cancelled."""
        self.begin(reason)
        if self._task is not None:
            await asyncio.shield(self._task)

    def on_reached(self, callback: Callable[[str], None]) -> None:
        """Call back once, with the reason, when everything is free; at once if it is."""
        if self._reached_for is not None:
            callback(self._reached_for)
        else:
            self._waiting.append(callback)

    async def _run(self, reason: str) -> None:
        await self._work(reason)
        self._reached_for = reason
        waiting, self._waiting = self._waiting, []
        for callback in waiting:
            callback(reason)

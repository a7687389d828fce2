"""Tasks that end together: those of a session, which cannot go on without one, and others."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any

logger = logging.getLogger(__name__)


class Tasks:
    """Tasks that run until they are cancelled together; ``name`` tells in logs whose they are."""

    def __init__(self, name: str, on_failure: Callable[[], None]) -> None:
        self._name = name
        self._on_failure = on_failure
        self._running: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None], what: str) -> None:
        """Run ``work`` beside the others."""
        self._running.add(asyncio.create_task(self._supervise(work, what), name=f"session {what}"))

    async def cancel(self) -> None:
        """End all of them, and wait until they have."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _supervise(self, work: Coroutine[Any, Any, None], what: str) -> None:
        try:
            await work
        except Exception:  # the edge of a task
            logger.exception("%s: its %s failed", self._name, what)
            self._on_failure()


@asynccontextmanager
async def beside(works: Mapping[str, Coroutine[Any, Any, None]]) -> AsyncIterator[None]:
    """Do some works, by their names, beside what is within; then cancel them and wait for that."""
    tasks = [asyncio.create_task(work, name=name) for name, work in works.items()]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

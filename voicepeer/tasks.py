"""The tasks of one session: if one fails, the whole cannot go on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
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

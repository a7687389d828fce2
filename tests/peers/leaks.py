"""Checks that a test leaves no task, thread or file descriptor behind."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

SETTLE_S = 3.0


@dataclass(frozen=True, slots=True)
class Resources:
    """What this process holds at one moment."""

    tasks: frozenset[asyncio.Task[object]]
    threads: frozenset[threading.Thread]
    fds: frozenset[int]

    @classmethod
    def now(cls) -> Resources:
        """Take stock."""
        return cls(
            frozenset(asyncio.all_tasks()),
            frozenset(threading.enumerate()),
            frozenset(int(name) for name in os.listdir("/proc/self/fd")),
        )

    def since(self, before: Resources) -> list[str]:
        """What is new, in words; the default executor's idle threads are not counted."""
        found = [f"task {task.get_name()} {task.get_coro()}" for task in self.tasks - before.tasks]
        found += [
            f"thread {thread.name}"
            for thread in self.threads - before.threads
            if not thread.name.startswith("asyncio_")
        ]
        grown = len(self.fds) - len(before.fds)
        return found + ([f"{grown} file descriptors"] if grown > 0 else [])


@asynccontextmanager
async def nothing_left_behind() -> AsyncIterator[None]:
    """Fail if what was started inside is still there some time after the end."""
    before = Resources.now()
    yield
    deadline = time.monotonic() + SETTLE_S
    while left := Resources.now().since(before):
        if time.monotonic() > deadline:
            raise AssertionError(f"left behind: {'; '.join(left)}")
        gc.collect()
        await asyncio.sleep(0.02)

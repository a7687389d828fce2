"""Checks that a test leaves no task, thread, file descriptor or pile of memory behind."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

SETTLE_S = 20.0
"""Only what is left behind is waited for so long."""

GROWTH_MAX_MB = 150
"""Of a single test: above what first imports and thread pools take, below what a queue that
nobody reads comes to. Slow leaks are for ``steady_memory``."""

_PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 1e6


@dataclass(frozen=True, slots=True)
class Resources:
    """What this process holds at one moment."""

    tasks: frozenset[asyncio.Task[object]]
    threads: frozenset[threading.Thread]
    fds: frozenset[int]
    rss_mb: float

    @classmethod
    def now(cls) -> Resources:
        """Take stock."""
        return cls(
            frozenset(task for task in asyncio.all_tasks() if task is not asyncio.current_task()),
            frozenset(threading.enumerate()),
            frozenset(int(name) for name in os.listdir("/proc/self/fd")),
            rss_mb(),
        )

    def since(self, before: Resources) -> list[str]:
        """What is new, in words.

        Not counted are the default executor's idle threads, and those of native libraries, which
        Python only knows once they have called it and which last as long as the process.
        """
        found = [f"task {task.get_name()} {task.get_coro()}" for task in self.tasks - before.tasks]
        found += [
            f"thread {thread.name}"
            for thread in self.threads - before.threads
            if not thread.name.startswith(("asyncio_", "Dummy-"))
        ]
        if (grown := len(self.fds) - len(before.fds)) > 0:
            found.append(f"{grown} file descriptors")
        if (grown_mb := self.rss_mb - before.rss_mb) > GROWTH_MAX_MB:
            found.append(f"{grown_mb:.0f} MB of memory")
        return found


def rss_mb() -> float:
    """Resident memory of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * _PAGE_MB


@asynccontextmanager
async def nothing_left_behind() -> AsyncIterator[None]:
    """Fail if what was started inside is still there some time after the end."""
    before = Resources.now()
    yield
    if left := await left_since(before):
        raise AssertionError(f"left behind: {'; '.join(left)}")


async def left_since(before: Resources) -> list[str]:
    """What is still new when all has had time to end, in words."""
    deadline = time.monotonic() + SETTLE_S
    while (left := Resources.now().since(before)) and time.monotonic() <= deadline:
        gc.collect()
        await asyncio.sleep(0.02)
    return left


async def steady_memory(
    once: Callable[[], Awaitable[None]], rounds: int, growth_max_mb: float, warm_up: int = 3
) -> float:
    """Do something again and again; fail if memory grows by more than so much after warming up.

    Gives the growth in MB.
    """
    for _ in range(warm_up):
        await once()
    gc.collect()
    before_mb = rss_mb()
    for _ in range(rounds):
        await once()
    gc.collect()
    grown_mb = rss_mb() - before_mb
    if grown_mb > growth_max_mb:
        raise AssertionError(f"{grown_mb:.1f} MB more after {rounds} rounds")
    return grown_mb

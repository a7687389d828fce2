"""How late the listener itself is: where that is much, its figures are not the peers'."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

LOOK_S: Final = 0.05


@asynccontextmanager
async def watching() -> AsyncIterator[list[float]]:
    """By how many ms this loop woke up too late, 20 times a second while the block lasts."""
    late_ms: list[float] = []

    async def watch() -> None:
        while True:
            due_s = time.monotonic() + LOOK_S
            await asyncio.sleep(LOOK_S)
            late_ms.append((time.monotonic() - due_s) * 1000)

    task = asyncio.create_task(watch(), name="lateness")
    try:
        yield late_ms
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

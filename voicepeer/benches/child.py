"""A module of ours in a process of its own, which answers on standard output what it is asked."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def child(module: str, *arguments: str, limit: int) -> AsyncIterator[Process]:
    """Run ``python -m module`` for a while; it has to end with its standard input.

    ``limit`` is how many bytes a line of its answers may have.
    """
    command = (sys.executable, "-m", module, *arguments)
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, limit=limit)
    try:
        yield process
    finally:
        if process.stdin is not None:
            process.stdin.close()
        await process.communicate()

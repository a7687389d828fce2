"""``voicepeer bot`` as a process of its own, with the JSON that it prints."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

LIMIT_S = 90.0


@asynccontextmanager
async def bot(*arguments: str, **environ: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """The command at work; killed at the end, or when it takes too long."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "voicepeer", "bot", "--json", *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=os.environ | environ,
    )
    try:
        async with asyncio.timeout(LIMIT_S):
            yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def event(process: asyncio.subprocess.Process) -> Any:  # noqa: ANN401 - JSON
    """The next that it tells; fails with its complaint where it has ended."""
    assert process.stdout is not None
    line = await process.stdout.readline()
    assert line, (await process.communicate())[1].decode()
    return json.loads(line)


async def rest(process: asyncio.subprocess.Process) -> tuple[list[Any], str]:
    """What else it tells, and what it complains of, once it has ended."""
    out, err = await process.communicate()
    return [json.loads(line) for line in out.splitlines()], err.decode()

"""A service in a process of its own that ends with whoever started it; for demos and tests."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import msgspec

from voicepeer.core.errors import VoicePeerError

STOP_TIMEOUT_S = 20.0
LOG_LINES = 20
MAX_LINE_BYTES = 64 * 1024


class ServiceFailed(VoicePeerError):
    """The service ended before it was ready; the message is its own."""

    code = "service_failed"


class Announcement(msgspec.Struct, frozen=True):
    """A line of ``voicepeer serve --json``."""

    name: str
    url: str
    engine: str
    provider: str
    precision: str
    load_s: float


@dataclass(frozen=True, slots=True)
class ChildService:
    """A running service that is ready for sessions."""

    pid: int
    ready: Announcement


@asynccontextmanager
async def running_service(
    arguments: Sequence[str], log: Callable[[str], None] = lambda line: None
) -> AsyncIterator[ChildService]:
    """Run ``voicepeer serve`` on a free port until the block ends; it is gone afterwards.

    Args:
        arguments: more options of ``serve``.
        log: called with every line that the service logs.

    Raises:
        ServiceFailed: it did not get ready.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "voicepeer", "serve"),
        *("--port", "0", "--json", "--stop-on-eof", *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=MAX_LINE_BYTES,
        # Ctrl-C is for whoever started it, who then ends the service in its own time.
        start_new_session=True,
    )
    last_lines: deque[str] = deque(maxlen=LOG_LINES)
    reader = asyncio.create_task(_read_log(process, last_lines, log), name="service log")
    try:
        ready = await _until_ready(process)
        if ready is None:
            await reader
            raise ServiceFailed(_own_words(last_lines))
        yield ChildService(process.pid, ready)
    finally:
        await stop(process, STOP_TIMEOUT_S)
        await reader


async def _until_ready(process: asyncio.subprocess.Process) -> Announcement | None:
    """What the service announces when it is ready, or ``None`` when it ends before."""
    assert process.stdout is not None
    while line := await process.stdout.readline():
        announced = msgspec.json.decode(line, type=Announcement)
        if announced.name == "ready":
            return announced
    return None


async def _read_log(
    process: asyncio.subprocess.Process, last_lines: deque[str], log: Callable[[str], None]
) -> None:
    assert process.stderr is not None
    while line := await process.stderr.readline():
        text = line.decode(errors="replace").rstrip()
        last_lines.append(text)
        log(text)


async def stop(process: asyncio.subprocess.Process, timeout_s: float) -> None:
    """Close the input of a process that ends with it, and kill it if it takes too long."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        async with asyncio.timeout(timeout_s):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _own_words(lines: Sequence[str]) -> str:
    """The one line in which the service said why it ended, or else the end of its log."""
    prefix = "voicepeer: "
    reasons = [line.removeprefix(prefix) for line in lines if line.startswith(prefix)]
    return reasons[-1] if reasons else "the service ended at once: " + " | ".join(lines)

"""A bot in a process of its own, with what it tells, ended with whoever started it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

from loadtests.peers.install import PeerUnavailable
from loadtests.peers.protocol import BadLine, Command, Event, Failed, Ready, decode_event, encode

EventT = TypeVar("EventT", bound=Event)

READY_TIMEOUT_S = 180.0
STOP_TIMEOUT_S = 10.0
MAX_LINE_BYTES = 64 * 1024 * 1024
"""A long text at once is some megabytes of samples."""

_SHOWN_LINES = 6


class BotProcess:
    """A running bot; ``events`` is everything that it told and nobody has taken yet."""

    def __init__(self, name: str, process: asyncio.subprocess.Process) -> None:
        self.name = name
        self.ready: Ready
        self._process = process
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._log: deque[str] = deque(maxlen=_SHOWN_LINES)
        self._tasks = [
            asyncio.create_task(self._read_events(), name=f"events of {name}"),
            asyncio.create_task(self._read_log(), name=f"log of {name}"),
        ]

    @property
    def pid(self) -> int:
        """Of the process at the root of its tree."""
        return self._process.pid

    def send(self, command: Command) -> None:
        """Tell it to do something."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{encode(command)}\n".encode())

    async def next_event(self, timeout_s: float) -> Event:
        """The next thing that it tells.

        Raises:
            PeerUnavailable: it failed or has ended, or told nothing in time.
        """
        try:
            async with asyncio.timeout(timeout_s):
                event = await self._events.get()
        except TimeoutError:
            raise self._unavailable("it said nothing in time") from None
        if event is None:
            self._events.put_nowait(None)
            raise self._unavailable("it has ended")
        if isinstance(event, Failed):
            raise self._unavailable(event.reason)
        return event

    def take(self, kind: type[EventT]) -> list[EventT]:
        """What it has told of a kind so far, and nobody has taken."""
        waiting = [self._events.get_nowait() for _ in range(self._events.qsize())]
        for event in waiting:
            if not isinstance(event, kind):
                self._events.put_nowait(event)
        return [event for event in waiting if isinstance(event, kind)]

    async def stop(self) -> None:
        """End it with all that it started; harmless when it has ended already."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(STOP_TIMEOUT_S):
                await self._process.wait()
        except TimeoutError:
            pass
        finally:
            # Its session is its own. Whom it leaves behind would keep its pipes open for ever.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()
        await asyncio.gather(*self._tasks)

    async def _read_events(self) -> None:
        assert self._process.stdout is not None
        try:
            while line := await self._process.stdout.readline():
                self._events.put_nowait(decode_event(line))
        except (BadLine, ValueError) as error:
            self._events.put_nowait(Failed(f"it said what is not understood: {error}"))
        self._events.put_nowait(None)

    async def _read_log(self) -> None:
        assert self._process.stderr is not None
        while line := await self._process.stderr.readline():
            self._log.append(line.decode(errors="replace").strip())

    def _unavailable(self, why: str) -> PeerUnavailable:
        return PeerUnavailable(f"{self.name}: {why}: " + " | ".join(filter(None, self._log)))


@asynccontextmanager
async def running_bot(
    name: str,
    command: Sequence[str],
    environment: Mapping[str, str],
) -> AsyncIterator[BotProcess]:
    """Run a bot until the block ends, from when it is ready.

    Raises:
        PeerUnavailable: it did not get ready.
    """
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=MAX_LINE_BYTES,
        env=dict(environment),
        # Ctrl-C is for whoever started it, who then ends the bot.
        start_new_session=True,
    )
    bot = BotProcess(name, process)
    try:
        first = await bot.next_event(READY_TIMEOUT_S)
        if not isinstance(first, Ready):
            raise PeerUnavailable(f"{name}: it speaks before it is ready")
        bot.ready = first
        yield bot
    finally:
        await bot.stop()

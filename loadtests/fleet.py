"""The tester processes: starts them, gives them users, and collects what they tell."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import msgspec

from loadtests import wire
from loadtests.journal import Journal
from loadtests.target import Target
from loadtests.wire import Connect, Order, Talk, UserPlan
from voicepeer import config
from voicepeer.child_service import stop
from voicepeer.core.errors import VoicePeerError

USERS_A_TESTER: Final = 5
"""One process could carry more, but all of them share its one event loop."""

LOAD_TIMEOUT_S: Final = 60.0
END_TIMEOUT_S: Final = 20.0
LINE_MAX: Final = 1 << 20


class TesterFailed(VoicePeerError):
    """A tester process ended by itself: a fault of the load test, not of the service."""

    code = "tester_failed"


def testers_for(users: int) -> int:
    """How many processes so many users take: two at least, so that one alone is never it all."""
    return max(2, math.ceil(users / USERS_A_TESTER))


class Fleet:
    """Running testers; ``journal`` has what they told."""

    def __init__(self, processes: Sequence[Process]) -> None:
        self.journal = Journal()
        self._processes = processes
        self._next = 0
        self._loaded = asyncio.Event()
        self._changed = asyncio.Event()
        self._failed = False
        self._readers = [
            asyncio.create_task(self._read(index, process))
            for index, process in enumerate(processes)
        ]

    async def add(self, users: Sequence[UserPlan], apart_s: float = 0.3) -> None:
        """Let more users call one after the other, spread over the testers."""
        count, begin = len(self._processes), self._next
        self._next += len(users)
        for first in range(min(count, len(users))):
            # Each tester has every so manieth user, and waits until it is the turn of its first.
            order = Connect([*users[first::count]], apart_s * count, apart_s * first)
            await self._order(self._processes[(begin + first) % count], order)

    async def talk(self, share: float) -> None:
        """Let all users be spoken to for this share of the time from now on."""
        for process in self._processes:
            await self._order(process, Talk(share))

    async def until_ready(self, users: int, timeout_s: float) -> int:
        """Wait until so many users have been ready once, or for so long; how many have."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while len(self.journal.ready_s) < users:
                    await self._wait()
        return len(self.journal.ready_s)

    async def wait(self, duration_s: float) -> None:
        """Let time pass.

        Raises:
            TesterFailed: one of the testers ended meanwhile.
        """
        loop = asyncio.get_running_loop()
        until_s = loop.time() + duration_s
        while (left_s := until_s - loop.time()) > 0:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left_s):
                    await self._wait()

    async def _wait(self) -> None:
        """Until something is told; a tester that ended before was told while nobody waited."""
        if not self._failed:
            self._changed.clear()
            await self._changed.wait()
        if self._failed:
            raise TesterFailed("a tester process has ended: run again with --debug to see why")

    async def loaded(self) -> None:
        """Wait until all testers take orders.

        Raises:
            TesterFailed: one of them ended, or does not get there.
        """
        try:
            async with asyncio.timeout(LOAD_TIMEOUT_S):
                while len(self.journal.pids) < len(self._processes):
                    await self._wait()
        except TimeoutError:
            raise TesterFailed("a tester process did not start in time: is it busy here?") from None

    async def _order(self, process: Process, order: Order) -> None:
        assert process.stdin is not None
        try:
            process.stdin.write(wire.encode(order))
            await process.stdin.drain()
        except ConnectionError:
            self._failed = True
            self._changed.set()

    async def _read(self, index: int, process: Process) -> None:
        assert process.stdout is not None
        try:
            while line := await process.stdout.readline():
                with contextlib.suppress(msgspec.DecodeError):  # cut off by its end
                    self.journal.take(index, wire.decode_event(line))
                self._changed.set()
        finally:
            self._failed = True
            self._changed.set()

    async def close(self) -> None:
        """Let all users hang up, and end the processes."""
        await asyncio.gather(*(stop(process, END_TIMEOUT_S) for process in self._processes))
        await asyncio.gather(*self._readers)


@asynccontextmanager
async def fleet(
    target: Target, voices: Sequence[Path], testers: int, *, debug: bool = False
) -> AsyncIterator[Fleet]:
    """Testers for a service, until the block ends.

    Raises:
        TesterFailed: one of them ended at once.
    """
    environ = {name: value for name, value in os.environ.items() if name != config.ENV_TOKEN}
    if target.token is not None:
        environ[config.ENV_TOKEN] = target.token
    processes = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "loadtests.tester", target.url, *map(str, voices)),
            stdin=PIPE,
            stdout=PIPE,
            stderr=None if debug else asyncio.subprocess.DEVNULL,
            limit=LINE_MAX,
            env=environ,
            # Ctrl-C is for the command, which ends its testers in its own time.
            start_new_session=True,
        )
        for _ in range(testers)
    ]
    running = Fleet(processes)
    try:
        await running.loaded()
        yield running
    finally:
        await running.close()

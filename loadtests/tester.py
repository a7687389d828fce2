"""A process full of users: ``python -m loadtests.tester URL WAV...``.

It reads orders from standard input and writes what happens to standard output, both as ``wire``
has them; it ends with its input. A token for the service comes by the environment.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import time
import traceback
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, Final

from loadtests import wire
from loadtests.arrivals import Arrivals
from loadtests.scenarios import ROUNDS
from loadtests.stamped import StampingLoop
from loadtests.user import LoadUser, Voice
from loadtests.wire import Connect, Event, Loaded, Second, Talk, UserPlan
from voicepeer import config, rtc
from voicepeer.audio import read_reference
from voicepeer.core.pcm import WIRE_RATE_HZ

TICK_S: Final = 0.05
"""How often a tester looks whether it is late: 20 times a second."""


class Tester:
    """Users of one service, in one event loop."""

    def __init__(self, url: str, token: str | None, voices: Sequence[Voice]) -> None:
        self._url, self._token, self._voices = url, token, voices
        self._share = 0.25
        self._users: list[LoadUser] = []
        self._arrivals: dict[str, Arrivals] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def run(self) -> None:
        """Take orders until there are no more."""
        self._start(self._watch_itself())
        tell(Loaded(os.getpid()))
        reader = await _standard_input()
        try:
            while line := await reader.readline():
                self._obey(wire.decode_order(line))
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _obey(self, order: wire.Order) -> None:
        match order:
            case Connect():
                self._start(self._connect(order))
            case Talk(share=share):
                self._share = share
                for user in self._users:
                    user.share = share

    async def _connect(self, order: Connect) -> None:
        await asyncio.sleep(order.after_s)
        for plan in order.users:
            user = self._user(plan)
            self._start(user.run())
            await asyncio.sleep(order.apart_s)

    def _user(self, plan: UserPlan) -> LoadUser:
        arrivals = self._arrivals[plan.name] = Arrivals()
        user = LoadUser(
            plan, ROUNDS[plan.kind], self._url, self._token, self._voices, tell, arrivals
        )
        user.share = self._share
        self._users.append(user)
        return user

    async def _watch_itself(self) -> None:
        """Tell once a second how late this process is, and how evenly packets came to it."""
        loop = asyncio.get_running_loop()
        due_s = time.monotonic()
        while True:
            late_ms: list[float] = []
            for _ in range(round(1.0 / TICK_S)):
                due_s = max(due_s, time.monotonic()) + TICK_S
                await _until(loop, due_s)
                late_ms.append(round((time.monotonic() - due_s) * 1000, 2))
            tell(self._second(late_ms))

    def _second(self, late_ms: list[float]) -> Second:
        gaps_ms = {
            name: [round(gap, 2) for gap in arrivals.drain()]
            for name, arrivals in self._arrivals.items()
        }
        unstamped = sum(arrivals.unstamped for arrivals in self._arrivals.values())
        return Second(time.monotonic(), time.process_time(), late_ms, gaps_ms, unstamped)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.append(task)
        task.add_done_callback(_report_fault)


def _report_fault(task: asyncio.Task[None]) -> None:
    """A fault of the tester's own is no trouble of a user, and must not look like one."""
    if not task.cancelled() and (error := task.exception()) is not None:
        traceback.print_exception(error)
        os._exit(1)


async def _until(loop: asyncio.AbstractEventLoop, moment_s: float) -> None:
    """Wait for a moment of the loop's clock, which is ``time.monotonic()``."""
    reached = loop.create_future()
    timer = loop.call_at(moment_s, reached.set_result, None)
    try:
        await reached
    finally:
        timer.cancel()


async def _standard_input() -> asyncio.StreamReader:
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


def tell(event: Event) -> None:
    """Write a line."""
    sys.stdout.buffer.write(wire.encode(event))
    sys.stdout.buffer.flush()


def main(arguments: Sequence[str]) -> None:
    """Run with the URL of a service and recordings."""
    url, *files = arguments
    rtc.install_patches()
    voices = [Voice(Path(file), read_reference(file).at(WIRE_RATE_HZ)) for file in files]
    # What is loaded stays; collecting it again and again would hold up the clocks.
    gc.freeze()
    token = os.environ.get(config.ENV_TOKEN)
    with asyncio.Runner(loop_factory=StampingLoop) as runner:
        runner.run(Tester(url, token, voices).run())


if __name__ == "__main__":
    main(sys.argv[1:])

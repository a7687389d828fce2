"""A scripted clock: an event loop whose time stands still while there is work, and leaps when
there is none.

A minute of a call takes the seconds of processor time that it needs, and comes out the same on a
busy machine. Everything in this process is on it: ``time.monotonic`` and ``time.time``, the loop's
timers, and real sockets of loopback, whose datagrams are there as soon as they were sent. What
runs in another process is not, so a story with real engine processes needs the real clock.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import random
import selectors
import time
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar

import pytest

from tests.peers.blocking import nothing_blocks
from tests.peers.leaks import nothing_left_behind

T = TypeVar("T")
P = ParamSpec("P")

START_S = 1_000.0
STEP_S = 1e-7
"""What a round of the loop takes, so that whoever waits for a moment gets past it."""

PATIENCE_S = 0.02
"""How long threads are waited for at a time, on the real clock."""


class ScriptedClock:
    """Time of one story; ``now`` only moves when its loop has nothing to do."""

    def __init__(self) -> None:
        self._now = START_S

    def now(self) -> float:
        """The scripted ``time.monotonic()``."""
        return self._now

    def stall(self, duration_s: float) -> None:
        """Let time pass without the loop running, as a call that blocks does."""
        self._now += duration_s

    def run(self, story: Coroutine[Any, Any, T]) -> T:
        """Run a story to its end on this clock; it may leave nothing behind."""

        async def checked() -> T:
            async with nothing_left_behind():
                return await story

        with pytest.MonkeyPatch.context() as patch:
            epoch_s = time.time() - self._now
            # aiortc draws the pauses between its reports.
            patch.setattr(random, "random", random.Random(1).random)
            patch.setattr(time, "monotonic", self.now)
            patch.setattr(time, "time", lambda: epoch_s + self._now)
            with asyncio.Runner(loop_factory=lambda: _ScriptedLoop(self)) as runner:
                return runner.run(checked())


class _ScriptedSelector(selectors.DefaultSelector):
    """Never waits for time to pass: it lets it."""

    def __init__(self, clock: ScriptedClock) -> None:
        super().__init__()
        self._clock = clock
        self.in_threads = 0
        """Calls that threads are working on, which take no scripted time."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            self._clock.stall(STEP_S)
            return ready
        if self.in_threads or timeout is None:
            return super().select(PATIENCE_S)
        self._clock.stall(timeout + STEP_S)
        return super().select(0)


class _ScriptedLoop(asyncio.SelectorEventLoop):
    def __init__(self, clock: ScriptedClock) -> None:
        self._clock = clock
        self._scripted = _ScriptedSelector(clock)
        super().__init__(self._scripted)

    def time(self) -> float:
        return self._clock.now()

    def run_in_executor(  # type: ignore[override]
        self,
        executor: Any,  # noqa: ANN401 - as asyncio's
        func: Callable[..., T],
        *args: Any,  # noqa: ANN401 - as asyncio's
    ) -> asyncio.Future[T]:
        future: asyncio.Future[T] = super().run_in_executor(executor, func, *args)
        self._scripted.in_threads += 1
        future.add_done_callback(self._returned)
        return future

    def _returned(self, future: asyncio.Future[Any]) -> None:
        self._scripted.in_threads -= 1


def scripted(
    story: Callable[Concatenate[ScriptedClock, P], Coroutine[Any, Any, None]],
) -> Callable[P, None]:
    """Make a test of a coroutine function that runs on a scripted clock, its first argument."""

    @functools.wraps(story)
    def test(*args: P.args, **kwargs: P.kwargs) -> None:
        clock = ScriptedClock()
        clock.run(story(clock, *args, **kwargs))

    signature = inspect.signature(story)
    others = list(signature.parameters.values())[1:]
    test.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
    return test


def unhurried(story: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Make a test of a coroutine function that runs on a scripted clock, and need not see it.

    As on the real clock (``tests/conftest.py``) it may not block the loop, either.
    """

    @functools.wraps(story)
    def test(*args: P.args, **kwargs: P.kwargs) -> None:
        async def checked() -> None:
            with nothing_blocks():
                await story(*args, **kwargs)

        ScriptedClock().run(checked())

    return test

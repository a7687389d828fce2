"""In the host: keeps one worker running, and knows who waits for what from it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from engines.api import EngineCrashed, EngineError
from engines.process import frames
from engines.process.child import Child
from engines.process.frames import (
    Cancel,
    Credit,
    Load,
    Loaded,
    Refine,
    Refined,
    Request,
    Speak,
    Spoken,
    ToHost,
)
from engines.process.loading import Launch, Link, LoadingWorker, Spare, backoff_s
from engines.process.starvation import Starvation
from engines.process.watchdog import Watchdog

logger = logging.getLogger(__name__)

Asked: TypeAlias = Speak | Refine | Request

HEALTHY_AFTER_S = 30.0
"""A worker that lived this long is restarted without delay when it ends."""

MOST_PARDONS = 6
"""A worker without a core is late; one that gives nothing in so many times its limit is stuck."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a worker may take before it counts as stuck, in seconds."""

    load_s: float = 600.0
    chunk_s: float = 10.0
    request_s: float = 60.0


class Call(Protocol):
    """Somebody who waits for answers."""

    def receive(self, message: ToHost) -> None:
        """Take an answer; anything but ``Spoken`` and ``Refined`` is the last one."""
        ...

    def fail(self, error: EngineError) -> None:
        """No more answers come."""
        ...


class OwnWorker(Child):
    """A ``Link`` to a process of our own."""

    def __init__(self, load: Load, receive: Callable[[ToHost], None]) -> None:
        super().__init__(
            f"{load.role} worker",
            "engines.worker",
            lambda body: receive(frames.unpack_to_host(body)),
            threads=load.options.get("threads", "1"),
        )
        self._load = load

    async def start(self) -> None:
        """Start the process and let it load its models, without waiting for it."""
        await super().start()
        self.send(frames.pack(self._load))


class _Nobody:
    """Takes the place of a call that was given up, until the worker confirms it."""

    def receive(self, message: ToHost) -> None:
        pass

    def fail(self, error: EngineError) -> None:
        pass


class Keeper:
    """Runs a worker, and another one when it ends.

    Calls made while there is no worker wait for the next one; calls that a worker takes down
    with it fail with ``EngineCrashed``. With ``spare`` the next one is warm already.
    """

    def __init__(
        self, load: Load, limits: Limits, launch: Launch = OwnWorker, *, spare: bool = False
    ) -> None:
        self._load = load
        self._limits = limits
        self._launch = launch
        self._child: Link | None = None
        self._serving = asyncio.Event()
        self._spare = Spare(self._make, self._serving) if spare else None
        self._keeping_spare: asyncio.Task[None] | None = None
        self._task: asyncio.Task[None] | None = None
        self._calls: dict[int, Call] = {}
        self._waiting: dict[int, tuple[Asked, Call]] = {}
        self._streams = Watchdog(limits.chunk_s)
        self._requests = Watchdog(limits.request_s)
        self._starvation = Starvation()
        self._pardoned = 0
        self._closed = False
        self.restarts = 0
        """How often a worker that had been ready ended by itself or was stuck."""

    @property
    def ready(self) -> bool:
        """Whether a worker is there with its models loaded."""
        return self._child is not None

    @property
    def spare_pid(self) -> int | None:
        """Of the worker that would take over, if one is warm."""
        return None if self._spare is None else self._spare.pid

    @property
    def busy(self) -> int:
        """How many requests a worker is at."""
        return len(self._calls)

    @property
    def pid(self) -> int | None:
        """Of the worker, if one is ready."""
        return None if self._child is None else self._child.pid

    async def start(self) -> Loaded:
        """Start the worker and wait until its models are warm.

        Raises:
            EngineError: what the worker could not do.
        """
        loop = asyncio.get_running_loop()
        first: asyncio.Future[Loaded] = loop.create_future()
        self._task = loop.create_task(self._keep(first), name=f"keep-{self._load.role}-worker")
        return await first

    async def close(self) -> None:
        """End the worker; whoever still waits is told that it is over."""
        self._closed = True
        tasks = {task for task in (self._task, self._keeping_spare) if task is not None}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self._fail_waiting(_over())

    def call(self, request: Asked, call: Call) -> None:
        """Send a request as soon as there is a worker; ``call`` gets the answers."""
        if self._closed:
            call.fail(_over())
        elif self._child is None or self._child.ended.is_set():
            self._waiting[request.id] = request, call
        else:
            self._send(self._child, request, call)

    def grant(self, id: int, chunks: int) -> None:
        """Let a stream go on for so many more chunks."""
        if self._child is not None and id in self._calls:
            self._streams.owe(id, chunks, _now())
            self._child.send(frames.pack(Credit(id, chunks)))

    def cancel(self, id: int) -> None:
        """Give up a stream."""
        if self._child is not None and id in self._calls:
            self._streams.owe(id, 1, _now())
        self.leave(id)

    def leave(self, id: int) -> None:
        """Give up a refinement; that it has ended may be said much later."""
        self._waiting.pop(id, None)
        if self._child is not None and id in self._calls:
            self._calls[id] = _Nobody()
            self._child.send(frames.pack(Cancel(id)))

    def forget(self, id: int) -> None:
        """Give up a request; the worker finishes it for nobody."""
        self._waiting.pop(id, None)
        if id in self._calls:
            self._calls[id] = _Nobody()

    def _send(self, child: Link, request: Asked, call: Call) -> None:
        child.send(frames.pack(request))
        self._calls[request.id] = call
        if isinstance(request, Speak):
            self._streams.owe(request.id, request.credit, _now())
        elif not isinstance(request, Refine):  # which waits for as long as others speak
            self._requests.owe(request.id, 1, _now())

    def _receive(self, message: ToHost) -> None:
        assert not isinstance(message, Loaded), "it has been loaded"
        self._pardoned = 0
        if isinstance(message, Spoken):
            self._streams.paid(message.id, _now())
            self._calls[message.id].receive(message)
        elif isinstance(message, Refined):
            self._calls[message.id].receive(message)
        else:
            self._streams.settle(message.id, _now())
            self._requests.settle(message.id, _now())
            self._calls.pop(message.id).receive(message)

    async def _keep(self, first: asyncio.Future[Loaded]) -> None:
        try:
            await self._live(first)
            await self._live_again(first)
        except EngineError as error:
            first.set_exception(error)
        finally:
            first.cancel()

    async def _live_again(self, first: asyncio.Future[Loaded]) -> None:
        """Once it has worked, no error is final."""
        failures = 0
        while True:
            failures += 1
            await asyncio.sleep(backoff_s(failures))
            began = _now()
            try:
                await self._live(first)
            except EngineError as error:
                logger.error("the %s worker cannot be restarted: %s", self._load.role, error)
                self._fail_waiting(error)
            if _now() - began > HEALTHY_AFTER_S:
                failures = 0

    async def _live(self, first: asyncio.Future[Loaded]) -> None:
        """The life of one worker, from start to end."""
        warm = self._spare.take() if self._spare is not None else None
        worker = warm[0] if warm is not None else self._make()
        child = worker.link
        try:
            loaded = warm[1] if warm is not None else await worker.load()
            worker.on_message = self._receive
            self._serve(child)
            if not first.done():
                first.set_result(loaded)
            self._keep_spare()
            await self._watch(child)
            self.restarts += 1
        finally:
            self._child = None
            self._serving.clear()
            self._fail_sent()
            how = await child.close()
            if not self._closed:
                logger.warning("the %s worker ended: %s", self._load.role, how)

    def _make(self) -> LoadingWorker:
        return LoadingWorker(self._load, self._limits.load_s, self._launch)

    def _keep_spare(self) -> None:
        """Only now: two that are made at once would be late both."""
        if self._spare is not None and self._keeping_spare is None:
            keeping = self._spare.run()
            self._keeping_spare = asyncio.create_task(keeping, name="keep-spare-worker")

    def _serve(self, child: Link) -> None:
        self._child = child
        self._pardoned = 0
        self._serving.set()
        waiting, self._waiting = self._waiting, {}
        for request, call in waiting.values():
            self._send(child, request, call)

    async def _watch(self, child: Link) -> None:
        """Wait until the worker ends; see to it that it does when it is stuck."""
        period_s = min(self._limits.chunk_s, self._limits.request_s) / 4.0
        while not child.ended.is_set():
            due = _now() + period_s
            # Not wait_for: up to Python 3.11 it can lose a cancellation (bpo-37658).
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(period_s):
                    await child.ended.wait()
            if _now() - due > period_s or (self._late and await self._pardons(child, period_s)):
                self._streams.excuse(_now())
                self._requests.excuse(_now())
            elif self._late:
                logger.error("the %s worker is stuck: it is restarted", self._load.role)
                child.kill()
                await child.ended.wait()

    @property
    def _late(self) -> bool:
        return self._streams.late(_now()) or self._requests.late(_now())

    async def _pardons(self, child: Link, period_s: float) -> bool:
        """Whether a worker that is late only lacks a core; believed a few times in a row."""
        self._pardoned += 1
        return self._pardoned <= MOST_PARDONS and await self._starves(child, period_s)

    async def _starves(self, child: Link, period_s: float) -> bool:
        """Whether it mostly waits for a core that others have."""
        look = self._starvation.since_last_s
        await asyncio.to_thread(look, child.pid)
        await asyncio.sleep(period_s)
        return await asyncio.to_thread(look, child.pid) > period_s / 2.0

    def _fail_sent(self) -> None:
        calls, self._calls = self._calls, {}
        self._streams.forget()
        self._requests.forget()
        for call in calls.values():
            call.fail(_over() if self._closed else self._crashed())

    def _fail_waiting(self, error: EngineError) -> None:
        waiting, self._waiting = self._waiting, {}
        for _, call in waiting.values():
            call.fail(error)

    def _crashed(self) -> EngineCrashed:
        return EngineCrashed(
            f"the {self._load.role} process ended; it is being restarted: try again"
        )


def _over() -> EngineError:
    return EngineError("the engine host is closed")


def _now() -> float:
    return asyncio.get_running_loop().time()

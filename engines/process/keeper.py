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
    Failed,
    Load,
    Loaded,
    Refine,
    Refined,
    Request,
    Speak,
    Spoken,
    ToHost,
)
from engines.process.watchdog import Watchdog

logger = logging.getLogger(__name__)

Asked: TypeAlias = Speak | Refine | Request

FIRST_BACKOFF_S = 0.25
MAX_BACKOFF_S = 10.0
HEALTHY_AFTER_S = 30.0
"""A worker that lived this long is restarted without delay when it ends."""


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


class Link(Protocol):
    """A worker, and the way to it."""

    @property
    def ended(self) -> asyncio.Event:
        """Set once nothing more comes from it."""
        ...

    @property
    def pid(self) -> int:
        """Of its process, which may have ended."""
        ...

    async def start(self) -> None:
        """Have it load its models, without waiting for it; ``close`` has to follow.

        Raises:
            OSError: there is no way to have one.
        """
        ...

    def send(self, frame: bytes) -> None:
        """Send it a message; one that it does not live to read is lost."""
        ...

    def kill(self) -> None:
        """Be rid of it whatever it does; ``ended`` follows."""
        ...

    async def close(self) -> str:
        """Free all that it holds; how it ended, for the log."""
        ...


Launch: TypeAlias = Callable[[Load, Callable[[ToHost], None]], Link]
"""Makes the way to a worker that is to load this, and whose messages go to a function."""


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
    with it fail with ``EngineCrashed``.
    """

    def __init__(self, load: Load, limits: Limits, launch: Launch = OwnWorker) -> None:
        self._load = load
        self._limits = limits
        self._launch = launch
        self._child: Link | None = None
        self._loading: asyncio.Future[Loaded] | None = None
        self._task: asyncio.Task[None] | None = None
        self._calls: dict[int, Call] = {}
        self._waiting: dict[int, tuple[Asked, Call]] = {}
        self._streams = Watchdog(limits.chunk_s)
        self._requests = Watchdog(limits.request_s)
        self._closed = False
        self.restarts = 0
        """How often a worker that had been ready ended by itself or was stuck."""

    @property
    def ready(self) -> bool:
        """Whether a worker is there with its models loaded."""
        return self._child is not None

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
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
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
        if isinstance(message, Loaded):
            self._finish_loading(message)
        elif isinstance(message, Failed) and message.id == 0:
            self._finish_loading(frames.raised(message))
        elif isinstance(message, Spoken):
            self._streams.paid(message.id, _now())
            self._calls[message.id].receive(message)
        elif isinstance(message, Refined):
            self._calls[message.id].receive(message)
        else:
            self._streams.settle(message.id, _now())
            self._requests.settle(message.id, _now())
            self._calls.pop(message.id).receive(message)

    def _finish_loading(self, outcome: Loaded | EngineError) -> None:
        if self._loading is None or self._loading.done():
            return
        if isinstance(outcome, EngineError):
            self._loading.set_exception(outcome)
        else:
            self._loading.set_result(outcome)

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
        child = self._launch(self._load, self._receive)
        try:
            await self._start(child)
            loaded = await self._load_models(child)
            self._serve(child)
            if not first.done():
                first.set_result(loaded)
            await self._watch(child)
            self.restarts += 1
        finally:
            self._child = None
            self._fail_sent()
            how = await child.close()
            if not self._closed:
                logger.warning("the %s worker ended: %s", self._load.role, how)

    async def _start(self, child: Link) -> None:
        try:
            await child.start()
        except OSError as error:
            raise EngineError(f"no {self._load.role} process can be started: {error}") from error

    async def _load_models(self, child: Link) -> Loaded:
        role = self._load.role
        self._loading = asyncio.get_running_loop().create_future()
        ended = asyncio.ensure_future(child.ended.wait())
        either = (self._loading, ended)
        limit_s = self._limits.load_s
        try:
            await asyncio.wait(either, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended.cancel()
        if self._loading.done():
            return self._loading.result()
        if child.ended.is_set():
            raise EngineCrashed(f"the {role} process ended while it loaded models: see the log")
        raise EngineError(f"the {role} models did not load within {limit_s:.0f} s")

    def _serve(self, child: Link) -> None:
        self._child = child
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
            if _now() - due > period_s:
                self._streams.excuse(_now())
                self._requests.excuse(_now())
            elif self._streams.late(_now()) or self._requests.late(_now()):
                logger.error("the %s worker is stuck: it is restarted", self._load.role)
                child.kill()
                await child.ended.wait()

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


def backoff_s(failures: int) -> float:
    """How long to wait after so many short lives in a row, before the next start."""
    return 0.0 if failures <= 1 else min(MAX_BACKOFF_S, FIRST_BACKOFF_S * 2.0 ** (failures - 2))


def _over() -> EngineError:
    return EngineError("the engine host is closed")


def _now() -> float:
    return asyncio.get_running_loop().time()

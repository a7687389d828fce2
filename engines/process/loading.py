"""In the host: a worker from its start until its models are warm, and one that waits as a spare."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol, TypeAlias

from engines.api import EngineCrashed, EngineError
from engines.process import frames
from engines.process.frames import Failed, Load, Loaded, ToHost

logger = logging.getLogger(__name__)

FIRST_BACKOFF_S = 0.25
MAX_BACKOFF_S = 10.0


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


class LoadingWorker:
    """One worker; ``load`` first, and ``on_message`` gets what it says once that is set."""

    def __init__(self, load: Load, limit_s: float, launch: Launch) -> None:
        self.link = launch(load, self._receive)
        self.on_message: Callable[[ToHost], None] = _unheard
        self._role = load.role
        self._limit_s = limit_s
        self._loaded: asyncio.Future[Loaded] = asyncio.get_running_loop().create_future()

    async def load(self) -> Loaded:
        """Start it and wait until its models are warm; ``close`` of the link has to follow.

        Raises:
            EngineError: why they are not.
        """
        try:
            await self.link.start()
        except OSError as error:
            raise EngineError(f"no {self._role} process can be started: {error}") from error
        ended = asyncio.ensure_future(self.link.ended.wait())
        either = (self._loaded, ended)
        try:
            await asyncio.wait(either, timeout=self._limit_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended.cancel()
        if self._loaded.done():
            return self._loaded.result()
        if self.link.ended.is_set():
            raise EngineCrashed(
                f"the {self._role} process ended while it loaded models: see the log"
            )
        raise EngineError(f"the {self._role} models did not load within {self._limit_s:.0f} s")

    def _receive(self, message: ToHost) -> None:
        if isinstance(message, Loaded):
            self._settle(message)
        elif isinstance(message, Failed) and message.id == 0:
            self._settle(frames.raised(message))
        else:
            self.on_message(message)

    def _settle(self, outcome: Loaded | EngineError) -> None:
        if self._loaded.done():
            return
        if isinstance(outcome, EngineError):
            self._loaded.set_exception(outcome)
        else:
            self._loaded.set_result(outcome)


def _unheard(message: ToHost) -> None:
    """A worker that was asked nothing has nothing to say."""


class Spare:
    """Keeps one more worker warm that nobody has asked for anything; ``run`` has to run beside.

    It takes as much memory as the one at work.
    """

    def __init__(self, make: Callable[[], LoadingWorker], serving: asyncio.Event) -> None:
        self._make = make
        self._serving = serving
        """Set while a worker is at work. Where none is, its models are to be loaded first."""
        self._warm: tuple[LoadingWorker, Loaded] | None = None
        self._taken = asyncio.Event()

    @property
    def pid(self) -> int | None:
        """Of the one there is to take."""
        if self._warm is None or self._warm[0].link.ended.is_set():
            return None
        return self._warm[0].link.pid

    def take(self) -> tuple[LoadingWorker, Loaded] | None:
        """The spare if it is ready; whoever takes it closes it, and another one is started."""
        if self.pid is None:
            return None
        warm, self._warm = self._warm, None
        self._taken.set()
        return warm

    async def run(self) -> None:
        """Have one ready until cancelled."""
        failures = 0
        while True:
            taken = False
            await self._serving.wait()
            try:
                taken = await self._keep_one()
            except EngineError as error:
                logger.error("a spare worker cannot be started: %s", error)
            failures = 0 if taken else failures + 1
            # What ended it may have ended the one at work, too, which is then about to be seen.
            await asyncio.sleep(max(backoff_s(failures), 0.0 if taken else FIRST_BACKOFF_S))

    async def _keep_one(self) -> bool:
        """The life of one spare, until it is taken or has ended; whether it was taken."""
        worker = self._make()
        self._taken.clear()
        try:
            loaded = await worker.load()
            self._warm = worker, loaded
            logger.info("a spare worker is warm as process %d", worker.link.pid)
            ends = [asyncio.ensure_future(one.wait()) for one in (self._taken, worker.link.ended)]
            try:
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for end in ends:
                    end.cancel()
            return self._taken.is_set()
        finally:
            if not self._taken.is_set():
                self._warm = None
                how = await worker.link.close()
                logger.info("a spare worker ended: %s", how)


def backoff_s(failures: int) -> float:
    """How long to wait after so many short lives in a row, before the next start."""
    return 0.0 if failures <= 1 else min(MAX_BACKOFF_S, FIRST_BACKOFF_S * 2.0 ** (failures - 2))

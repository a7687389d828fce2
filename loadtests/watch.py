"""Looks at a running service once a second: its processes, and what it says of itself."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Final

import aiohttp
import msgspec

from loadtests.processes import tree_usage
from loadtests.target import Target
from loadtests.voices import http

EVERY_S: Final = 1.0
ASK_EVERY_S: Final = 5.0
"""It is asked itself less often, which costs it something."""

ANSWER_S: Final = 10.0
REFUSED_MAX: Final = 3
"""Connections refused in turn, of a service that runs elsewhere: it is not restarted so slowly."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A service at one moment."""

    at_s: float
    cpu_s: float
    main_cpu_s: float
    """Of the process that does the network's work."""
    rss_mb: float
    fds: int
    threads: int


@dataclass(frozen=True, slots=True)
class Said:
    """What the service said of itself."""

    at_s: float
    sessions: int | None
    """``None`` where it takes no more and says only that."""
    degraded: tuple[str, ...]


class _Readiness(msgspec.Struct):
    """What is read of ``/readyz``."""

    sessions: int | None = None
    degraded: tuple[str, ...] = ()


_readiness = msgspec.json.Decoder(_Readiness)


@dataclass
class Watch:
    """Samples of a service, the oldest first; ``run`` takes them until it is cancelled."""

    target: Target
    samples: list[Sample] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    has_ended: bool = False
    """Whether there is no such process any more, or nobody answers where it was."""
    _refused: int = 0

    async def run(self) -> None:
        """Look once a second, also while the service takes long to answer."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._keep_looking())
            tasks.create_task(self._keep_asking())

    async def _keep_looking(self) -> None:
        while True:
            self._look()
            await asyncio.sleep(EVERY_S)

    async def _keep_asking(self) -> None:
        async with http(self.target.token) as session:
            while True:
                await self._ask(session)
                await asyncio.sleep(ASK_EVERY_S)

    def _look(self) -> None:
        if self.target.pid is None:
            return
        usage = tree_usage(self.target.pid)
        # Without any sample there may be no /proc here.
        self.has_ended = usage is None and bool(self.samples)
        if usage is not None:
            self.samples.append(
                Sample(
                    time.monotonic(),
                    usage.cpu_s,
                    usage.main_cpu_s,
                    usage.rss_mb,
                    usage.fds,
                    usage.threads,
                )
            )

    async def _ask(self, session: aiohttp.ClientSession) -> None:
        try:
            async with (
                asyncio.timeout(ANSWER_S),
                session.get(f"{self.target.url}/readyz") as answer,
            ):
                told = _readiness.decode(await answer.read())
        except aiohttp.ClientConnectorError:
            self._refused += 1
            # Nobody knows the process of a service elsewhere.
            self.has_ended |= self.target.pid is None and self._refused >= REFUSED_MAX
            return
        except (aiohttp.ClientError, TimeoutError, msgspec.DecodeError):
            return
        self._refused = 0
        self.said.append(Said(time.monotonic(), told.sessions, told.degraded))

    def between(self, began_s: float, until_s: float) -> list[Sample]:
        """Samples of a stretch of time."""
        return [one for one in self.samples if began_s <= one.at_s <= until_s]

    def degraded(self, began_s: float, until_s: float) -> set[str]:
        """Steps against an overload that the service took in that time."""
        told = (one for one in self.said if began_s <= one.at_s <= until_s)
        return {step for one in told for step in one.degraded}

"""Looks at a running service once a second: its processes, and what it says of itself."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Final

import aiohttp

from loadtests.processes import tree_usage
from loadtests.target import Target
from loadtests.voices import http

EVERY_S: Final = 1.0
ASK_EVERY: Final = 5
"""Only each so manieth time it is asked itself, which costs it something."""


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


@dataclass
class Watch:
    """Samples of a service, the oldest first; ``run`` takes them until it is cancelled."""

    target: Target
    samples: list[Sample] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)

    async def run(self) -> None:
        """Look once a second."""
        count = 0
        async with http(self.target.token) as session:
            while True:
                self._look()
                if count % ASK_EVERY == 0:
                    await self._ask(session)
                count += 1
                await asyncio.sleep(EVERY_S)

    def _look(self) -> None:
        usage = None if self.target.pid is None else tree_usage(self.target.pid)
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
            async with session.get(f"{self.target.url}/readyz") as answer:
                told = await answer.json()
        except (aiohttp.ClientError, TimeoutError, ValueError):
            return
        self.said.append(
            Said(time.monotonic(), told.get("sessions"), tuple(told.get("degraded", ())))
        )

    def between(self, began_s: float, until_s: float) -> list[Sample]:
        """Samples of a stretch of time."""
        return [one for one in self.samples if began_s <= one.at_s <= until_s]

    def degraded(self, began_s: float, until_s: float) -> set[str]:
        """Steps against an overload that the service took in that time."""
        told = (one for one in self.said if began_s <= one.at_s <= until_s)
        return {step for one in told for step in one.degraded}

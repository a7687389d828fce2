"""Bots at work, with what they are to say and what they told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from tests.peers.glitches import tone_level
from tests.peers.room import until
from voicepeer.bot import BotNews, Place
from voicepeer.core.pcm import Pcm
from voicepeer.stage import perform

NewsT = TypeVar("NewsT", bound=BotNews)

PATIENCE_S = 20.0


@dataclass
class Lines:
    """What bots are to say, given bit by bit."""

    queue: asyncio.Queue[str | None] = field(default_factory=asyncio.Queue)

    def give(self, *lines: str | None) -> None:
        """Lines, or ``None`` for the end."""
        for line in lines:
            self.queue.put_nowait(line)

    async def __aiter__(self) -> AsyncIterator[str]:
        while (line := await self.queue.get()) is not None:
            yield line


@dataclass
class Stage:
    """Bots at work, and what they told."""

    lines: Lines
    news: list[BotNews]
    performing: asyncio.Task[int]

    async def told(self, kind: type[NewsT], count: int = 1) -> list[NewsT]:
        """So much news of a kind, once there is."""

        def enough() -> bool:
            if self.performing.done():
                self.performing.result()
            return len(found()) >= count

        def found() -> list[NewsT]:
            return [one for one in self.news if isinstance(one, kind)]

        await until(enough, PATIENCE_S)
        return found()

    async def end(self) -> int:
        """Nothing more is to be said; how many lines were refused."""
        self.lines.give(None)
        async with asyncio.timeout(PATIENCE_S):
            return await self.performing


@asynccontextmanager
async def stage(place: Place, *cast: tuple[str, str | None]) -> AsyncIterator[Stage]:
    """Bots that go to a place: by name and voice, or one that speaks as ``mid``."""
    lines, news = Lines(), list[BotNews]()
    work = perform(place, cast or (("bot", "mid"),), aiter(lines), news.append)
    performing = asyncio.create_task(work)
    try:
        yield Stage(lines, news, performing)
    finally:
        performing.cancel()
        await asyncio.gather(performing, return_exceptions=True)


def sounds(pcm: Pcm, frequency_hz: float) -> int:
    """For how many steps of 10 ms a tone sounds."""
    return int(np.count_nonzero(np.abs(tone_level(pcm, frequency_hz)) > 0.1))

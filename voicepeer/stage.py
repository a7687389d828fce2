"""Bots in their places together, and what they do there; all of one process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from typing import Any, TypeVar

from voicepeer.bot import Bot, Place, Refused, Said, Tell
from voicepeer.client import RequestFailed
from voicepeer.core.script import Script

ResultT = TypeVar("ResultT")


async def perform(
    place: Place,
    cast: Sequence[tuple[str, str | None]],
    lines: AsyncIterator[str],
    tell: Tell,
) -> int:
    """Let bots, given as names with voices, say lines one after the other; how many were refused.

    With more than one bot ``Script`` decides who says which.

    Raises:
        BotFailed: one of them cannot be in the room, or can no more.
        ValueError: two of them have the same name.
    """
    script = Script([name for name, _ in cast])
    return await on_stage(place, cast, tell, lambda bots: _recite(bots, script, lines, tell))


async def on_stage(
    place: Place,
    cast: Sequence[tuple[str, str | None]],
    tell: Tell,
    act: Callable[[Sequence[Bot]], Coroutine[Any, Any, ResultT]],
) -> ResultT:
    """Have bots in their places while ``act`` does something with them; what that gives.

    Raises:
        BotFailed: one of them cannot be in the room, or can no more.
    """
    async with AsyncExitStack() as calls:
        tasks: list[asyncio.Task[Any]] = []
        try:
            bots: list[Bot] = []
            for name, voice in cast:
                bots.append(await calls.enter_async_context(Bot(place, name, voice, tell)))
                tasks.append(asyncio.create_task(bots[-1].attend(), name="bot"))
            acting = asyncio.create_task(act(bots), name="act")
            tasks.append(acting)
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            return acting.result()
        finally:
            # Before the calls end, which would look as if they had been lost.
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _recite(
    bots: Sequence[Bot], script: Script, lines: AsyncIterator[str], tell: Tell
) -> int:
    refused = 0
    async for line in lines:
        cue = script.read(line)
        if cue is None:
            continue
        bot = bots[cue.speaker]
        try:
            tell(Said(bot.name, cue.line, await bot.say(cue.text)))
        except RequestFailed as error:
            refused += 1
            tell(Refused(bot.name, cue.line, error.code, str(error)))
    return refused

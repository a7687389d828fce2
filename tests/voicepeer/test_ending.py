"""Ends: begun once, reached once, and told to everybody who waits."""

from __future__ import annotations

import asyncio

import pytest

from voicepeer.ending import Ending

pytestmark = pytest.mark.unit


async def test_the_first_reason_counts_and_everybody_is_told_once_when_all_is_free() -> None:
    done: list[str] = []
    told: list[str] = []
    free = asyncio.Event()

    async def work(reason: str) -> None:
        await free.wait()
        done.append(reason)

    ending = Ending(work)
    ending.on_reached(told.append)
    assert not ending.begun
    ending.begin("first")
    ending.begin("second")
    waiting = asyncio.create_task(ending.reach("third"))
    await asyncio.sleep(0)
    assert ending.begun
    assert told == []
    free.set()
    await waiting
    assert (done, told) == (["first"], ["first"])
    ending.on_reached(told.append)
    await ending.reach("late")
    assert (done, told) == (["first"], ["first", "first"])


async def test_it_goes_on_when_who_waits_for_it_is_cancelled() -> None:
    free = asyncio.Event()
    done: list[str] = []

    async def work(reason: str) -> None:
        await free.wait()
        done.append(reason)

    ending = Ending(work)
    waiting = asyncio.create_task(ending.reach("gone"))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    free.set()
    await ending.reach("again")
    assert done == ["gone"]


async def test_who_asks_to_be_told_while_others_are_being_told_is_told_as_well() -> None:
    told: list[str] = []

    async def work(reason: str) -> None:
        await asyncio.sleep(0)

    ending = Ending(work)
    ending.on_reached(lambda reason: ending.on_reached(told.append))
    await ending.reach("over")
    assert told == ["over"]

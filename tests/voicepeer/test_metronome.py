"""Waiting for one moment together, in an order that never changes."""

from __future__ import annotations

import asyncio
import gc
import random
import time
import weakref

import pytest

from voicepeer.metronome import Metronome

pytestmark = pytest.mark.peer


async def test_all_go_on_by_rank_however_they_came() -> None:
    metronome, order = Metronome.of_loop(), list[int]()
    ranks = list(range(20))

    async def wait(rank: int, moment_s: float) -> None:
        await metronome.until(moment_s, rank)
        order.append(rank)

    for seed in range(5):
        random.Random(seed).shuffle(ranks)
        moment_s = time.monotonic() + 0.02
        # Moments that differ by rounding only are one.
        waits = [wait(rank, moment_s + rank * 1e-9) for rank in ranks]
        await asyncio.gather(*waits)
    assert order == sorted(range(20)) * 5


async def test_nobody_goes_on_early() -> None:
    metronome = Metronome.of_loop()
    for ahead_s in (0.0, 0.003, 0.021):
        moment_s = time.monotonic() + ahead_s
        await metronome.until(moment_s, 0)
        # The loop counts what is within its clock's resolution as reached.
        assert time.monotonic() >= moment_s - 1e-4


async def test_a_moment_that_has_passed_is_not_waited_for() -> None:
    async with asyncio.timeout(30):
        await Metronome.of_loop().until(time.monotonic() - 10.0, 0)


async def test_whoever_gives_up_holds_nobody() -> None:
    metronome, moment_s = Metronome.of_loop(), time.monotonic() + 0.05
    first = asyncio.create_task(metronome.until(moment_s, 0))
    second = asyncio.create_task(metronome.until(moment_s, 1))
    await asyncio.sleep(0)
    first.cancel()
    await second
    assert first.cancelled() or first.cancelling()
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_there_is_one_for_a_loop() -> None:
    assert Metronome.of_loop() is Metronome.of_loop()


def test_loops_that_ended_leave_nothing() -> None:
    async def wait() -> weakref.ref[Metronome]:
        await Metronome.of_loop().until(time.monotonic(), 0)
        return weakref.ref(Metronome.of_loop())

    left = asyncio.run(wait())
    gc.collect()
    assert left() is None

from __future__ import annotations

import asyncio
import time

import pytest

from loadtests.peers.lateness import LOOK_S, watching

pytestmark = pytest.mark.unit


async def test_a_loop_that_is_held_up_is_late() -> None:
    async with watching() as late_ms:
        await asyncio.sleep(0)
        time.sleep(LOOK_S + 0.2)  # noqa: ASYNC251 - what holds up the loop
        while not late_ms:  # noqa: ASYNC110 - the watch goes on by itself
            await asyncio.sleep(0.01)
    assert late_ms[0] >= 190
    count = len(late_ms)
    await asyncio.sleep(2 * LOOK_S)
    assert len(late_ms) == count

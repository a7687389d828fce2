from __future__ import annotations

import asyncio
import logging

import pytest

from voicepeer.tasks import Tasks, beside

pytestmark = pytest.mark.unit


async def test_all_end_together_and_have_ended_when_cancel_returns() -> None:
    ended: list[str] = []

    async def work(name: str) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append(name)

    tasks = Tasks("a session", on_failure=lambda: ended.append("failure"))
    tasks.start(work("one"), "one")
    tasks.start(work("two"), "two")
    await asyncio.sleep(0)
    await tasks.cancel()
    assert sorted(ended) == ["one", "two"]


async def test_one_that_fails_is_logged_with_whose_it_is_and_ends_nothing_by_itself(
    caplog: pytest.LogCaptureFixture,
) -> None:
    failed = asyncio.Event()
    going_on = asyncio.Event()

    async def broken() -> None:
        raise RuntimeError("no more tape")

    async def other() -> None:
        await failed.wait()
        going_on.set()

    tasks = Tasks("session 7", on_failure=failed.set)
    tasks.start(other(), "other")
    with caplog.at_level(logging.ERROR):
        tasks.start(broken(), "recorder")
        await asyncio.wait_for(going_on.wait(), 5.0)
    await tasks.cancel()
    assert "session 7: its recorder failed" in caplog.text
    assert "no more tape" in caplog.text


@pytest.mark.parametrize("error", [None, RuntimeError("no more tape")])
async def test_works_beside_something_have_ended_when_that_has(error: Exception | None) -> None:
    told: list[str] = []

    async def work(name: str) -> None:
        told.append(f"{name} began")
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            told.append(f"{name} ended")

    async def use() -> None:
        async with beside({"one": work("one"), "two": work("two")}):
            await asyncio.sleep(0)
            assert told == ["one began", "two began"]
            if error is not None:
                raise error

    outcome = await asyncio.gather(use(), return_exceptions=True)
    assert list(outcome) == [error]
    assert sorted(told[2:]) == ["one ended", "two ended"]


async def test_ending_nothing_is_harmless() -> None:
    await Tasks("a session", on_failure=lambda: None).cancel()

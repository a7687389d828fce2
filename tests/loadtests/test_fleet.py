"""Tester processes: who gets which users, and that one which ends or hangs is told and ended."""

from __future__ import annotations

import asyncio
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from loadtests import fleet as fleets
from loadtests import wire
from loadtests.fleet import Fleet
from loadtests.stage import Setting, plans
from loadtests.wire import Connect, Loaded, Order, Ready, Talk

pytestmark = pytest.mark.peer

LOADED = wire.encode(Loaded(1)).decode().strip()
READY = wire.encode(Ready("user-0", 1.0)).decode().strip()

KEEPS_ORDERS = f"""
import sys
print('{LOADED}', flush=True)
with open(sys.argv[1], "w") as file:
    for line in sys.stdin:
        print(line, end="", file=file, flush=True)
"""
"""A tester that writes down what it is told, until there is no more."""

SAYS_ODD_THINGS = f"""
import sys
print('{LOADED}')
print('no event')
print('{READY}', flush=True)
sys.stdin.read()
"""

HANGS = f"""
import time
print('{LOADED}', flush=True)
time.sleep(60)
"""


async def process(code: str, *words: str) -> Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-S", "-c", code, *words), stdin=PIPE, stdout=PIPE
    )


@asynccontextmanager
async def running(*processes: Process) -> AsyncIterator[Fleet]:
    made = Fleet(processes)
    try:
        yield made
    finally:
        await made.close()


def orders(file: Path) -> list[Order]:
    return [wire.decode_order(line) for line in file.read_bytes().splitlines()]


@pytest.mark.parametrize(("users", "testers"), [(1, 2), (10, 2), (11, 3), (200, 40)])
def test_no_tester_has_more_than_some_users(users: int, testers: int) -> None:
    assert fleets.testers_for(users) == testers


async def test_users_call_one_after_the_other_whoever_has_them(tmp_path: Path) -> None:
    files = [tmp_path / "first", tmp_path / "second"]
    users = plans(4, Setting())
    async with running(*[await process(KEEPS_ORDERS, str(file)) for file in files]) as fleet:
        await fleet.loaded()
        await fleet.talk(0.5)
        await fleet.add(users[:3], 0.25)
        await fleet.add(users[3:], 0.25)
        await fleet.add([], 0.25)
    first, second = map(orders, files)
    assert first == [Talk(0.5), Connect([users[0], users[2]], 0.5, 0.0)]
    assert second == [
        Talk(0.5),
        Connect([users[1]], 0.5, 0.25),
        Connect([users[3]], 0.5, 0.0),
    ]


async def test_what_is_no_event_is_passed_over() -> None:
    async with running(await process(SAYS_ODD_THINGS)) as fleet:
        assert await fleet.until_ready(1, 30.0) == 1
        assert await fleet.until_ready(2, 0.05) == 1
    assert fleet.journal.ready_s == {"user-0": 1.0}


async def test_time_passes_where_nothing_is_told() -> None:
    async with running(await process(KEEPS_ORDERS, "/dev/null")) as fleet:
        await fleet.loaded()
        began_s = time.monotonic()
        await fleet.wait(0.2)
        assert time.monotonic() - began_s >= 0.19


async def test_a_tester_that_ended_while_nobody_waited_is_told() -> None:
    async with running(await process("")) as fleet:
        await asyncio.gather(*fleet._readers)
        async with asyncio.timeout(10):
            for waits in (fleet.loaded(), fleet.wait(60.0), fleet.until_ready(1, 60.0)):
                with pytest.raises(fleets.TesterFailed, match="--debug"):
                    await waits


async def test_orders_to_a_tester_that_ended_are_no_fault_of_their_own() -> None:
    ended = await process("")
    async with running(ended) as fleet:
        await ended.wait()
        await fleet.talk(0.5)
        await fleet.add(plans(1, Setting()))
        with pytest.raises(fleets.TesterFailed):
            await fleet.wait(60.0)


async def test_testers_that_never_load_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleets, "LOAD_TIMEOUT_S", 0.05)
    async with running(await process("import sys; sys.stdin.read()")) as fleet:
        with pytest.raises(fleets.TesterFailed, match="in time"):
            await fleet.loaded()


async def test_all_testers_that_hang_are_ended_in_the_time_of_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fleets, "END_TIMEOUT_S", 1.0)
    hanging = [await process(HANGS) for _ in range(4)]
    async with running(*hanging) as fleet:
        await fleet.loaded()
        began_s = time.monotonic()
    assert time.monotonic() - began_s < 3.5
    assert all(one.returncode is not None for one in hanging)

"""A tester process by itself: what it is told, what it tells, and that it ends with its input."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TypeVar

import pytest

from loadtests import wire
from loadtests.tester import TICK_S
from loadtests.user import BACK_OFF_S
from loadtests.voices import FAKE_F0_HZ, phrases
from loadtests.wire import Connect, Event, Loaded, Order, Second, Talk, Trouble, UserPlan
from voicepeer.audio import write_wav
from voicepeer.core.pcm import WIRE_RATE_HZ

pytestmark = pytest.mark.peer

EventT = TypeVar("EventT", bound=Event)


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    write_wav(tmp_path / "voice.wav", phrases(FAKE_F0_HZ[0]), WIRE_RATE_HZ)
    return tmp_path / "voice.wav"


@pytest.fixture
async def tester(recording: Path) -> AsyncIterator[Process]:
    """A tester of a service that is not there."""
    made = await started(f"http://127.0.0.1:{free_port()}", recording)
    yield made
    await hung_up(made)


async def started(url: str, *recordings: Path) -> Process:
    words = ("-m", "loadtests.tester", url, *map(str, recordings))
    environ = {name: value for name, value in os.environ.items() if name != "VOICEPEER_TOKEN"}
    return await asyncio.create_subprocess_exec(
        sys.executable, *words, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=environ
    )


async def hung_up(process: Process) -> int:
    assert process.stdin is not None
    process.stdin.close()
    async with asyncio.timeout(30):
        return await process.wait()


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


async def told(process: Process, kind: type[EventT]) -> EventT:
    """The next event of a kind."""
    assert process.stdout is not None
    async with asyncio.timeout(60):
        while line := await process.stdout.readline():
            event = wire.decode_event(line)
            if isinstance(event, kind):
                return event
    raise AssertionError("the tester has ended")


def order(process: Process, *orders: Order) -> None:
    assert process.stdin is not None
    for one in orders:
        process.stdin.write(wire.encode(one))


async def test_it_tells_that_it_is_there_and_then_of_its_own_life(tester: Process) -> None:
    assert (await told(tester, Loaded)).pid == tester.pid
    first, second = await told(tester, Second), await told(tester, Second)
    assert len(first.late_ms) == len(second.late_ms) == round(1.0 / TICK_S)
    assert min(first.late_ms) >= 0.0
    # Twenty waits, whatever else the machine has to do.
    assert second.at_s - first.at_s >= 0.99
    assert second.cpu_s >= first.cpu_s > 0
    assert first.gaps_ms == {}
    assert first.unstamped == 0


async def test_it_ends_with_its_input(recording: Path) -> None:
    process = await started("http://127.0.0.1:9", recording)
    await told(process, Loaded)
    order(process, Talk(0.5), Connect([UserPlan(name="user-0")]))
    assert await hung_up(process) == 0


async def test_users_whose_service_is_not_there_say_so_and_call_again(tester: Process) -> None:
    await told(tester, Loaded)
    order(tester, Connect([UserPlan(name="user-0", kind="storm")]))
    first, second = await told(tester, Trouble), await told(tester, Trouble)
    assert (first.user, first.kind) == ("user-0", "storm")
    assert first.code == second.code
    assert second.at_s - first.at_s >= BACK_OFF_S - 0.01


async def test_users_wait_until_it_is_their_turn(tester: Process) -> None:
    await told(tester, Loaded)
    began_s = time.monotonic()
    order(tester, Connect([UserPlan(name="user-0"), UserPlan(name="user-1")], 0.4, 0.3))
    first, second = await told(tester, Trouble), await told(tester, Trouble)
    assert [first.user, second.user] == ["user-0", "user-1"]
    assert first.at_s - began_s >= 0.3
    assert second.at_s - began_s >= 0.7


@pytest.mark.parametrize("line", [b"no order\n", b'{"type": "walk"}\n'])
async def test_what_is_no_order_is_a_fault(tester: Process, line: bytes) -> None:
    await told(tester, Loaded)
    assert tester.stdin is not None
    tester.stdin.write(line)
    async with asyncio.timeout(30):
        assert await tester.wait() == 1


async def test_without_a_recording_it_does_not_begin(tmp_path: Path) -> None:
    process = await started("http://127.0.0.1:9", tmp_path / "none.wav")
    assert await hung_up(process) == 1

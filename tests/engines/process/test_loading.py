"""A spare worker: warm while nobody needs it, at work as soon as the one before it ends."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable

import pytest

from engines.api import EngineCrashed, EngineError, Segment
from engines.fakes import FakeSpeechEngine, Script
from engines.host import EngineHost, HostSpec
from engines.process.loading import (
    FIRST_BACKOFF_S,
    MAX_BACKOFF_S,
    LoadingWorker,
    Spare,
    backoff_s,
)
from tests.engines.homes import collect
from tests.processes import alive
from voicepeer.core.messages import Failed, ServerMessage, Speak
from voicepeer.core.speaking.pacer import Pacer
from voicepeer.ports import NobodyObserves
from voicepeer.speech import SpeechQueue

pytestmark = pytest.mark.peer

LONG = "a sentence that goes on for a good while so that it can be cut off in its middle"
VOICE = FakeSpeechEngine().stock_voices()["mid"]
PATIENCE_S = 90.0
"""Far less than a test may take; a machine with much else to do needs it."""


def spec(script: Script | None = None, *, spare: bool = True) -> HostSpec:
    """A host of the fake models."""
    options = (script or Script()).to_options()
    return HostSpec("fake", "fake", "fake", options=options, spare=spare)


@pytest.fixture
async def host() -> AsyncIterator[EngineHost]:
    async with EngineHost(spec()) as started:
        yield started


async def until(condition: Callable[[], object]) -> None:
    """Wait for other processes to get somewhere."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110 - of another process
            await asyncio.sleep(0.01)


async def spare_of(host: EngineHost) -> int:
    """Process id of the spare, once it is warm."""
    await until(lambda: host.spare_pid)
    assert host.spare_pid is not None
    return host.spare_pid


async def test_the_spare_takes_over_and_another_one_is_made(host: EngineHost) -> None:
    for count in (1, 2):
        at_work, spare = host.worker_pids["speech"], await spare_of(host)
        assert spare != at_work
        os.kill(at_work, signal.SIGKILL)
        await until(lambda count=count: host.restarts == count and host.ready)  # type: ignore[misc]
        assert host.worker_pids["speech"] == spare
        assert await collect(host.speak(Segment("hello there"), VOICE))
    assert await spare_of(host) != host.worker_pids["speech"]


async def test_what_was_being_said_is_lost_and_nothing_else(host: EngineHost) -> None:
    spare = await spare_of(host)
    stream = host.speak(Segment(LONG), VOICE)
    await anext(stream)
    os.kill(host.worker_pids["speech"], signal.SIGKILL)
    with pytest.raises(EngineCrashed):
        await collect(stream)
    # Asked while nobody is there: the spare says it.
    assert await collect(host.speak(Segment("hello"), VOICE))
    assert host.worker_pids["speech"] == spare


async def test_a_spare_that_ends_is_replaced_and_no_restart(host: EngineHost) -> None:
    spare = await spare_of(host)
    os.kill(spare, signal.SIGKILL)
    await until(lambda: host.spare_pid not in (None, spare))
    assert host.restarts == 0
    assert host.ready


async def test_after_both_were_killed_there_are_both_again() -> None:
    async with EngineHost(spec(Script(load_delay_ms=300.0))) as host:
        at_work, spare = host.worker_pids["speech"], await spare_of(host)
        for pid in (spare, at_work):
            os.kill(pid, signal.SIGKILL)
        # Whichever of the two ends is seen first, both are replaced.
        await until(lambda: host.worker_pids.get("speech") not in (None, at_work, spare))
        assert await collect(host.speak(Segment("hello there"), VOICE))
        await until(lambda: host.spare_pid not in (None, spare, host.worker_pids["speech"]))


async def test_no_spare_is_made_while_nobody_is_at_work() -> None:
    serving, made = asyncio.Event(), asyncio.Event()

    def make() -> LoadingWorker:
        made.set()
        raise EngineError("enough is known")

    running = asyncio.create_task(Spare(make, serving).run())
    for _ in range(10):
        await asyncio.sleep(0)
    assert not made.is_set()
    serving.set()
    async with asyncio.timeout(PATIENCE_S):
        await made.wait()
    running.cancel()
    await asyncio.wait([running])


async def test_closing_ends_both() -> None:
    async with EngineHost(spec()) as host:
        pids = [host.worker_pids["speech"], await spare_of(host)]
    assert not any(alive(pid) for pid in pids)


async def test_closing_while_the_spare_is_being_made_ends_it() -> None:
    async with EngineHost(spec(Script(load_delay_ms=300.0))) as host:
        await asyncio.sleep(0)
        assert host.spare_pid is None


async def test_without_one_asked_for_there_is_none() -> None:
    async with EngineHost(spec(spare=False)) as host:
        assert host.spare_pid is None
        at_work = host.worker_pids["speech"]
        os.kill(at_work, signal.SIGKILL)
        await until(lambda: host.ready and host.worker_pids.get("speech") not in (None, at_work))
        assert host.spare_pid is None


async def test_what_a_call_says_next_is_said_by_the_spare() -> None:
    told: list[ServerMessage] = []
    async with EngineHost(spec(Script(chunk_delay_ms=50.0))) as host:
        spare, pacer = await spare_of(host), Pacer()
        queue = SpeechQueue(host, pacer, told.append, NobodyObserves())
        queue.voice = VOICE
        running = asyncio.create_task(queue.run())
        queue.speak(Speak(utterance_id="lost", text=LONG))
        (generation,) = queue._playing
        await until(lambda: pacer.buffered_ms(generation))
        os.kill(host.worker_pids["speech"], signal.SIGKILL)
        await until(lambda: any(isinstance(event, Failed) for event in told))
        queue.speak(Speak(utterance_id="next", text="Here I am again."))
        (generation,) = queue._playing
        await until(lambda: pacer.buffered_ms(generation))
        assert host.worker_pids["speech"] == spare
        queue.close()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    failed = [event for event in told if isinstance(event, Failed)]
    assert [(one.utterance_id, one.retryable) for one in failed] == [("lost", True)]


def test_waits_grow_up_to_a_bound() -> None:
    waits = [backoff_s(failures) for failures in range(12)]
    assert waits[:3] == [0.0, 0.0, FIRST_BACKOFF_S]
    assert waits == sorted(waits)
    assert waits[-1] == MAX_BACKOFF_S

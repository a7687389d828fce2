"""What the compared take while nobody calls, and who does not outlast that."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from loadtests.peers import bench, calls
from loadtests.peers.bench import Run
from loadtests.peers.catalogue import Peer
from loadtests.peers.contestant import Caller
from loadtests.peers.usage import usage_of

pytestmark = pytest.mark.peer

BURN = "import time\nwhile time.process_time() < 0.2: pass\n"
TIMEOUT_S = 60.0


@asynccontextmanager
async def running(program: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process that has used some processor time, until the block ends."""
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program)
    try:
        async with asyncio.timeout(TIMEOUT_S):
            # Linux counts in ticks, so it may never be quite as much.
            while usage_of(process.pid).cpu_s < 0.1:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def run_of(pid: int) -> Run:
    """Somebody who takes calls, which nobody makes here."""
    contestant = Caller("idle", pid, lambda: calls.our_call("http://127.0.0.1:9", "mid"))
    return Run(Peer("idle", "not run", "a fake"), contestant=contestant)


async def test_who_does_nothing_takes_next_to_nothing() -> None:
    async with (
        running(f"{BURN}time.sleep(60)") as sleeps,
        running(f"{BURN}while True: pass") as works,
    ):
        runs = [run_of(sleeps.pid), run_of(works.pid)]
        await bench._watch_idle(runs, 1.0)
    idle, busy = (run.samples.idle_cores for run in runs)
    assert idle is not None
    assert busy is not None
    assert 0.0 <= idle < busy


async def test_who_ends_meanwhile_has_failed_and_no_figure() -> None:
    async with running(f"{BURN}time.sleep(60)") as sleeps:
        run = run_of(sleeps.pid)
        watching = asyncio.create_task(bench._watch_idle([run], 0.5))
        await asyncio.sleep(0)
        sleeps.kill()
        await sleeps.wait()
        await watching
    assert run.samples.idle_cores is None
    assert run.samples.failure == "it ended while nobody called it"
    assert run.able is None


async def test_who_has_failed_already_is_not_looked_at() -> None:
    failed, missing = run_of(1), Run(Peer("missing", "not run", "nobody installed it"))
    failed.samples.failure = "it did not answer in time"
    await bench._watch_idle([failed, missing], 0.0)
    assert failed.samples.idle_cores is missing.samples.idle_cores is None
    assert failed.samples.failure == "it did not answer in time"

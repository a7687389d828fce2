from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from loadtests.peers.usage import Usage, memory_mb, settle, usage_of

pytestmark = pytest.mark.peer

BURN = "import time; end = time.process_time() + 0.3\nwhile time.process_time() < end: pass\n"
HELD_MB = 60
HOLD = f"held = bytearray(b'x') * {HELD_MB}_000_000; print('held', flush=True); input()"
NESTED = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {HOLD!r}])"


@pytest.fixture
def holder() -> Iterator[subprocess.Popen[str]]:
    """A process whose child holds memory."""
    command = [sys.executable, "-c", NESTED]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.communicate("\n")


def test_memory_of_children_counts(holder: subprocess.Popen[str]) -> None:
    assert HELD_MB < memory_mb(holder.pid) < HELD_MB + 60


def test_processor_time_is_told_with_its_moment() -> None:
    before = usage_of(os.getpid())
    while (now := usage_of(os.getpid())).cpu_s < before.cpu_s + 0.1:
        pass
    assert 0 < now.cores_since(before) < 2.0
    assert Usage(12.0, 5.0).cores_since(Usage(10.0, 4.0)) == 0.5


def test_nobody_there_has_used_nothing() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert usage_of(gone.pid).cpu_s == 0.0
    assert memory_mb(gone.pid) == 0.0


async def test_settling_waits_for_the_end_of_the_work() -> None:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", BURN + "input()",
        stdin=asyncio.subprocess.PIPE)  # fmt: skip
    try:
        await settle(process.pid, at_most_s=30.0)
        assert usage_of(process.pid).cpu_s >= 0.3
    finally:
        await process.communicate(b"\n")


async def test_settling_gives_up_on_who_is_never_done() -> None:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "while True: pass")
    try:
        began_s = time.monotonic()
        await settle(process.pid, at_most_s=0.5)
        assert time.monotonic() - began_s >= 0.5
    finally:
        process.kill()
        await process.wait()

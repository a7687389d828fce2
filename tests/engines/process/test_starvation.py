"""Who waited for a core, by what the system counts."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from engines.process.starvation import Starvation

pytestmark = pytest.mark.unit

BUSY = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.nice(int(os.environ["NICER"]))
while True: pass
"""


def count(proc: Path, pid: int, thread: int, text: str) -> None:
    folder = proc / str(pid) / "task" / str(thread)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "schedstat").write_text(text)


def test_nothing_is_known_at_first(tmp_path: Path) -> None:
    count(tmp_path, 7, 7, "1 5000000000 3")
    assert Starvation(tmp_path).since_last_s(7) == 0.0


def test_the_most_starved_thread_counts(tmp_path: Path) -> None:
    starvation = Starvation(tmp_path)
    for waited_ns in (0, 1):
        count(tmp_path, 7, 7, f"9 {waited_ns} 1")
        count(tmp_path, 7, 8, f"9 {2_500_000_000 * waited_ns} 1")
        told_s = starvation.since_last_s(7)
    assert told_s == 2.5
    assert starvation.since_last_s(7) == 0.0


def test_a_thread_that_is_new_has_waited_before(tmp_path: Path) -> None:
    starvation = Starvation(tmp_path)
    count(tmp_path, 7, 7, "1 1 1")
    starvation.since_last_s(7)
    count(tmp_path, 7, 8, "1 9000000000 1")
    assert starvation.since_last_s(7) == 0.0


@pytest.mark.parametrize("text", ["", "1", "x y z", "1 later 2"])
def test_what_cannot_be_read_tells_nothing(tmp_path: Path, text: str) -> None:
    starvation = Starvation(tmp_path)
    for _ in range(2):
        count(tmp_path, 7, 7, text)
        assert starvation.since_last_s(7) == 0.0


def test_a_process_that_is_gone_has_not_waited(tmp_path: Path) -> None:
    assert Starvation(tmp_path).since_last_s(7) == 0.0


@contextmanager
def busy(nicer: int) -> Iterator[subprocess.Popen[bytes]]:
    """A process that always works, with all others of its kind on one core."""
    process = subprocess.Popen(
        [sys.executable, "-c", BUSY], env={**os.environ, "NICER": str(nicer)}
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_busy_process_without_a_core_is_starved_and_one_that_sleeps_is_not() -> None:
    starving, sleeping = Starvation(), Starvation()
    with ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(busy(0))
        last = stack.enter_context(busy(15))
        sleeper = stack.enter_context(subprocess.Popen(["sleep", "60"]))
        stack.callback(sleeper.kill)
        time.sleep(0.5)
        starving.since_last_s(last.pid)
        sleeping.since_last_s(sleeper.pid)
        time.sleep(1.0)
        assert starving.since_last_s(last.pid) > 0.3
        assert sleeping.since_last_s(sleeper.pid) < 0.1

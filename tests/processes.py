"""What the system says about processes, for tests that nothing is left behind."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


def alive(pid: int) -> bool:
    """Whether a process still runs; one that only waits to be reaped does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in {"Z", "X"}


def children() -> set[int]:
    """Processes that this one started and has not reaped."""
    tasks = Path("/proc/self/task").iterdir()
    return {int(pid) for task in tasks for pid in (task / "children").read_text().split()}


def wait_until(true: Callable[[], bool], limit_s: float = 30.0) -> None:
    """Block until something is true; fails after ``limit_s``."""
    deadline = time.monotonic() + limit_s
    while not true():
        assert time.monotonic() < deadline, f"not so within {limit_s} s"
        time.sleep(0.01)


@dataclass(frozen=True)
class Holdings:
    """What this process has of the system."""

    fds: frozenset[str]
    threads: int
    children: frozenset[int]
    tasks: int


def holdings() -> Holdings:
    """What this process holds now; call it where an event loop runs."""
    return Holdings(
        frozenset(os.listdir("/proc/self/fd")),
        threading.active_count(),
        frozenset(children()),
        len(asyncio.all_tasks()),
    )

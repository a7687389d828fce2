"""What the processes of a peer use: processor time between two moments, and memory now."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

from loadtests.processes import tree, tree_usage
from voicepeer.machine import process_usage

_PROC = Path("/proc")

SETTLED_CORES = 0.15
"""Somebody in a call with nothing to say takes less."""

_SETTLE_STEP_S = 0.3


@dataclass(frozen=True, slots=True)
class Usage:
    """Processor time of a tree of processes until a moment of ``time.monotonic()``."""

    at_s: float
    cpu_s: float

    def cores_since(self, before: Usage) -> float:
        """Processor time by time."""
        return (self.cpu_s - before.cpu_s) / max(self.at_s - before.at_s, 1e-9)


def usage_of(pid: int) -> Usage:
    """Of a process and all that it has started; nothing where there is no such process."""
    usage = tree_usage(pid)
    return Usage(time.monotonic(), 0.0 if usage is None else usage.cpu_s)


def memory_mb(pid: int, proc: Path = _PROC) -> float:
    """Memory of a tree in 10^6 bytes; what several share counts once (proc(5): ``Pss``)."""
    return sum(_proportional_bytes(one, proc) for one in tree(pid)) / 1e6


def _proportional_bytes(pid: int, proc: Path) -> int:
    try:
        lines = (proc / str(pid) / "smaps_rollup").read_text().splitlines()
    except OSError:
        usage = process_usage(pid, proc)
        return 0 if usage is None else usage.resident_bytes
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


async def settle(pid: int, at_most_s: float) -> None:
    """Wait until a tree has next to nothing to do any more, for so long at most."""
    ends_s = time.monotonic() + at_most_s
    before = usage_of(pid)
    while time.monotonic() < ends_s:
        await asyncio.sleep(_SETTLE_STEP_S)
        now = usage_of(pid)
        if now.cores_since(before) < SETTLED_CORES:
            return
        before = now

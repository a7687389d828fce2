"""What Linux says of processes and of the memory that is left, read anew each time.

Elsewhere, or where a file cannot be read, nothing is known, which is never an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.metrics_core import Metric


class _OwnProcess(ProcessCollector):
    """Reads within this module, so that it is known whose reading of ``/proc`` it is."""

    def collect(self) -> Iterable[Metric]:
        """The process now."""
        return [*super().collect()]


def watch_process(registry: CollectorRegistry) -> None:
    """Let Prometheus see what this process uses, as ``process_…``."""
    _OwnProcess(registry=registry)


_CGROUP_V2 = ("memory.max", "memory.current", "inactive_file")
_CGROUP_V1 = ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "total_inactive_file")
_UNLIMITED = 1 << 60
"""What version 1 of cgroups has for no limit is a little under 2^63."""


@dataclass(frozen=True, slots=True)
class ProcessUsage:
    """What a process has used so far, and what memory it holds."""

    cpu_s: float
    resident_bytes: int


def process_usage(pid: int, proc: Path = Path("/proc")) -> ProcessUsage | None:
    """Of a process (proc(5): ``/proc/pid/stat``), or ``None`` where there is no such process."""
    try:
        stat = (proc / str(pid) / "stat").read_text()
    except OSError:
        return None
    # The name of the program, in brackets, may have blanks.
    fields = stat.rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    return ProcessUsage(
        ticks / os.sysconf("SC_CLK_TCK"), int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
    )


def free_memory_share(
    proc: Path = Path("/proc"), cgroup: Path = Path("/sys/fs/cgroup")
) -> float | None:
    """The share of memory that is left to this process, 0 to 1, or ``None`` where nobody tells.

    The less of what the machine has and of what the container may have; what is only a copy of a
    file on the disk counts as free.
    """
    found = (_of_machine(proc), _of_group(cgroup, _CGROUP_V2), _of_group(cgroup, _CGROUP_V1))
    shares = [share for share in found if share is not None]
    return min(shares, default=None)


def _of_machine(proc: Path) -> float | None:
    sizes = _table(proc / "meminfo")
    total, available = sizes.get("MemTotal:"), sizes.get("MemAvailable:")
    return available / total if total and available is not None else None


def _of_group(cgroup: Path, names: tuple[str, str, str]) -> float | None:
    limit, used = _number(cgroup / names[0]), _number(cgroup / names[1])
    if limit is None or used is None or not 0 < limit < _UNLIMITED:
        return None
    cache = _table((cgroup / names[1]).with_name("memory.stat")).get(names[2], 0)
    return min(max(1.0 - (used - cache) / limit, 0.0), 1.0)


def _table(file: Path) -> dict[str, int]:
    """Lines of a name, a number and perhaps a unit."""
    try:
        lines = [line.split() for line in file.read_text().splitlines()]
    except OSError:
        return {}
    return {line[0]: int(line[1]) for line in lines if len(line) > 1 and line[1].isdecimal()}


def _number(file: Path) -> int | None:
    """What a file has alone; ``None`` also for ``max``, which is no limit."""
    try:
        text = file.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None

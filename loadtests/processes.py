"""What a process and all that it has started use, as Linux tells it (proc(5))."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from voicepeer.machine import process_usage

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class TreeUsage:
    """Of a process with its descendants, at one moment."""

    cpu_s: float
    """Processor time so far, with that of children that have ended."""
    rss_mb: float
    """Sum of resident memory; what several share is counted in each."""
    fds: int
    threads: int
    main_cpu_s: float
    """Of the first process alone."""


def tree(pid: int, proc: Path = _PROC) -> list[int]:
    """A process and its descendants that are there now."""
    found, new = [], [pid]
    while new:
        found += new
        new = [child for parent in new for child in _children(proc / str(parent))]
    return found


def tree_usage(pid: int) -> TreeUsage | None:
    """What they use, or ``None`` where there is no such process."""
    first = process_usage(pid)
    if first is None:
        return None
    pids = tree(pid)
    usages = [usage for usage in map(process_usage, pids) if usage is not None]
    return TreeUsage(
        cpu_s=sum(usage.cpu_s for usage in usages) + sum(map(_ended_cpu_s, pids)),
        rss_mb=sum(usage.resident_bytes for usage in usages) / 1e6,
        fds=sum(_entries(one, "fd") for one in pids),
        threads=sum(_entries(one, "task") for one in pids),
        main_cpu_s=first.cpu_s,
    )


def _children(process: Path) -> list[int]:
    """Of all of a process's threads (``/proc/pid/task/tid/children``)."""
    try:
        threads = list((process / "task").iterdir())
    except OSError:  # it has ended meanwhile
        return []
    return [int(word) for thread in threads for word in _words(thread / "children")]


def _words(file: Path) -> list[str]:
    """None of a thread that has ended meanwhile: the others' children still count."""
    try:
        return file.read_text().split()
    except OSError:
        return []


def _ended_cpu_s(pid: int) -> float:
    """Processor time of children that a process has waited for (``/proc/pid/stat``, 16 and 17)."""
    try:
        fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def _entries(pid: int, folder: str) -> int:
    try:
        return len(os.listdir(_PROC / str(pid) / folder))
    except OSError:
        return 0

"""What Linux says of processes and memory, from files as it has them."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from voicepeer.machine import free_memory_share, process_usage

pytestmark = pytest.mark.unit

MEMINFO = (
    "MemTotal:       16000 kB\nMemFree:         1000 kB\nMemAvailable:    8000 kB\nHugePages: 0\n"
)


def machine(folder: Path, meminfo: str = MEMINFO) -> Path:
    """A ``/proc``."""
    proc = folder / "proc"
    proc.mkdir()
    (proc / "meminfo").write_text(meminfo)
    return proc


def container(folder: Path, limit: str, used: int, cache: int) -> Path:
    """A ``/sys/fs/cgroup`` of version 2."""
    group = folder / "cgroup"
    group.mkdir()
    (group / "memory.max").write_text(f"{limit}\n")
    (group / "memory.current").write_text(f"{used}\n")
    (group / "memory.stat").write_text(f"anon 1\ninactive_file {cache}\n")
    return group


def old_container(folder: Path, limit: int, used: int, cache: int) -> Path:
    """The same of version 1."""
    group = folder / "cgroup" / "memory"
    group.mkdir(parents=True)
    (group / "memory.limit_in_bytes").write_text(f"{limit}\n")
    (group / "memory.usage_in_bytes").write_text(f"{used}\n")
    (group / "memory.stat").write_text(f"inactive_file 1\ntotal_inactive_file {cache}\n")
    return group.parent


def test_the_machine_without_a_container(tmp_path: Path) -> None:
    assert free_memory_share(machine(tmp_path), tmp_path) == 0.5


@pytest.mark.parametrize(
    ("limit", "used", "cache", "share"),
    [
        ("1000", 900, 100, 0.2),
        ("1000", 500, 400, 0.5),
        ("max", 900, 0, 0.5),
        ("1000", 1200, 0, 0.0),
    ],
)
def test_the_less_of_machine_and_container(
    tmp_path: Path, limit: str, used: int, cache: int, share: float
) -> None:
    found = free_memory_share(machine(tmp_path), container(tmp_path, limit, used, cache))
    assert found == pytest.approx(share)


@pytest.mark.parametrize(("limit", "share"), [(1_000, 0.2), (2**63 - 4096, 0.5)])
def test_older_containers(tmp_path: Path, limit: int, share: float) -> None:
    found = free_memory_share(machine(tmp_path), old_container(tmp_path, limit, 900, 100))
    assert found == pytest.approx(share)


def test_where_nobody_tells_nothing_is_known(tmp_path: Path) -> None:
    assert free_memory_share(tmp_path, tmp_path) is None
    assert free_memory_share(machine(tmp_path, "MemTotal: 5 kB\n"), tmp_path) is None
    assert process_usage(1, tmp_path) is None


def test_a_name_with_blanks_and_brackets(tmp_path: Path) -> None:
    fields = ["S", *["0"] * 10, "150", "50", *["0"] * 8, "3", *["0"] * 20]
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "stat").write_text(f"7 (a) (b c) {' '.join(fields)}\n")
    usage = process_usage(7, tmp_path)
    assert usage is not None
    assert usage.cpu_s == pytest.approx(200 / os.sysconf("SC_CLK_TCK"))
    assert usage.resident_bytes == 3 * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(sys.platform != "linux", reason="read from /proc")
def test_this_process_is_seen_to_work() -> None:
    before, until_s = process_usage(os.getpid()), time.process_time() + 0.05
    while time.process_time() < until_s:
        pass
    after = process_usage(os.getpid())
    assert before is not None
    assert after is not None
    assert after.cpu_s >= before.cpu_s + 0.02
    assert after.resident_bytes > 1_000_000
    share = free_memory_share()
    assert share is not None
    assert 0.0 < share < 1.0

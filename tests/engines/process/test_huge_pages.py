"""What is in use becomes huge pages, and keeps what is in it."""

from __future__ import annotations

import mmap
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from engines.process import huge_pages
from engines.process.huge_pages import collapse

pytestmark = pytest.mark.unit

MB = 1 << 20

GROWS = """
import mmap, time
from engines.process.huge_pages import collapse_in_thread
memory = mmap.mmap(-1, 32 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memory.write(b"x" * (32 << 20))
def huge():
    lines = open("/proc/self/smaps_rollup").readlines()
    return next(int(line.split()[1]) for line in lines if "AnonHuge" in line)
before = huge()
collapse_in_thread((0.0, 0.1))
until = time.monotonic() + 30
while huge() < before + 16 * 1024 and time.monotonic() < until:
    time.sleep(0.05)
print(huge() - before)
"""


def memory_mb(what: str) -> float:
    text = Path("/proc/self/smaps_rollup").read_text()
    found = re.search(rf"^{what}: +(\d+) kB", text, re.MULTILINE)
    assert found
    return int(found[1]) / 1024


def small_pages(size: int) -> mmap.mmap:
    return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def able() -> bool:
    """Whether this kernel can do it at all."""
    release = tuple(int(part) for part in os.uname().release.split(".")[:2])
    enabled = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    return release >= (6, 1) and enabled.exists() and "[never]" not in enabled.read_text()


needs_huge_pages = pytest.mark.skipif(not able(), reason="no huge pages in this kernel")


@needs_huge_pages
def test_what_is_in_use_becomes_huge_and_stays_what_it_was() -> None:
    told = os.urandom(MB)
    with small_pages(32 * MB) as memory:
        for at in range(0, 32 * MB, MB):
            memory[at : at + MB] = told
        before = memory_mb("AnonHugePages")
        assert collapse() >= 14
        assert memory_mb("AnonHugePages") >= before + 28
        assert all(memory[at : at + MB] == told for at in range(0, 32 * MB, MB))


@needs_huge_pages
def test_what_is_hardly_used_takes_no_more_memory() -> None:
    collapse()
    with small_pages(256 * MB) as memory:
        for at in range(0, 256 * MB, MB):
            memory[at] = 1
        before = memory_mb("Rss")
        collapse()
        assert memory_mb("Rss") < before + 32


@needs_huge_pages
def test_it_is_done_beside_all_else() -> None:
    told = subprocess.run([sys.executable, "-c", GROWS], capture_output=True, text=True, check=True)
    assert int(told.stdout) >= 16 * 1024


@pytest.mark.parametrize("enabled", ["always madvise [never]", None])
def test_where_it_is_not_wanted_or_not_known_nothing_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, enabled: str | None
) -> None:
    if enabled is not None:
        (tmp_path / "enabled").write_text(enabled)
        (tmp_path / "hpage_pmd_size").write_text("2097152")
    monkeypatch.setattr(huge_pages, "_SETTINGS", tmp_path)
    assert collapse() == 0

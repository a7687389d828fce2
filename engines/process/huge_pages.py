"""In the worker: memory that is in use, moved into huge pages (Linux 6.1, ``MADV_COLLAPSE``).

Models are read from end to end for every sound, and pages of 4 kB make that slow where a machine is
a virtual one: each has to be looked up twice, and hosts take small pages that rest away. Asking the
allocator for huge ones (``child.ALLOCATOR``) reaches only what it gets in one piece.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

MADV_COLLAPSE = 25
PASSES_S = (0.0, 60.0)
"""After loading; and once more, for what was got when models ran for the first time."""

WORTHWHILE = 0.5
"""The share of a huge page that has to be in use: the rest of it costs memory."""

_PRESENT = np.uint64(1 << 63)
_REST_S = 0.002
"""Between two of them, each of which keeps the process from getting memory for a millisecond."""

_SETTINGS = Path("/sys/kernel/mm/transparent_hugepage")
_MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw-p \S+ \S+ \S+ *(\S*)")


def collapse_in_thread(passes_s: Sequence[float] = PASSES_S) -> None:
    """Do it beside all else, so long after now and after one another, where that can be done."""

    def run() -> None:
        for wait_s in passes_s:
            time.sleep(wait_s)
            collapse()

    if sys.platform == "linux":
        threading.Thread(target=run, name="huge-pages", daemon=True).start()


def collapse() -> int:
    """Move what this process mostly uses into huge pages; how many there are more."""
    try:
        size = int((_SETTINGS / "hpage_pmd_size").read_text())
        if "[never]" in (_SETTINGS / "enabled").read_text():
            return 0
        starts = list(_worthwhile(size))
    except (OSError, ValueError):  # another kernel, or none of its business
        return 0
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    done = 0
    for start in starts:
        # One that was given back meanwhile, or is a huge one already, is no matter.
        done += madvise(start, size, MADV_COLLAPSE) == 0
        time.sleep(_REST_S)
    return done


def _worthwhile(size: int) -> Iterator[int]:
    """Addresses of what could be a huge page, of which enough is in use."""
    page = os.sysconf("SC_PAGE_SIZE")
    with open("/proc/self/pagemap", "rb", buffering=0) as pagemap:
        for start in _places(size):
            entries = os.pread(pagemap.fileno(), size // page * 8, start // page * 8)
            present = np.frombuffer(entries, np.uint64) & _PRESENT
            if np.count_nonzero(present) >= WORTHWHILE * (size // page):
                yield start


def _places(size: int) -> Iterator[int]:
    """All whole places of a size in this process's own anonymous memory."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        found = _MAPPING.fullmatch(line.rstrip())
        if found and found[3] in ("", "[heap]"):
            low, high = int(found[1], 16), int(found[2], 16)
            yield from range(-(-low // size) * size, high - size + 1, size)

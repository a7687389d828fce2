"""In a process that works for another one: ends with that, whatever it is doing."""

from __future__ import annotations

import ctypes
import signal
import sys

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def die_with_parent() -> None:
    """Be killed when the thread that started this process ends, also while C code has the GIL.

    Linux alone can do that; elsewhere whoever reads from the parent sees it end.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

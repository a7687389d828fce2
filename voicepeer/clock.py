"""Whether this machine's clock is right, as far as it can be known without asking anybody."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Final

_TIME_ERROR: Final = 5
"""What adjtimex(2) answers where nobody sets the clock."""

_TIMEX_BYTES: Final = 512
"""More than ``struct timex`` has anywhere; all zeros ask and change nothing."""

LEEWAY_S: Final = 24 * 3600.0


def is_kept() -> bool | None:
    """Whether something keeps the clock in step; ``None`` where the system cannot say."""
    adjtimex = getattr(ctypes.CDLL(None), "adjtimex", None)
    if adjtimex is None:
        return None
    state = adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES))
    return None if state < 0 else bool(state != _TIME_ERROR)


def is_behind(now_s: float) -> bool:
    """Whether it is earlier than this software was installed, which cannot be."""
    return now_s < Path(__file__).stat().st_mtime - LEEWAY_S

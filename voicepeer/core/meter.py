"""How loud something is, for a bar that moves: 0 to 1 over the decibels that matter in speech."""

from __future__ import annotations

from typing import Final

import numpy as np

from voicepeer.core.pcm import SILENCE_DBFS, Pcm16, from_pcm16, level_dbfs

FLOOR_DBFS: Final = -60.0
"""What counts as 0; full scale counts as 1."""


class Meter:
    """Measures the loudest stretch between two readings."""

    def __init__(self) -> None:
        self._peak_dbfs = SILENCE_DBFS

    def push(self, pcm: Pcm16) -> None:
        """Take a stretch of 20 ms or so, mono at any rate."""
        if pcm.size and np.any(pcm):
            self._peak_dbfs = max(self._peak_dbfs, level_dbfs(from_pcm16(pcm)))

    def read(self) -> float:
        """The loudest RMS level since the last reading, 0 to 1; 0 where nothing came."""
        level = 1.0 - self._peak_dbfs / FLOOR_DBFS
        self._peak_dbfs = SILENCE_DBFS
        return min(max(level, 0.0), 1.0)

"""What counts as sound: a listener hears speech begin, not samples."""

from __future__ import annotations

import numpy as np

from engines.api import Pcm

AUDIBLE_RMS = 0.004
"""Five milliseconds louder than -48 dBFS can be heard."""

_BLOCK_S = 0.005


def audible(pcm: Pcm, rate_hz: int) -> bool:
    """Whether 5 ms of it are louder than -48 dBFS."""
    size = max(1, round(rate_hz * _BLOCK_S))
    padded = np.pad(pcm.astype(np.float64), (0, -pcm.size % size)).reshape(-1, size)
    return bool((np.mean(np.square(padded), axis=1) > AUDIBLE_RMS**2).any())

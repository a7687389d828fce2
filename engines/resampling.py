"""Whole recordings at another rate; ``voicepeer.resample`` is for what comes bit by bit."""

from __future__ import annotations

import numpy as np
import soxr

from engines.api import Pcm


def resample(pcm: Pcm, from_hz: int, to_hz: int) -> Pcm:
    """Whole recording at another rate (libsoxr, high quality)."""
    if from_hz == to_hz:
        return pcm
    return np.asarray(soxr.resample(pcm, from_hz, to_hz), dtype=np.float32)

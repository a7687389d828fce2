"""Sounds that stand for speech where no model is wanted."""

from __future__ import annotations

import numpy as np

from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm

SYLLABLES_HZ = 4.0


def vowel(duration_s: float, f0_hz: float = 130.0) -> Pcm:
    """Harmonics under a falling spectrum, in syllables without a pause; 48 kHz, -20 dBFS or so."""
    at = np.arange(round(duration_s * WIRE_RATE_HZ)) / WIRE_RATE_HZ
    pcm = np.zeros(at.size)
    for harmonic in range(1, 30):
        pcm += np.sin(2 * np.pi * f0_hz * harmonic * at) / harmonic
    pcm *= 0.15 * (0.55 + 0.45 * np.sin(2 * np.pi * SYLLABLES_HZ * at))
    return pcm.astype(np.float32)

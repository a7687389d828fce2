"""Sounds that stand for a speaker in front of the fake models."""

from __future__ import annotations

import numpy as np

from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm


def vowel(duration_s: float, f0_hz: float = 130.0) -> Pcm:
    """Harmonics in syllables with a moment of silence on both sides, 48 kHz."""
    at = np.arange(int(duration_s * WIRE_RATE_HZ)) / WIRE_RATE_HZ
    harmonics = np.sum([np.sin(2 * np.pi * f0_hz * k * at) / k for k in range(1, 30)], axis=0)
    syllables = 0.55 + 0.45 * np.sin(2 * np.pi * 4 * at)
    silence = np.zeros(WIRE_RATE_HZ * 7 // 10, np.float32)
    return np.concatenate([silence, (0.15 * harmonics * syllables).astype(np.float32), silence])

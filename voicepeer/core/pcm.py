"""Constants and small conversions of PCM audio."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Pcm: TypeAlias = NDArray[np.float32]
"""Mono samples, shape ``[n]``, full scale at ±1.0."""

Pcm16: TypeAlias = NDArray[np.int16]
"""Mono samples, shape ``[n]``, full scale at ±32767."""

WIRE_RATE_HZ = 48_000
"""Rate of every frame that goes to or comes from a track (RFC 7587 section 4.1)."""

FRAME_MS = 20
FRAME_SAMPLES = WIRE_RATE_HZ * FRAME_MS // 1000

LISTEN_RATE_HZ = 16_000
"""Rate at which voice activity and the speaker encoder listen."""

SILENCE_DBFS = -120.0


def to_pcm16(pcm: Pcm) -> Pcm16:
    """Convert to 16 bits; out-of-range samples are clipped and non-finite ones become silence."""
    finite = np.nan_to_num(pcm, nan=0.0, posinf=1.0, neginf=-1.0)
    scaled: Pcm16 = np.rint(np.clip(finite, -1.0, 1.0) * 32767.0).astype(np.int16)
    return scaled


def from_pcm16(pcm: Pcm16) -> Pcm:
    """Convert from 16 bits to float32."""
    return pcm.astype(np.float32) / np.float32(32768.0)


def level_dbfs(pcm: Pcm) -> float:
    """RMS level in dB relative to full scale, ``SILENCE_DBFS`` for silence."""
    if pcm.size == 0:
        return SILENCE_DBFS
    power = float(np.mean(np.square(pcm, dtype=np.float64)))
    return max(SILENCE_DBFS, 10.0 * float(np.log10(power + 1e-12)))

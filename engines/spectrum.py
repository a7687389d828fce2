"""The long-term spectrum of speech in third octaves: what a channel leaves its mark on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engines.api import Pcm

RATE_HZ = 16_000

BANDS_HZ: NDArray[np.float64] = 1000.0 * 2.0 ** (np.arange(-10, 9) / 3.0)
"""Centres of third octaves from 99 Hz to 6.3 kHz, shape ``[19]``."""

_FRAME, _HOP = 512, 160
_QUIET_DB = 30.0


def band_shares(pcm: Pcm) -> NDArray[np.float64]:
    """Share of the power in each of ``BANDS_HZ`` over the louder frames of mono speech at 16 kHz.

    Speech under one frame of 32 ms counts as followed by silence.
    """
    padded = np.pad(pcm.astype(np.float64), (0, max(0, _FRAME - pcm.size)))
    views = np.lib.stride_tricks.sliding_window_view(padded, _FRAME)[::_HOP]
    power = np.square(np.abs(np.fft.rfft(views * np.hanning(_FRAME), axis=1)))
    total = power.sum(axis=1)
    mean = power[total >= total.max() * 10.0 ** (-_QUIET_DB / 10.0)].mean(axis=0)
    edges_hz = BANDS_HZ[:, None] * 2.0 ** (np.array([-1.0, 1.0]) / 6.0)
    at_hz = np.fft.rfftfreq(_FRAME, 1.0 / RATE_HZ)
    # The lowest bands are narrower than a bin, so they get their share of one.
    below = np.interp(edges_hz, at_hz, np.cumsum(mean))
    bands = below[:, 1] - below[:, 0] + 1e-12
    return np.asarray(bands / bands.sum())

"""The channel of a recording as a filter: its microphone, its line and what these let through.

Only a voice that was asked to sound like its recording has one; ``tone`` is for what all clones
lack. Pure numpy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engines.api import Pcm
from engines.kokoro import tone

Levels = NDArray[np.float32]
"""Decibels in each of ``BANDS_HZ``, shape ``[19]``."""

BANDS_HZ: NDArray[np.float64] = 1000.0 * 2.0 ** (np.arange(-10, 9) / 3.0)
"""Centres of third octaves from 99 Hz to 6.3 kHz; beyond the last its gain stays."""

RATE_HZ = 16_000
"""Of the speech that is compared."""

LIMITS_DB = (-30.0, 9.0)
"""What a line stops is stopped; what a voice does not have is not pulled out of its noise."""

TAPS = 512
"""21 ms: the flank of a telephone's 300 Hz, and still within what a window has before it."""

_FRAME, _HOP = 512, 160
_QUIET_DB = 30.0


def channel_of(recorded: Pcm, spoken: Pcm) -> Levels | None:
    """Gains that bring what a voice said to the spectrum of a recording, both at ``RATE_HZ``.

    The power of what was said is kept. ``None`` where there is too little of either.
    """
    if min(recorded.size, spoken.size) < RATE_HZ // 2:
        return None
    wanted, own = spectrum(recorded), spectrum(spoken)
    gains_db = 10.0 * np.log10(wanted / own)
    low, high = LIMITS_DB
    # Levels differ, so limits count from where most of the speech is.
    gains_db -= float(np.average(gains_db, weights=own * wanted))
    gains_db = np.clip(gains_db, low, high)
    gains_db -= 10.0 * np.log10(np.average(10.0 ** (gains_db / 10.0), weights=own))
    return gains_db.astype(np.float32)


def spectrum(pcm: Pcm) -> NDArray[np.float64]:
    """Share of the power in each of ``BANDS_HZ`` over the louder frames at ``RATE_HZ``."""
    views = np.lib.stride_tricks.sliding_window_view(pcm.astype(np.float64), _FRAME)[::_HOP]
    power = np.square(np.abs(np.fft.rfft(views * np.hanning(_FRAME), axis=1)))
    total = power.sum(axis=1)
    mean = power[total >= total.max() * 10.0 ** (-_QUIET_DB / 10.0)].mean(axis=0)
    edges_hz = BANDS_HZ[:, None] * 2.0 ** (np.array([-1.0, 1.0]) / 6.0)
    at_hz = np.fft.rfftfreq(_FRAME, 1.0 / RATE_HZ)
    # The lowest bands are narrower than a bin, so they get their share of one.
    below = np.interp(edges_hz, at_hz, np.cumsum(mean))
    bands = below[:, 1] - below[:, 0] + 1e-12
    return np.asarray(bands / bands.sum())


def fir(gains_db: Levels) -> NDArray[np.float64]:
    """The filter with these gains, of minimum phase, ``[TAPS]`` at 24 kHz."""
    at = np.log(np.maximum(tone.FFT_HZ, 1.0))
    curve = np.interp(at, np.log(BANDS_HZ), gains_db.astype(np.float64))
    return tone.minimum_phase(curve, TAPS)

"""The channel of a recording as a filter: its microphone, its line and what these let through.

Only a voice that was asked to sound like its recording has one; ``tone`` is for what all clones
lack. Pure numpy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engines.api import Pcm
from engines.kokoro import tone
from engines.spectrum import BANDS_HZ, RATE_HZ, band_shares

Levels = NDArray[np.float32]
"""Decibels in each of ``engines.spectrum.BANDS_HZ``, shape ``[19]``; beyond them they stay."""

LIMITS_DB = (-30.0, 9.0)
"""What a line stops is stopped; what a voice does not have is not pulled out of its noise."""

TAPS = 512
"""21 ms: the flank of a telephone's 300 Hz, and still within what a window has before it."""


def channel_of(recorded: Pcm, spoken: Pcm) -> Levels | None:
    """Gains that bring what a voice said to the spectrum of a recording, both at 16 kHz.

    The power of what was said is kept. ``None`` where there is too little of either.
    """
    if min(recorded.size, spoken.size) < RATE_HZ // 2:
        return None
    wanted, own = band_shares(recorded), band_shares(spoken)
    gains_db = 10.0 * np.log10(wanted / own)
    low, high = LIMITS_DB
    # Levels differ, so limits count from where most of the speech is.
    gains_db -= float(np.average(gains_db, weights=own * wanted))
    gains_db = np.clip(gains_db, low, high)
    gains_db -= 10.0 * np.log10(np.average(10.0 ** (gains_db / 10.0), weights=own))
    return gains_db.astype(np.float32)


def fir(gains_db: Levels) -> NDArray[np.float64]:
    """The filter with these gains, of minimum phase, ``[TAPS]`` at 24 kHz."""
    at = np.log(np.maximum(tone.FFT_HZ, 1.0))
    curve = np.interp(at, np.log(BANDS_HZ), gains_db.astype(np.float64))
    return tone.minimum_phase(curve, TAPS)

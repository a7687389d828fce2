"""The tone of a voice: how strong each part of the spectrum is, as a short filter of its speech.

What a speaker's body, room and microphone do to the long-term spectrum is out of reach of a style,
and the model's own recordings were all made alike. Pure numpy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engines.api import Pcm
from engines.kokoro.source import SAMPLE_RATE_HZ

Gains = NDArray[np.float32]
"""Decibels at each of ``TONE_HZ``, shape ``[10]``."""

TONE_HZ = np.array([76.0, 391.0, 711.0, 1034.0, 1437.0, 1995.0, 2771.0, 3852.0, 5351.0, 7430.0])
"""Evenly spread on the mel scale; between them gains are interpolated, beyond them they stay."""

LIMIT_DB = 9.0

TAPS = 128
"""5.3 ms: bends of 200 Hz can still be made, and a window of speech has the samples before it."""

_FFT_SAMPLES = 2048
FFT_HZ = np.fft.rfftfreq(_FFT_SAMPLES, 1.0 / SAMPLE_RATE_HZ)
"""Where a filter's gains are given, ``[1025]``."""


def mel(hz: ArrayLike) -> NDArray[np.float64]:
    """D. O'Shaughnessy, Speech communication: human and machine, 1987."""
    return np.asarray(1127.0 * np.log1p(np.asarray(hz, np.float64) / 700.0))


def shares(at_hz: ArrayLike) -> NDArray[np.float64]:
    """How much of each gain there is at each frequency, ``[10, n]``; columns sum to 1."""
    at, knots = mel(at_hz), np.eye(TONE_HZ.size)
    return np.stack([np.interp(at, mel(TONE_HZ), knot) for knot in knots])


def fir(gains_db: Gains) -> NDArray[np.float64]:
    """The filter of minimum phase with these gains, ``[TAPS]`` at 24 kHz: it delays nothing."""
    return minimum_phase(np.asarray(gains_db.astype(np.float64) @ shares(FFT_HZ)), TAPS)


def minimum_phase(gains_db: NDArray[np.float64], taps: int) -> NDArray[np.float64]:
    """The filter of minimum phase with a gain at each of ``FFT_HZ``, ``[taps]``.

    By folding the cepstrum (A. Oppenheim and R. Schafer, Discrete-Time Signal Processing, 12.6).
    """
    cepstrum = np.fft.irfft(gains_db * (np.log(10.0) / 20.0))
    half = _FFT_SAMPLES // 2
    cepstrum[1:half] *= 2.0
    cepstrum[half + 1 :] = 0.0
    response = np.fft.irfft(np.exp(np.fft.rfft(cepstrum)))[:taps]
    fade = taps // 4
    response[-fade:] *= 0.5 + 0.5 * np.cos(np.pi * (np.arange(fade) + 0.5) / fade)
    return np.asarray(response)


def filtered(pcm: Pcm, taps: NDArray[np.float64]) -> Pcm:
    """Speech through a filter, as long as before; what came before the first sample is silence."""
    return np.convolve(pcm, taps)[: pcm.size].astype(np.float32)

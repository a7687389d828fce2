"""The encoder's mel front end in numpy: a linear-power mel spectrogram of 16 kHz speech.

Same values as librosa's ``feature.melspectrogram(n_fft=400, hop_length=160, n_mels=40)``, which
the encoder was trained on: periodic Hann window, zero padding around the centre of each frame,
power (not log), Slaney's mel scale and area-normalised triangles (M. Slaney, "Auditory Toolbox",
Interval Technical Report 1998-010).
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from engines.api import Pcm

SAMPLE_RATE_HZ = 16_000
HOP_SAMPLES = 160
MEL_BANDS = 40
_FFT_SAMPLES = 400

_LINEAR_HZ_PER_MEL = 200.0 / 3.0
_LOG_START_HZ = 1_000.0
_LOG_START_MEL = _LOG_START_HZ / _LINEAR_HZ_PER_MEL
_LOG_STEP = np.log(6.4) / 27.0


def _mel_to_hz(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    """Slaney's scale: linear below 1 kHz, then 27 steps for every factor of 6.4."""
    curved = _LOG_START_HZ * np.exp(_LOG_STEP * (mel - _LOG_START_MEL))
    return np.where(mel < _LOG_START_MEL, mel * _LINEAR_HZ_PER_MEL, curved)


def _hz_to_mel(hz: float) -> float:
    if hz < _LOG_START_HZ:
        return hz / _LINEAR_HZ_PER_MEL
    return _LOG_START_MEL + float(np.log(hz / _LOG_START_HZ) / _LOG_STEP)


@functools.cache
def filterbank() -> NDArray[np.float32]:
    """Triangular filters, shape ``[MEL_BANDS, bins]``, each of unit area in Hz."""
    nyquist_hz = SAMPLE_RATE_HZ / 2
    bin_hz = np.linspace(0.0, nyquist_hz, _FFT_SAMPLES // 2 + 1)
    edge_hz = _mel_to_hz(np.linspace(0.0, _hz_to_mel(nyquist_hz), MEL_BANDS + 2))
    low, centre, high = edge_hz[:-2, None], edge_hz[1:-1, None], edge_hz[2:, None]
    rising = (bin_hz - low) / (centre - low)
    falling = (high - bin_hz) / (high - centre)
    triangles = np.maximum(0.0, np.minimum(rising, falling))
    return np.asarray(triangles * 2.0 / (high - low), dtype=np.float32)


@functools.cache
def _window() -> NDArray[np.float32]:
    phase = 2.0 * np.pi * np.arange(_FFT_SAMPLES) / _FFT_SAMPLES
    return np.asarray(0.5 - 0.5 * np.cos(phase), dtype=np.float32)


def mel_spectrogram(pcm: Pcm) -> NDArray[np.float32]:
    """Mel power of ``pcm`` (16 kHz), shape ``[1 + n // HOP_SAMPLES, MEL_BANDS]``."""
    padded = np.pad(pcm.astype(np.float32, copy=False), _FFT_SAMPLES // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, _FFT_SAMPLES)[::HOP_SAMPLES]
    spectrum = np.fft.rfft(frames * _window(), axis=1)
    power = np.square(spectrum.real) + np.square(spectrum.imag)
    return np.asarray(power @ filterbank().T, dtype=np.float32)

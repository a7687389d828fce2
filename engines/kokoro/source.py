"""The harmonic source that excites the generator, and the short spectra on both its sides.

Pure numpy in double precision: a phase is a sum over the whole segment, which bf16 or a window
that starts anew would break. Source of the model: hn-nsf (Wang et al. 2019, arXiv:1904.12088).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engines.api import Pcm

SAMPLE_RATE_HZ = 24_000
HALF_FRAME_SAMPLES = 300
"""F0, energy and features come 80 times a second."""

HOP_SAMPLES = 5
FFT_SAMPLES = 20
BINS = FFT_SAMPLES // 2 + 1
HOPS_PER_HALF_FRAME = HALF_FRAME_SAMPLES // HOP_SAMPLES

_HARMONICS = 9
_AMPLITUDE = 0.1
VOICED_ABOVE_HZ = 10.0
_WINDOW = 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(FFT_SAMPLES) / FFT_SAMPLES)


class HarmonicSource:
    """The source of one segment; any window of its spectrum can be asked for."""

    def __init__(self, f0_hz: NDArray[np.float32], mix: NDArray[np.float32], bias: float) -> None:
        """Take F0 ``[h]`` at 80 Hz, the weight of each harmonic ``[9]`` and a bias."""
        order = np.arange(1, _HARMONICS + 1)
        turns = (f0_hz.astype(np.float64)[:, None] * order / SAMPLE_RATE_HZ) % 1.0
        self._phase = np.cumsum(turns, axis=0) * HALF_FRAME_SAMPLES
        self._voiced = f0_hz > VOICED_ABOVE_HZ
        self._mix = mix.astype(np.float64)
        self._bias = bias
        self.half_frames = int(f0_hz.size)

    def samples(self, start: int, end: int) -> NDArray[np.float64]:
        """The source waveform between two half frames."""
        at = np.arange(start * HALF_FRAME_SAMPLES, end * HALF_FRAME_SAMPLES)
        frame = at // HALF_FRAME_SAMPLES
        # Phases belong to the middle of a half frame and are interpolated between the middles.
        position = (at + 0.5) / HALF_FRAME_SAMPLES - 0.5
        left = np.clip(np.floor(position).astype(np.int64), 0, self.half_frames - 1)
        right = np.minimum(left + 1, self.half_frames - 1)
        share = np.clip(position - left, 0.0, 1.0)[:, None]
        turns = self._phase[left] * (1.0 - share) + self._phase[right] * share
        waves = np.sin(2.0 * np.pi * (turns % 1.0)) * _AMPLITUDE
        waves *= self._voiced[frame, None]
        return np.asarray(np.tanh(waves @ self._mix + self._bias))

    def spectrum(self, start: int, end: int) -> NDArray[np.float32]:
        """Magnitude and phase ``[22, 60 (end - start) + 1]`` between two half frames."""
        half = FFT_SAMPLES // 2
        before, after = min(1, start), min(1, self.half_frames - end)
        wave = self.samples(start - before, end + after)
        wave = wave[before * (HALF_FRAME_SAMPLES - half) :]
        wave = wave[: wave.size - after * (HALF_FRAME_SAMPLES - half)]
        # At the ends of the segment, where nothing lies beyond, the signal is mirrored.
        mirrored = (half * (1 - before), half * (1 - after))
        return analyse(np.pad(wave, mirrored, mode="reflect"))


def analyse(padded: NDArray[np.float64]) -> NDArray[np.float32]:
    """Magnitude and phase ``[22, m]`` of a signal that has 10 samples more at both ends."""
    frames = np.lib.stride_tricks.sliding_window_view(padded, FFT_SAMPLES)[::HOP_SAMPLES]
    spectrum = np.fft.rfft(frames * _WINDOW, axis=1).T
    return np.concatenate([np.abs(spectrum), np.angle(spectrum)]).astype(np.float32)


def synthesise(spectrum: NDArray[np.float32]) -> Pcm:
    """Waveform of the generator's ``[22, m]`` output: ``5 (m - 1)`` samples.

    The first 10 and last 10 samples lack the frames beyond the edge.
    """
    magnitude = np.exp(spectrum[:BINS])
    phase = np.sin(spectrum[BINS:])
    frames = np.fft.irfft((magnitude * np.exp(1j * phase)).T, n=FFT_SAMPLES, axis=1) * _WINDOW
    return _overlap_add(frames)


def _overlap_add(frames: NDArray[np.float64]) -> Pcm:
    """Add frames ``[m, 20]`` at a hop of 5 and drop 10 samples at both ends."""
    count = frames.shape[0]
    steps = FFT_SAMPLES // HOP_SAMPLES
    total = np.zeros((count + steps - 1, HOP_SAMPLES))
    for step in range(steps):
        total[step : step + count] += frames[:, step * HOP_SAMPLES : (step + 1) * HOP_SAMPLES]
    half = FFT_SAMPLES // 2
    return total.reshape(-1)[half : half + HOP_SAMPLES * (count - 1)].astype(np.float32)

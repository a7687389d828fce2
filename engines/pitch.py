"""Fundamental frequency of a person's speech, and the ratio that moves a voice to it.

YIN (A. de Cheveigné and H. Kawahara, "YIN, a fundamental frequency estimator for speech and
music", JASA 111(4), 2002), steps 1 to 5, followed by a second look at frames whose answer lies
far from the speaker's median: almost all of those are octave errors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engines.api import Pcm

SAMPLE_RATE_HZ = 16_000
HOP_SAMPLES = 160
FLOOR_HZ = 55.0
CEILING_HZ = 500.0

_WINDOW_SAMPLES = 512
_SHORTEST_LAG = int(SAMPLE_RATE_HZ / CEILING_HZ)
_LONGEST_LAG = int(SAMPLE_RATE_HZ / FLOOR_HZ)
_DIP_THRESHOLD = 0.15
_VOICED_BELOW = 0.3
"""Normalised difference above which a frame counts as noise (0 is exactly periodic)."""

_QUIET_DB = 30.0
"""Frames this far under the loudest tenth are pauses."""

_NEIGHBOURHOOD_SEMITONES = 9.0
"""How far from the median an answer may lie before it is looked for again near it."""

MIN_VOICED_FRAMES = 20
"""Under 0.2 s of voiced speech a median means nothing."""

RATIO_RANGE = (0.62, 1.6)
"""How far a voice's F0 may be moved (8 semitones) before it stops sounding like a person."""

Lags = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PitchTrack:
    """F0 every 10 ms in Hz, shape ``[n]``; 0 where there is no voice."""

    f0_hz: NDArray[np.float32]

    @property
    def voiced_hz(self) -> NDArray[np.float32]:
        """F0 of the voiced frames only."""
        voiced: NDArray[np.float32] = self.f0_hz[self.f0_hz > 0.0]
        return voiced

    @property
    def median_hz(self) -> float | None:
        """Median F0, or ``None`` with less than ``MIN_VOICED_FRAMES`` voiced frames."""
        voiced = self.voiced_hz
        return float(np.median(voiced)) if voiced.size >= MIN_VOICED_FRAMES else None

    @property
    def spread_semitones(self) -> float:
        """Robust standard deviation of F0: half the distance between the 16th and 84th percentile.

        0 when nothing is voiced.
        """
        voiced = self.voiced_hz
        if voiced.size == 0:
            return 0.0
        low, high = np.percentile(voiced, [16.0, 84.0])
        return semitones(float(high), float(low)) / 2.0


def semitones(a_hz: float, b_hz: float) -> float:
    """Musical distance from ``b_hz`` up to ``a_hz``."""
    return 12.0 * float(np.log2(a_hz / b_hz))


def track_pitch(pcm: Pcm) -> PitchTrack:
    """F0 of mono speech at ``SAMPLE_RATE_HZ``; input shorter than one window has no frames."""
    frames = _frames(pcm)
    if frames.shape[0] == 0:
        return PitchTrack(np.zeros(0, dtype=np.float32))
    difference = _normalised_difference(frames)
    lags, depths = _first_dips(difference)
    voiced = _loud(frames) & (depths < _VOICED_BELOW)
    if voiced.sum() >= MIN_VOICED_FRAMES:
        lags, depths = _near_median(difference, lags, depths, voiced)
        voiced &= depths < _VOICED_BELOW
    f0 = np.where(voiced, SAMPLE_RATE_HZ / np.maximum(lags, 1.0), 0.0)
    return PitchTrack(f0.astype(np.float32))


def matching_ratio(reference_hz: float | None, own_hz: float | None) -> float:
    """What to multiply a voice's F0 with so that its median meets the reference's.

    1 when either is unknown; kept within ``RATIO_RANGE``.
    """
    if not reference_hz or not own_hz:
        return 1.0
    return float(np.clip(reference_hz / own_hz, *RATIO_RANGE))


def _frames(pcm: Pcm) -> NDArray[np.float64]:
    """Overlapping frames, each a window and the longest lag long, shape ``[n, samples]``."""
    length = _WINDOW_SAMPLES + _LONGEST_LAG
    if pcm.size < length:
        return np.zeros((0, length))
    views = np.lib.stride_tricks.sliding_window_view(pcm.astype(np.float64), length)
    hops = views[::HOP_SAMPLES]
    return np.asarray(hops - hops.mean(axis=1, keepdims=True))


def _normalised_difference(frames: NDArray[np.float64]) -> Lags:
    """YIN's cumulative mean normalised difference (equation 8), shape ``[n, longest lag + 1]``."""
    size = 1 << int(np.ceil(np.log2(frames.shape[1] + _WINDOW_SAMPLES)))
    head = np.fft.rfft(frames[:, :_WINDOW_SAMPLES], size, axis=1)
    product = np.fft.irfft(np.conj(head) * np.fft.rfft(frames, size, axis=1), size, axis=1)
    energy = np.cumsum(np.pad(np.square(frames), ((0, 0), (1, 0))), axis=1)
    lag = np.arange(_LONGEST_LAG + 1)
    moved = energy[:, lag + _WINDOW_SAMPLES] - energy[:, lag]
    difference = np.maximum(moved[:, :1] + moved - 2.0 * product[:, : _LONGEST_LAG + 1], 0.0)
    running = np.cumsum(difference[:, 1:], axis=1) / lag[1:]
    normal = difference[:, 1:] / np.maximum(running, 1e-12)
    return np.concatenate([np.ones((frames.shape[0], 1)), normal], axis=1)


def _first_dips(difference: Lags) -> tuple[Lags, Lags]:
    """For each frame the first local minimum under the threshold, or else the deepest one."""
    inner = difference[:, _SHORTEST_LAG:_LONGEST_LAG]
    falling = inner <= difference[:, _SHORTEST_LAG - 1 : _LONGEST_LAG - 1]
    rising = inner <= difference[:, _SHORTEST_LAG + 1 : _LONGEST_LAG + 1]
    minimum = falling & rising
    good = minimum & (inner < _DIP_THRESHOLD)
    at = np.where(good.any(axis=1), good.argmax(axis=1), inner.argmin(axis=1))
    return _interpolated(difference, at + _SHORTEST_LAG)


def _near_median(
    difference: Lags, lags: Lags, depths: Lags, voiced: NDArray[np.bool_]
) -> tuple[Lags, Lags]:
    """Answers far from the median are replaced by the best one near it."""
    median = float(np.median(lags[voiced]))
    reach = 2.0 ** (_NEIGHBOURHOOD_SEMITONES / 12.0)
    low = max(_SHORTEST_LAG, int(median / reach))
    high = min(_LONGEST_LAG - 1, int(median * reach))
    near, near_depths = _interpolated(difference, difference[:, low : high + 1].argmin(1) + low)
    far = (lags < low) | (lags > high)
    return np.where(far, near, lags), np.where(far, near_depths, depths)


def _interpolated(difference: Lags, at: NDArray[np.intp]) -> tuple[Lags, Lags]:
    """Lag and depth of the parabola through each minimum and its neighbours."""
    row = np.arange(difference.shape[0])
    left, middle, right = (difference[row, at + step] for step in (-1, 0, 1))
    curve = left - 2.0 * middle + right
    shift = np.where(curve > 1e-12, 0.5 * (left - right) / np.maximum(curve, 1e-12), 0.0)
    return at + np.clip(shift, -0.5, 0.5), middle


def _loud(frames: NDArray[np.float64]) -> NDArray[np.bool_]:
    power = np.mean(np.square(frames[:, :_WINDOW_SAMPLES]), axis=1)
    reference = float(np.percentile(power, 90.0))
    return np.asarray((power > reference * 10.0 ** (-_QUIET_DB / 10.0)) & (power > 1e-9))

"""What else a recording of speech holds: the room, music, and other people.

All are measured on a whole recording of mono speech at 16 kHz; ``None`` is too little to tell.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm

Table = NDArray[np.float64]

_HOP = 160
_DECAY_FRAMES = 8
_AUDIBLE_DB = 40.0
"""How far under the loudest speech a decay may reach before the floor flattens it."""

_FALL_PERCENTILE = 90.0
_MIN_FALLS = 15

_LONG_FRAME = 2_048
_LONG_HOP = 512
_STEADY_FRAMES = 19
_STEADY_PERCENTILE = 20.0
_SOFTEST_PERCENT = 15.0
_DIGITAL_SILENCE = 1e-8
_NEIGHBOUR_BINS = 13
_STANDS_OUT = 8.0
_TONES_HZ = (300.0, 4_000.0)
_NO_TONES_DB = -80.0

_MIN_WINDOWS = 6
_LEAST_SHARE = 0.2


def decay_s(pcm: Pcm) -> float | None:
    """Time in which the fastest falls of the level would reach 60 dB under their start.

    Speech stops far faster than a room does, so that the fastest falls tell of the room: a blind
    estimate that follows the reverberation time (R. Ratnam et al., "Blind estimation of
    reverberation time", JASA 114(5), 2003) and is below it where the direct sound is strong.
    """
    if pcm.size < LISTEN_RATE_HZ:
        return None
    whole = pcm[: pcm.size - pcm.size % _HOP].astype(np.float64).reshape(-1, _HOP)
    levels = 10.0 * np.log10(np.mean(np.square(whole), axis=1) + 1e-10)
    views = np.lib.stride_tricks.sliding_window_view(levels, _DECAY_FRAMES)
    floor = np.percentile(levels, 98.0) - _AUDIBLE_DB
    x = np.arange(_DECAY_FRAMES) - (_DECAY_FRAMES - 1) / 2.0
    slopes = views @ x / (x @ x) * LISTEN_RATE_HZ / _HOP
    falling = slopes[(views[:, -1] > floor) & (slopes < -30.0)]
    if falling.size < _MIN_FALLS:
        return None
    return 60.0 / float(np.percentile(-falling, _FALL_PERCENTILE))


def tones_db(pcm: Pcm) -> float | None:
    """Level of tones that stay where they are for 0.6 s, relative to the whole recording.

    Voices glide, instruments do not: what a low percentile along time keeps and a median along
    frequency does not is tonal (after D. FitzGerald, "Harmonic/percussive separation using median
    filtering", DAFx 2010). Taken between 300 Hz, over the hum of mains, and 4 kHz, in the softest
    frames, where speech covers nothing; digital silence does not count.
    """
    if pcm.size < LISTEN_RATE_HZ:
        return None
    power = _spectrogram(pcm)
    views = np.lib.stride_tricks.sliding_window_view(power, _STEADY_FRAMES, axis=0)
    steady = np.percentile(views, _STEADY_PERCENTILE, axis=-1)
    level = power[_STEADY_FRAMES // 2 :][: len(steady)].sum(axis=1)
    heard = level > level.max() * _DIGITAL_SILENCE
    if not heard.any():
        return None
    kept = steady[heard & (level <= np.percentile(level[heard], _SOFTEST_PERCENT))]
    padded = np.pad(kept, ((0, 0), (_NEIGHBOUR_BINS // 2,) * 2), mode="edge")
    around = np.median(
        np.lib.stride_tricks.sliding_window_view(padded, _NEIGHBOUR_BINS, axis=1), axis=-1
    )
    tonal = float(np.where(kept > _STANDS_OUT * around, kept, 0.0).sum(axis=1).mean())
    return max(_NO_TONES_DB, 10.0 * float(np.log10(tonal / level[heard].mean() + 1e-12)))


def _spectrogram(pcm: Pcm) -> Table:
    """Power ``[frames, bins]`` in the band where tones are looked for."""
    frames = np.lib.stride_tricks.sliding_window_view(pcm.astype(np.float64), _LONG_FRAME)
    spectra = np.fft.rfft(frames[::_LONG_HOP] * np.hanning(_LONG_FRAME), axis=1)
    low, high = (round(hz / LISTEN_RATE_HZ * _LONG_FRAME) for hz in _TONES_HZ)
    return np.asarray(np.square(np.abs(spectra[:, low:high])))


def separation(windows: Sequence[NDArray[np.float32]]) -> float | None:
    """How far apart two groups of a recording's speaker embeddings are, 0 to 2.

    The windows are parted along the direction in which they differ most; what counts is the
    missing cosine between the means of both sides, if each has a fifth of the windows.
    """
    if len(windows) < _MIN_WINDOWS:
        return None
    table = np.stack(windows).astype(np.float64)
    away = table - table.mean(axis=0)
    _, _, directions = np.linalg.svd(away, full_matrices=False)
    side = away @ directions[0] > 0.0
    if min(np.mean(side), np.mean(~side)) < _LEAST_SHARE:
        return 0.0
    one, other = table[side].mean(axis=0), table[~side].mean(axis=0)
    return 1.0 - float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))

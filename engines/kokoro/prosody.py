"""Changes to what is to be heard before it is decoded: its tempo and its melody.

Pure numpy on ``Acoustics``; the model has planned them at its own tempo and in its own melody.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engines.api import Controls
from engines.kokoro.source import VOICED_ABOVE_HZ
from engines.kokoro.synth import Acoustics
from engines.kokoro.transposition import steered

_SEMITONES = 12.0
_SILENT = frozenset(' ˈˌ;:,.!?—…"()“”')
"""Symbols without a sound of their own; in fast speech they need no time."""

_FASTEST_HZ = 1_000.0
"""No melody is raised above this, whatever is asked of it."""


def at_speed(acoustics: Acoustics, speed: float, symbols: str) -> Acoustics:
    """The same sounds in ``1 / speed`` of the time, exact to a frame of 25 ms.

    The model's own tempo control rounds every duration by itself, which adds up to 12 %.
    A sound that has a frame keeps one, or fast speech would lose its consonants. ``symbols`` are
    what stands between the two pads.
    """
    if speed == 1.0:
        return acoustics
    sounds = np.array([False, *(symbol not in _SILENT for symbol in symbols), False])
    durations = scaled_durations(acoustics.durations, speed, sounds)
    at = _source_positions(acoustics.durations, durations, steps=1)
    half_at = _source_positions(acoustics.durations, durations, steps=2)
    frames = np.minimum(at.astype(np.int64), acoustics.text.shape[2] - 1)
    return Acoustics(
        np.ascontiguousarray(acoustics.text[:, :, frames]),
        _melody_at(acoustics.f0_hz, half_at),
        np.interp(half_at - 0.5, np.arange(acoustics.energy.size), acoustics.energy).astype(
            np.float32
        ),
        durations,
    )


def scaled_durations(
    durations: NDArray[np.int64], speed: float, sounds: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Durations ``[n]`` whose sum is that of the given ones by ``speed``, rounded.

    ``sounds`` marks those that must not become 0; with too many of them the sum is larger.
    """
    ends = np.rint(np.cumsum(durations) / speed).astype(np.int64)
    scaled = np.diff(ends, prepend=0)
    for index in np.flatnonzero((scaled == 0) & (durations > 0) & sounds):
        scaled[index] = 1
        giver = _giver(scaled - sounds, int(index))
        if giver is not None:
            scaled[giver] -= 1
    return np.asarray(scaled, dtype=np.int64)


def _giver(spare: NDArray[np.int64], index: int) -> int | None:
    """Who gives up a frame: the one that has most to spare, nearby if anyone has there."""
    for reach in (4, 16, spare.size):
        low = max(0, index - reach)
        giver = low + int(np.argmax(spare[low : index + reach + 1]))
        if spare[giver] > 0:
            return giver
    return None


def _source_positions(
    old: NDArray[np.int64], new: NDArray[np.int64], steps: int
) -> NDArray[np.float64]:
    """For each new frame, or half frame with ``steps`` 2, the middle of where it came from."""
    starts = np.cumsum(old) - old
    token = np.repeat(np.arange(new.size), new * steps)
    within = np.arange(token.size) - np.repeat((np.cumsum(new) - new) * steps, new * steps)
    share = (within + 0.5) / (new[token] * steps)
    return np.asarray((starts[token] + share * old[token]) * steps)


def _melody_at(f0_hz: NDArray[np.float32], at: NDArray[np.float64]) -> NDArray[np.float32]:
    """F0 at fractional half frames; between a voiced and an unvoiced one the nearer counts."""
    nearest = np.minimum(at.astype(np.int64), f0_hz.size - 1)
    left = np.clip(np.floor(at - 0.5).astype(np.int64), 0, f0_hz.size - 1)
    right = np.minimum(left + 1, f0_hz.size - 1)
    share = np.clip(at - 0.5 - left, 0.0, 1.0)
    both = (f0_hz[left] > VOICED_ABOVE_HZ) & (f0_hz[right] > VOICED_ABOVE_HZ)
    between = f0_hz[left] * (1.0 - share) + f0_hz[right] * share
    return np.where(both, between, f0_hz[nearest]).astype(np.float32)


def with_melody(acoustics: Acoustics, ratio: float, controls: Controls) -> Acoustics:
    """Raise the melody by ``ratio`` and the controls, widen it around its median, tilt it."""
    f0 = acoustics.f0_hz.astype(np.float64)
    voiced = np.flatnonzero(f0 > VOICED_ABOVE_HZ)
    if voiced.size == 0:
        return acoustics
    pitch = _SEMITONES * np.log2(f0[voiced])
    middle = float(np.median(pitch))
    share = (voiced - voiced[0]) / max(1, voiced[-1] - voiced[0]) - 0.5
    pitch = middle + (pitch - middle) * controls.pitch_range
    pitch += controls.pitch_slope_semitones * share
    pitch += steered(controls.pitch_semitones) + _SEMITONES * np.log2(ratio)
    f0[voiced] = np.minimum(2.0 ** (pitch / _SEMITONES), _FASTEST_HZ)
    return replace(acoustics, f0_hz=f0.astype(np.float32))


def breathed(acoustics: Acoustics, whisper: float) -> Acoustics:
    """Take the voice away: at 1 nothing is voiced, below that the quietest sounds come first.

    The generator was trained to make noise where F0 is 0, as in "s" and "f".
    """
    if whisper <= 0.0:
        return acoustics
    voiced = acoustics.f0_hz > VOICED_ABOVE_HZ
    if whisper >= 1.0 or not voiced.any():
        return replace(acoustics, f0_hz=np.zeros_like(acoustics.f0_hz))
    limit = np.quantile(acoustics.energy[voiced], whisper)
    kept = np.where(acoustics.energy <= limit, np.float32(0.0), acoustics.f0_hz)
    return replace(acoustics, f0_hz=kept.astype(np.float32))

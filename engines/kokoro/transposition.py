"""A voice in another pitch: what the generator then needs, so that it speaks as high as asked.

Its norms see the harmonics, so what they saw at the voice's own pitch is wrong at another. How
they move was measured on stock voices: a parabola over the shift for each channel.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engines.kokoro.decoder import NORM_CHANNELS, NORM_EPSILON
from engines.kokoro.synth import NormStatistics
from engines.model_files import read_model

SHIFTS_SEMITONES = (-12.0, -8.0, -4.0, 4.0, 8.0, 12.0)
"""Where it was measured."""

FILE = Path(__file__).parent / "data" / "transposition.npz"
SHA256 = "72f81db97ab0e3147aa512c3cad82d80a5428c9952343f9145d05d8b9f2400ec"
"""Of the file that ``python -m engines.kokoro.train transposition`` measured."""

_OCTAVE = 12.0
_PULL = 1.015
"""The generator goes 1.5 % less far than it is told."""

_LEVELS_DB = ((-12.0, -1.5), (-8.0, -1.6), (0.0, 0.0), (6.0, 0.5), (12.0, -0.3))
"""Shifts in semitones and what they do to the level, mean of four voices."""


def steered(semitones: float) -> float:
    """What to tell the generator so that F0 moves by so many semitones."""
    return semitones * _PULL


def level_gain(semitones: float) -> float:
    """Factor that keeps the level what it was at the voice's own pitch."""
    shifts, levels_db = zip(*_LEVELS_DB, strict=True)
    return float(10.0 ** (-np.interp(semitones, shifts, levels_db) / 20.0))


def transposed(statistics: NormStatistics, semitones: float) -> NormStatistics:
    """What the norms would see if the voice spoke so many semitones higher."""
    if semitones == 0.0:
        return statistics
    curves, shift = _curves(), powers(semitones)
    deviation = np.sqrt(statistics.variance + np.float32(NORM_EPSILON))
    mean = statistics.mean + deviation * (shift @ curves["mean"])
    variance = statistics.variance * np.exp(shift @ curves["log_variance"])
    return NormStatistics(mean.astype(np.float32), variance.astype(np.float32))


def powers(semitones: float) -> NDArray[np.float32]:
    """The shift in octaves and its square, shape ``[2]``."""
    octaves = semitones / _OCTAVE
    return np.array([octaves, octaves * octaves], dtype=np.float32)


def fit(measured: list[dict[float, NormStatistics]]) -> Mapping[str, NDArray[np.float16]]:
    """Curves ``[2,N]`` from voices that were measured at 0 and at ``SHIFTS_SEMITONES``."""
    means, variances = [], []
    for voice in measured:
        own = voice[0.0]
        deviation = np.sqrt(own.variance + NORM_EPSILON)
        for shift in SHIFTS_SEMITONES:
            means.append((voice[shift].mean - own.mean) / deviation)
            ratio = (voice[shift].variance + NORM_EPSILON) / (own.variance + NORM_EPSILON)
            variances.append(np.log(ratio))
    design = np.tile([powers(shift) for shift in SHIFTS_SEMITONES], (len(measured), 1))
    return {
        name: np.linalg.lstsq(design, np.stack(rows), rcond=None)[0].astype(np.float16)
        for name, rows in (("mean", means), ("log_variance", variances))
    }


def pack(curves: Mapping[str, NDArray[np.float16]]) -> bytes:
    """The content of ``FILE``."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, mean=curves["mean"], log_variance=curves["log_variance"])
    return buffer.getvalue()


@functools.cache
def _curves() -> Mapping[str, NDArray[np.float32]]:
    with np.load(io.BytesIO(read_model(FILE, SHA256)), allow_pickle=False) as file:
        curves = {name: file[name].astype(np.float32) for name in ("mean", "log_variance")}
    assert all(curve.shape == (2, NORM_CHANNELS) for curve in curves.values())
    return curves

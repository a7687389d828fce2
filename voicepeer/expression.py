"""The expression of a recording as a recipe of prosody: how wide its melody, how fast, how loud.

Who speaks and how high is left out: that is the voice. Rates are those of syllable nuclei, peaks of
intensity that are voiced (N. H. de Jong and T. Wempe, "Praat script to detect syllable nuclei and
measure speech rate automatically", Behavior Research Methods 41, 2009).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engines.pitch import HOP_SAMPLES, track_pitch
from voicepeer.audio import read_reference
from voicepeer.core.errors import AudioRejected
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm
from voicepeer.core.speaking.emotion import Recipe

MIN_SPEECH_S = 1.0

NEUTRAL_SPREAD_SEMITONES = 2.95
NEUTRAL_SYLLABLES_PER_S = 5.0
NEUTRAL_LEVEL_DBFS = -20.2
"""What eight stock voices have when they read neutral sentences, by the same measure."""

_RATE_EXPONENT = 1.55
"""Nuclei run together in fast speech: at 1.3 times the speed 1.18 times as many are found in a
second, at 0.75 times 0.83 times as many."""

_RANGE = (0.4, 2.0)
_SPEED = (0.65, 1.5)
_ENERGY = (0.8, 1.2)
_QUIET_DB = 25.0
_DIP_DB = 2.0
_SMOOTHING_FRAMES = 5
_NEAR_FRAMES = 7
_BAND_HZ = (300.0, 2_500.0)
"""Where vowels are loud and fricatives are not."""


@dataclass(frozen=True, slots=True)
class Expression:
    """Figures of how something was said."""

    spread_semitones: float
    """Robust standard deviation of F0."""
    syllables_per_s: float
    """While speaking, pauses not counted."""
    level_dbfs: float
    """RMS of what is not a pause."""

    def recipe(self) -> Recipe:
        """What makes neutral speech like this; held to what still sounds like a person."""
        over_db = self.level_dbfs - NEUTRAL_LEVEL_DBFS
        return Recipe(
            speed=_held((self.syllables_per_s / NEUTRAL_SYLLABLES_PER_S) ** _RATE_EXPONENT, _SPEED),
            pitch_range=_held(self.spread_semitones / NEUTRAL_SPREAD_SEMITONES, _RANGE),
            energy=_held(10.0 ** (over_db / 20.0), _ENERGY),
        )


def recipe_of_file(path: Path) -> Recipe:
    """The recipe of a recording.

    Raises:
        AudioRejected: it cannot be read or holds under ``MIN_SPEECH_S`` of speech.
    """
    return expression_of(read_reference(path).at(LISTEN_RATE_HZ)).recipe()


def expression_of(pcm16k: Pcm) -> Expression:
    """Figures of mono speech at 16 kHz.

    Raises:
        AudioRejected: under ``MIN_SPEECH_S`` of it is speech.
    """
    track = track_pitch(pcm16k)
    levels = _levels_db(pcm16k)[: track.f0_hz.size]
    if levels.size == 0 or track.median_hz is None:
        raise AudioRejected("the recording holds no speech to take an expression from")
    spoken = levels > np.percentile(levels, 95.0) - _QUIET_DB
    seconds = float(spoken.sum()) * HOP_SAMPLES / LISTEN_RATE_HZ
    if seconds < MIN_SPEECH_S:
        raise AudioRejected(f"an expression needs {MIN_SPEECH_S:g} s of speech, not {seconds:.1f}")
    power = np.mean(10.0 ** (levels[spoken] / 10.0))
    voiced = np.convolve(track.f0_hz > 0.0, np.ones(_NEAR_FRAMES), "same") > 0.0
    nuclei = _nuclei(_levels_db(_vowel_band(pcm16k))[: levels.size], spoken & voiced)
    return Expression(
        spread_semitones=track.spread_semitones,
        syllables_per_s=nuclei / seconds,
        level_dbfs=float(10.0 * np.log10(power)),
    )


def _levels_db(pcm: Pcm) -> NDArray[np.float64]:
    """Level of each frame of 10 ms, smoothed over 50 ms."""
    frames = pcm[: pcm.size // HOP_SAMPLES * HOP_SAMPLES].reshape(-1, HOP_SAMPLES)
    power = np.mean(np.square(frames, dtype=np.float64), axis=1)
    if power.size < _SMOOTHING_FRAMES:
        return np.zeros(0)
    window = np.hanning(_SMOOTHING_FRAMES + 2)[1:-1]
    smooth = np.convolve(power, window / window.sum(), "same")
    return np.asarray(10.0 * np.log10(smooth + 1e-10))


def _vowel_band(pcm: Pcm) -> Pcm:
    spectrum = np.fft.rfft(pcm)
    hz = np.fft.rfftfreq(pcm.size, 1.0 / LISTEN_RATE_HZ)
    spectrum[(hz < _BAND_HZ[0]) | (hz > _BAND_HZ[1])] = 0.0
    return np.fft.irfft(spectrum, pcm.size).astype(np.float32)


def _nuclei(levels: NDArray[np.float64], voiced: NDArray[np.bool_]) -> int:
    """Peaks that are voiced and stand out from the dips on both sides."""
    count, low, high, at_peak = 0, float("inf"), -float("inf"), 0
    rising = True
    for index, level in enumerate(levels):
        if rising:
            if level > high:
                high, at_peak = float(level), index
            elif high - level > _DIP_DB:
                count += bool(voiced[at_peak])
                rising, low = False, float(level)
        elif level < low:
            low = float(level)
        elif level - low > _DIP_DB:
            rising, high, at_peak = True, float(level), index
    return count


def _held(value: float, limits: tuple[float, float]) -> float:
    return float(np.clip(value, *limits))

"""Norms of a voice: what the generator would measure over a sentence, known before it is spoken.

The norms of the published model look at the whole utterance, which a stream has not decoded yet.
What they see depends far more on the voice than on the words, so it is measured once a voice.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engines.api import Pcm
from engines.kokoro.decoder import NORM_CHANNELS
from engines.kokoro.synth import (
    CALIBRATION_HALF_FRAMES,
    FRAME_SAMPLES,
    Acoustics,
    FrozenNorms,
    NormStatistics,
    Synthesizer,
)
from engines.kokoro.vocabulary import to_tokens

SENTENCES = (
    "ðə bˈɜɹʧ kənˈu slˈɪd ˌɔn ðə plˈæŋks.",
    "wˌʌt ʤˈY ðɛɹ ɪz ɪn lˈɪvɪŋ!",
    "ʃˌi sˈɔ fˈIv bˈɪɡ ʃˈɪps, sˌɜɹ.",
)
"""Short utterances with all kinds of sounds and endings (after the Harvard sentences), whole:
with less silence than real ones have, all speech would come out 2 dB too quiet."""

FRAMES = CALIBRATION_HALF_FRAMES // 2
_KEPT_VOICES = 64


def calibrate(
    synth: Synthesizer, style: NDArray[np.float32], f0_ratio: float = 1.0
) -> NormStatistics:
    """Measure a style ``[256]`` at the pitch that it will be spoken with.

    Takes about a second of one core. The norms see the harmonics, so statistics of another pitch
    would spoil the voice: at a ratio of 0.62 they cost 0.06 of GE2E cosine and raised F0.
    """
    return heard(synth, style, f0_ratio)[1]


def heard(
    synth: Synthesizer, style: NDArray[np.float32], f0_ratio: float = 1.0
) -> tuple[Pcm, NormStatistics]:
    """The same, with what was said: mono at 24 kHz, some eight seconds."""
    said, measured = [], []
    for text in SENTENCES:
        acoustics = planned(synth, text, style, f0_ratio)
        pcm, statistics = synth.measure(acoustics, style)
        said.append(pcm[: int(acoustics.durations.sum()) * FRAME_SAMPLES])
        measured.append(statistics)
    return np.concatenate(said), pool(measured)


def planned(
    synth: Synthesizer, symbols: str, style: NDArray[np.float32], f0_ratio: float
) -> Acoustics:
    """An utterance at a voice's pitch, as long as what is compiled for measuring it."""
    acoustics = fit(synth.front(to_tokens(symbols), style), FRAMES)
    return replace(acoustics, f0_hz=acoustics.f0_hz * np.float32(f0_ratio))


def pool(measured: list[NormStatistics]) -> NormStatistics:
    """Statistics of several utterances taken as one."""
    means = np.stack([one.mean for one in measured])
    mean = means.mean(axis=0)
    within = np.mean([one.variance for one in measured], axis=0)
    between = np.square(means - mean).mean(axis=0)
    return NormStatistics(mean, np.asarray(within + between, dtype=np.float32))


def to_array(statistics: NormStatistics) -> NDArray[np.float32]:
    """Statistics as one array ``[2,N]``, to be kept in a voice."""
    return np.stack([statistics.mean, statistics.variance])


def from_array(stored: NDArray[np.float32]) -> NormStatistics | None:
    """What ``to_array`` gave, or nothing if it cannot be that."""
    if stored.shape != (2, NORM_CHANNELS) or not np.isfinite(stored).all():
        return None
    return NormStatistics(stored[0], np.maximum(stored[1], 0.0))


def fit(acoustics: Acoustics, frames: int) -> Acoustics:
    """The same sounds, cut or filled with nothing to so many frames of 25 ms."""
    missing = max(0, frames - acoustics.text.shape[2])
    ends = np.minimum(np.cumsum(acoustics.durations), frames)
    return Acoustics(
        np.pad(acoustics.text, ((0, 0), (0, 0), (0, missing)))[:, :, :frames],
        np.pad(acoustics.f0_hz, (0, 2 * missing))[: 2 * frames],
        np.pad(acoustics.energy, (0, 2 * missing))[: 2 * frames],
        np.diff(ends, prepend=0),
    )


class NormsCache:
    """The frozen norms of the voices that spoke last; keys begin with the bytes of the style."""

    def __init__(self, synth: Synthesizer) -> None:
        self._synth = synth
        self._kept: OrderedDict[bytes, FrozenNorms] = OrderedDict()
        self._lock = threading.Lock()

    def get(
        self,
        style: NDArray[np.float32],
        statistics: NormStatistics | None = None,
        f0_ratio: float = 1.0,
    ) -> FrozenNorms:
        """The norms of a style, from its statistics or else from a calibration now."""
        # What the voice brings is part of the key, or a forged voice could spoil another's.
        key = style.tobytes()
        if statistics is not None:
            key += to_array(statistics).tobytes()
        else:
            key += np.float32(f0_ratio).tobytes()
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        norms = self._synth.freeze(style, statistics or calibrate(self._synth, style, f0_ratio))
        with self._lock:
            self._kept[key] = norms
            while len(self._kept) > _KEPT_VOICES:
                self._kept.popitem(last=False)
        return norms

    def forget(self, style: NDArray[np.float32]) -> None:
        """Drop the norms of a style, whatever its pitch."""
        with self._lock:
            for key in [key for key in self._kept if key.startswith(style.tobytes())]:
                del self._kept[key]

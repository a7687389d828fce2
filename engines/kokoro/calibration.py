"""Statistics of a voice: what the norms of the generator see when it speaks plain sentences.

The norms of the published model look at the whole utterance, which a stream has not heard yet.
They depend far more on the voice than on the words, so they are measured once a voice.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from engines.kokoro.synth import Acoustics, NormStatistics, Synthesizer
from engines.kokoro.vocabulary import to_tokens

SENTENCES = (
    "ðə bˈɜɹʧ kənˈu slˈɪd ˌɔn ðə smˈuð plˈæŋks, ænd hi sˈɔ ˈʌvəɹ ə hˈʌndɹəd ʃˈɪps.",
    "wˈʌt ʤˈɔɪ ðəɹ ɪz ɪn lˈɪvɪŋ! ðə jˈʌŋ ɡˈɜɹl ɡˈAv nˈO klˈɪɹ ɹəspˈɑns.",
)
"""Two utterances with all kinds of sounds, pauses and endings (after the Harvard sentences)."""

FRAMES = 160
"""Each is stretched to 4 s, so that one compiled program does for all voices."""

_KEPT_VOICES = 64


def calibrate(synth: Synthesizer, style: NDArray[np.float32]) -> NormStatistics:
    """Measure a style ``[256]``; takes a second of one core."""
    measured = [
        synth.measure(stretch(synth.front(to_tokens(text), style), FRAMES), style)[1]
        for text in SENTENCES
    ]
    return pool(measured)


def pool(measured: list[NormStatistics]) -> NormStatistics:
    """Statistics of all utterances taken as one."""
    means = np.stack([one.mean for one in measured])
    variances = np.stack([one.variance for one in measured])
    mean = means.mean(axis=0)
    spread = np.square(means - mean).mean(axis=0)
    return NormStatistics(mean, np.asarray(variances.mean(axis=0) + spread, dtype=np.float32))


def stretch(acoustics: Acoustics, frames: int) -> Acoustics:
    """The same sounds, each longer or shorter, in so many frames of 25 ms."""
    have = acoustics.text.shape[2]
    at = np.arange(frames) * have // frames
    half_at = np.arange(2 * frames) * (2 * have) // (2 * frames)
    counts = np.bincount(
        np.repeat(np.arange(acoustics.durations.size), acoustics.durations)[at],
        minlength=acoustics.durations.size,
    )
    return Acoustics(
        np.ascontiguousarray(acoustics.text[:, :, at]),
        acoustics.f0_hz[half_at],
        acoustics.energy[half_at],
        counts,
    )


class StatisticsCache:
    """The statistics of the voices that spoke last, for voices that do not bring their own."""

    def __init__(self, synth: Synthesizer) -> None:
        self._synth = synth
        self._kept: OrderedDict[bytes, NormStatistics] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, style: NDArray[np.float32]) -> NormStatistics:
        """The statistics of a style, measured now if it has not spoken lately."""
        key = style.tobytes()
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        statistics = calibrate(self._synth, style)
        with self._lock:
            self._kept[key] = statistics
            while len(self._kept) > _KEPT_VOICES:
                self._kept.popitem(last=False)
        return statistics

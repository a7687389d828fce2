"""Whether a recording is fit to be cloned from: an aspect at a time, with words for a person.

Thresholds come from real clips that were spoilt in known measure: ``docs/cloning.md`` has the
error rates, ``python -m voicepeer.reference_trial`` measures them again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voicepeer.core.listening.quality import HINT_BELOW, Aspect, Quality, ramp
from voicepeer.core.listening.surroundings import decay_s, separation, tones_db
from voicepeer.core.pcm import Pcm

REFUSED_BELOW = 0.1
"""Score of the room, of music or of company under which nothing good can be cloned."""

DECAY_S = (0.54, 0.145)
TONES_DB = (-18.3, -35.0)
SEPARATION = (0.422, 0.205)
SPEECH_S = (1.0, 6.0)
"""Values with the scores 0 and 1. Where they are 0.7 a person is warned; 0.1 is refused."""

_HINTS = {
    "speech_s": "short: ten seconds of speech make a better voice",
    "decay_s": "the room echoes: record in a furnished room, close to the microphone",
    "tones_db": "music or another steady tone is in the background: switch it off",
    "separation": "more than one person seems to speak: record one speaker alone",
}


@dataclass(frozen=True, slots=True)
class Suitability:
    """What was measured of a recording; the worst comes first."""

    aspects: tuple[Aspect, ...]

    @property
    def refusal(self) -> str | None:
        """Why nothing should be cloned from this; ``None`` if it may be."""
        hopeless = self._hopeless
        return hopeless[0].hint if hopeless else None

    @property
    def fault(self) -> str | None:
        """Name of the aspect for which it is refused."""
        hopeless = self._hopeless
        return hopeless[0].name if hopeless else None

    @property
    def _hopeless(self) -> list[Aspect]:
        refusing = (one for one in self.aspects if one.name in _REFUSING)
        return [one for one in refusing if one.score < REFUSED_BELOW]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should know or do better, the worst first."""
        return tuple(one.hint for one in self.aspects if one.score < HINT_BELOW)


_REFUSING = frozenset({"decay_s", "tones_db", "separation"})
"""Noise, clipping and silence are refused by the gate already, window by window."""


def suitability(
    pcm: Pcm, quality: Quality, speech_s: float, windows: Sequence[NDArray[np.float32]]
) -> Suitability:
    """Judge a recording, mono at 16 kHz, with pauses.

    ``quality`` and ``speech_s`` are of its speech, ``windows`` are speaker embeddings of stretches
    of its speech, in any order.
    """
    found = [
        *quality.aspects,
        _aspect("speech_s", speech_s, SPEECH_S),
        _aspect("decay_s", decay_s(pcm), DECAY_S),
        _aspect("tones_db", tones_db(pcm), TONES_DB),
        _aspect("separation", separation(windows), SEPARATION),
    ]
    return Suitability(tuple(sorted(found, key=lambda one: one.score)))


def _aspect(name: str, value: float | None, limits: tuple[float, float]) -> Aspect:
    """Score a value; what could not be measured is not held against anybody."""
    worst, best = limits
    if worst > best:
        score = 1.0 if value is None else ramp(-value, -worst, -best)
    else:
        score = 1.0 if value is None else ramp(value, worst, best)
    return Aspect(name, value, score, _HINTS[name])

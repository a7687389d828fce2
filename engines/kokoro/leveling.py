"""A voice as loud at another pitch as at its own, whatever the generator makes of it.

How the level moves with the pitch is a voice's own: over the 54 published ones it scatters by
1.5 dB at -12 semitones and by 2.7 dB at +12, and neither style nor norms foretell it to a decibel.
So what is said first at a pitch is decoded at the voice's own as well, and compared.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

import numpy as np

from engines.api import Pcm
from engines.kokoro.source import SAMPLE_RATE_HZ
from engines.kokoro.synth import PAYLOADS, Rendering, Synthesizer
from engines.kokoro.transposition import level_gain

UNMEASURED_SEMITONES = 3.0
"""Shifts up to this move the level by under a decibel, so nothing need be measured."""

_ENOUGH_S = 4.0
"""After so much compared speech the ratio of a voice at one pitch is known."""

_ALWAYS_HALF_FRAMES = PAYLOADS[-1]
"""So much of each piece is compared whatever is known: what is said moves the level as well, a
single word by up to 3 dB."""

_KEPT = 64
"""Voices and pitches; each takes a few bytes."""

_MOST_DB = 12.0
"""No level is moved further: two tiny powers would give any ratio."""

_EXPECTED_ENERGY = 0.15 * SAMPLE_RATE_HZ * 0.01
"""The mean of other voices counts like 150 ms of speech at -20 dBFS."""


class VoiceLevel:
    """How loud one voice is at one other pitch, from energies of the same speech at both.

    Streams of one voice may learn at once: sums that miss a window by chance do no harm.
    """

    def __init__(self, gain: float) -> None:
        """Take the factor that is expected; ``_EXPECTED_ENERGY`` says how much that counts."""
        self._own, self._other = _EXPECTED_ENERGY, _EXPECTED_ENERGY / (gain * gain)
        self._seconds = 0.0

    @property
    def known(self) -> bool:
        """Whether more speech would tell little new."""
        return self._seconds >= _ENOUGH_S

    def learn(self, own: Pcm, other: Pcm) -> None:
        """Take in the same speech in both pitches, of one length."""
        self._own += _energy(own)
        self._other += _energy(other)
        self._seconds += own.size / SAMPLE_RATE_HZ

    @property
    def gain(self) -> float:
        """Factor on the other pitch that makes it as loud as the own one."""
        ratio_db = 10.0 * np.log10(self._own / self._other)
        return float(10.0 ** (np.clip(ratio_db, -_MOST_DB, _MOST_DB) / 20.0))


class Levels:
    """What was learned of the voices and pitches that spoke last; safe to share by threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, VoiceLevel] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, voice: bytes, semitones: float) -> VoiceLevel:
        """The level of a voice, known by some bytes of its own, at a shift of its pitch."""
        half_steps = round(2.0 * semitones)
        key = voice + half_steps.to_bytes(2, "big", signed=True)
        with self._lock:
            level = self._kept.setdefault(key, expected_level(half_steps / 2.0))
            self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return level

    def forget(self, beginning: bytes) -> None:
        """Drop what was learned of the voices whose bytes begin so."""
        with self._lock:
            for key in [key for key in self._kept if key.startswith(beginning)]:
                del self._kept[key]


class Leveller:
    """Brings the windows of one piece, in their order, to the level of the voice's own pitch.

    ``own`` is the same piece at that pitch; without it the level is what is expected of voices.
    """

    def __init__(self, synth: Synthesizer, level: VoiceLevel, own: Rendering | None = None) -> None:
        self._synth, self._level, self._own = synth, level, own
        self._here = VoiceLevel(level.gain)
        self._compared = 0
        self._gain: float | None = None

    def apply(self, pcm: Pcm, low: int, high: int) -> Pcm:
        """What was decoded between two half frames, at its level."""
        if self._own is not None and self._learns:
            own = self._synth.window(self._own, low, high)
            self._level.learn(own, pcm)
            self._here.learn(own, pcm)
            self._compared += high - low
        before, self._gain = self._gain, self._here.gain
        if before is None or before == self._gain:
            return np.asarray(pcm * np.float32(self._gain), dtype=np.float32)
        # A step between windows would click.
        ramp = np.linspace(before, self._gain, pcm.size, dtype=np.float32)
        return np.asarray(pcm * ramp, dtype=np.float32)

    @property
    def _learns(self) -> bool:
        return self._compared < _ALWAYS_HALF_FRAMES or not self._level.known


def expected_level(semitones: float) -> VoiceLevel:
    """The level of a voice of which nothing is known: the mean of others."""
    return VoiceLevel(level_gain(semitones))


def _energy(pcm: Pcm) -> float:
    return float(np.sum(np.square(pcm, dtype=np.float64)))

"""What a listener hears of an utterance, measured in one way for all: pure numpy.

A stretch of sound is what became available at a moment, to be played from then on. It is looked at
in steps of 5 ms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm
from voicepeer.recorder import AUDIBLE_DBFS

STEP_S = 0.005
FLOOR_DBFS = -120.0

LOUD_DBFS = -30.0
"""As loud as the middle of a vowel."""

HOLE_DBFS = -65.0
HOLE_STEPS = 3
"""Speech that is loud, then as good as silent for 15 ms, then loud again was cut: the closure of a
plosive comes and goes more slowly, and is not as silent."""

EDGE_STEPS = 2
"""How near to a hole it has to be loud: Opus blurs an edge over some milliseconds."""

STALL_S = 0.06
"""How much later than its turn sound may come before a player that keeps little runs dry."""


@dataclass(frozen=True, slots=True)
class Sound:
    """Samples that were there to be played at a moment of ``time.monotonic()``."""

    pcm: Pcm
    at_s: float
    rate_hz: int = WIRE_RATE_HZ
    heard: bool = True
    """False where the receiver had to make it up, or the sender had nothing."""
    place_s: float | None = None
    """Where it belongs in the sender's stream, if that is known."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Levels of steps, and the moment at which each could be played; both of shape ``[n]``."""

    at_s: NDArray[np.float64]
    dbfs: NDArray[np.float64]

    @classmethod
    def of(cls, sounds: Sequence[Sound]) -> Steps:
        """Of sounds in their order; what is left of each after its last whole step is ignored."""
        times: list[NDArray[np.float64]] = [np.zeros(0)]
        levels: list[NDArray[np.float64]] = [np.zeros(0)]
        for sound in sounds:
            size = max(1, round(STEP_S * sound.rate_hz))
            count = sound.pcm.size // size
            steps = sound.pcm[: count * size].astype(np.float64).reshape(count, size)
            power = np.maximum(np.mean(np.square(steps), axis=1), 10 ** (FLOOR_DBFS / 10))
            levels.append((10 * np.log10(power)).astype(np.float64))
            times.append(sound.at_s + STEP_S * np.arange(count, dtype=np.float64))
        return cls(np.concatenate(times), np.concatenate(levels))

    @property
    def audible(self) -> NDArray[np.int_]:
        """Indices of the steps that a listener hears."""
        return np.flatnonzero(self.dbfs > AUDIBLE_DBFS)


@dataclass(frozen=True, slots=True)
class Heard:
    """One utterance as it was received; times in milliseconds."""

    first_audible_ms: float | None
    """From sending the text; ``None`` if nothing was heard."""
    speech_ms: float
    """From the first to the last audible step, in the sender's time."""
    longest_pause_ms: float
    glitches: int
    """Separate places where sound had to be made up by the receiver."""
    stalls: int
    """How often sound came too late to follow what was before it."""
    holes: int
    frames: int
    frames_lost: int


def hear(sounds: Sequence[Sound], sent_s: float) -> Heard:
    """Measure an utterance whose text was sent at ``sent_s``."""
    steps = Steps.of(sounds)
    audible = steps.audible
    if audible.size == 0:
        return Heard(None, 0.0, 0.0, 0, 0, 0, 0, 0)
    first, last = int(audible[0]), int(audible[-1])
    spoken = _between(sounds, first, last)
    return Heard(
        first_audible_ms=(float(steps.at_s[first]) - sent_s) * 1000,
        speech_ms=(last - first + 1) * STEP_S * 1000,
        longest_pause_ms=float(np.diff(audible).max(initial=1) - 1) * STEP_S * 1000,
        glitches=sum(before.heard and not now.heard for before, now in pairwise(spoken)),
        stalls=_stalls(spoken),
        holes=_holes(steps.dbfs[first : last + 1]),
        frames=len(spoken),
        frames_lost=sum(not sound.heard for sound in spoken),
    )


def silent_after_ms(sounds: Sequence[Sound], asked_s: float) -> float:
    """From asking for silence to the end of the last audible step."""
    steps = Steps.of(sounds)
    later = steps.at_s[steps.audible]
    later = later[later >= asked_s]
    return 0.0 if later.size == 0 else (float(later.max()) + STEP_S - asked_s) * 1000


def _between(sounds: Sequence[Sound], first: int, last: int) -> list[Sound]:
    """Those of the sounds that have steps of this range."""
    counts = [sound.pcm.size // max(1, round(STEP_S * sound.rate_hz)) for sound in sounds]
    ends = np.cumsum(counts)
    return [
        sound
        for sound, end, count in zip(sounds, ends, counts, strict=True)
        if end > first and end - count <= last
    ]


def _stalls(sounds: Sequence[Sound]) -> int:
    """Counts a player that starts with the first sound, and starts anew when it has run dry."""
    stalls, began = 0, sounds[0]
    for sound in sounds:
        if sound.place_s is None or began.place_s is None:
            continue
        due_s = began.at_s + sound.place_s - began.place_s
        if sound.at_s - due_s > STALL_S:
            stalls, began = stalls + 1, sound
    return stalls


def _holes(dbfs: NDArray[np.float64]) -> int:
    """Cuts into loud speech; ``dbfs`` begins and ends with an audible step."""
    silent = np.concatenate([[False], dbfs < HOLE_DBFS, [False]])
    edges = np.flatnonzero(np.diff(silent.astype(int))).reshape(-1, 2).tolist()
    return sum(
        end - start >= HOLE_STEPS
        and _loud(dbfs[max(0, start - EDGE_STEPS) : start])
        and _loud(dbfs[end : end + EDGE_STEPS])
        for start, end in edges
    )


def _loud(dbfs: NDArray[np.float64]) -> bool:
    return bool((dbfs > LOUD_DBFS).any())

"""When what an engine makes is heard, and where it runs dry: the pacer without any samples.

Follows ``voicepeer.core.speaking.pacer`` at the frames of its track, in whole utterances.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from engines.api import CHUNK_MS
from voicepeer.core.pcm import WIRE_RATE_HZ
from voicepeer.core.speaking.pacer import (
    LEAD_DECAY_MS_PER_S,
    LEAD_MAX_MS,
    LEAD_MIN_MS,
    LEAD_STEP_MS,
)
from voicepeer.core.timeline import FRAME_S
from voicepeer.resample import SegmentResampler

_FRAME_MS = FRAME_S * 1000.0


@dataclass(slots=True)
class Lead:
    """Speech that a session has in hand before it begins to play; it outlasts utterances."""

    ms: float = LEAD_MIN_MS

    def grow(self) -> None:
        """Speech ran dry."""
        self.ms = min(LEAD_MAX_MS, self.ms + LEAD_STEP_MS)

    def shrink(self, played_ms: float) -> None:
        """So much was played without running dry."""
        self.ms = max(LEAD_MIN_MS, self.ms - LEAD_DECAY_MS_PER_S * played_ms / 1000.0)


@dataclass(slots=True)
class Playback:
    """One utterance; all times are seconds of one clock and never go back.

    ``phase_s`` is when the session's track takes one of its frames, which come every 20 ms.
    """

    lead: Lead
    phase_s: float
    underruns: int = 0
    heard_s: float | None = None
    """When the first frame was sent."""
    _held_ms: float = 0.0
    """Waits for the lead."""
    _began_s: float = 0.0
    _given_ms: float = 0.0
    """Of what plays, all since it began or began again."""
    _playing: bool = False
    _ended: bool = False

    def push(self, audio_ms: float, now: float) -> None:
        """More speech has come."""
        self._settle(now)
        if self._playing:
            self._given_ms += audio_ms
            return
        self._held_ms += audio_ms
        if self._held_ms >= self.lead.ms:
            self._begin(now)

    def end(self, now: float) -> float:
        """No more comes: when the last of it has been played."""
        self._settle(now)
        self._ended = True
        if not self._playing and self._held_ms:
            self._begin(now)
        over_s = self._dry_s() if self._playing else now
        if self._playing:
            self.lead.shrink(self._given_ms)
        return over_s

    def buffered_ms(self, now: float) -> float:
        """What is still to be played."""
        self._settle(now)
        if not self._playing:
            return self._held_ms
        return max(0.0, self._given_ms - (max(now, self._began_s) - self._began_s) * 1000.0)

    def _begin(self, now: float) -> None:
        frames = math.ceil((now - self.phase_s) / FRAME_S - 1e-9)
        self._began_s = self.phase_s + frames * FRAME_S
        self._given_ms, self._held_ms, self._playing = self._held_ms, 0.0, True
        if self.heard_s is None:
            self.heard_s = self._began_s

    def _dry_s(self) -> float:
        return self._began_s + self._given_ms / 1000.0

    def _settle(self, now: float) -> None:
        """Note that it ran dry before ``now``: at the first frame that could not be filled."""
        if not self._playing or self._ended:
            return
        whole_frames = math.floor(self._given_ms / _FRAME_MS + 1e-9)
        if now > self._began_s + whole_frames * FRAME_S:
            self.underruns += 1
            self.lead.shrink(self._given_ms)
            self.lead.grow()
            self._playing = False


@cache
def delivered_ms(rate_hz: int, chunks: int, last_ms: float = CHUNK_MS) -> tuple[float, ...]:
    """How much of a piece reaches the pacer with each chunk: the resampler holds some back."""
    resampler = SegmentResampler(rate_hz)
    sizes_ms = [float(CHUNK_MS)] * (chunks - 1) + [last_ms]
    given = []
    for size_ms in sizes_ms:
        pcm = np.zeros(round(size_ms * rate_hz / 1000.0), np.float32)
        given.append(resampler.push(pcm).size * 1000.0 / WIRE_RATE_HZ)
    given[-1] += resampler.finish().size * 1000.0 / WIRE_RATE_HZ
    return tuple(given)

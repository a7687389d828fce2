"""When each frame of a live track is due; knows no clock, ``now`` is handed in."""

from __future__ import annotations

import math
from dataclasses import dataclass

from voicepeer.core.pcm import FRAME_MS, FRAME_SAMPLES

FRAME_S = FRAME_MS / 1000
STALL_S = 0.2
"""Lateness that is made up for by sending at once; after more, the lost frames are skipped."""


@dataclass(frozen=True, slots=True)
class Tick:
    """One step of the timeline: the frame's first sample and how many frames were given up."""

    pts: int
    skipped: int


class Timeline:
    """Frame ``n`` is due at ``origin + n * 20 ms``, so errors of single sleeps never add up.

    A late frame is sent at once and its successors follow on the old grid. When the caller was
    away for more than ``stall_s`` the frames of that time are skipped instead of sent in a burst:
    the timestamp jumps with the clock, which a listener conceals once, where a burst would stay
    in its jitter buffer as delay.

    Origins lie on multiples of 20 ms of the caller's clock, so that all tracks of a process that
    have one ``phase_s`` are due together: it wakes up once for all of them, not once for each. With
    too many due at once the last of them leave unevenly, so there are a few phases.
    """

    def __init__(self, stall_s: float = STALL_S, phase_s: float = 0.0) -> None:
        self._stall_s = stall_s
        self.phase_s = phase_s
        """Of the grid against multiples of 20 ms; to be set before the first frame."""
        self._origin: float | None = None
        self._count = 0

    def next_deadline(self) -> float | None:
        """When the next frame is due, in the caller's seconds; ``None`` before the first."""
        if self._origin is None:
            return None
        return self._origin + self._count * FRAME_S

    def advance(self, now: float) -> Tick:
        """Step to the next frame, which is taken at ``now``."""
        if self._origin is None:
            self._origin = _grid(now - self.phase_s) + self.phase_s
        late_s = now - (self._origin + self._count * FRAME_S)
        # The small term keeps a lateness of whole frames from being rounded down to one less.
        skipped = int(late_s / FRAME_S + 1e-6) if late_s > self._stall_s else 0
        tick = Tick(pts=(self._count + skipped) * FRAME_SAMPLES, skipped=skipped)
        self._count += skipped + 1
        return tick


def _grid(now: float) -> float:
    """The last multiple of a frame; a moment that is one but for rounding counts as one."""
    return math.floor(now / FRAME_S + 1e-6) * FRAME_S

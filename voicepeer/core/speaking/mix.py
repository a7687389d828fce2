"""Adds up what several speakers say at once, frame by frame, for those who hear all of them.

Pure: no clock. Each speaker's frames come when that speaker's own are sent; the sum is due on a
timeline of its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np

from voicepeer.core.pcm import FRAME_SAMPLES, Pcm16
from voicepeer.core.speaking.pacer import Frame
from voicepeer.core.timeline import Timeline

LEAD_FRAMES = 2
"""Frames in hand before a speaker is heard: frames are sent at other moments than the sum is made,
and up to one frame late."""

KEPT_FRAMES = 6
"""120 ms; with more the oldest is dropped, so that nobody is heard late for ever."""


@dataclass(slots=True)
class _Speaker:
    frames: deque[Pcm16] = field(default_factory=lambda: deque(maxlen=KEPT_FRAMES))
    holding: bool = True

    def take(self) -> Pcm16 | None:
        """The next frame, or ``None`` while there are too few in hand."""
        if self.holding and len(self.frames) < LEAD_FRAMES:
            return None
        self.holding = not self.frames
        return self.frames.popleft() if self.frames else None


class Mix:
    """The sum of any number of speakers; implements ``voicepeer.broadcast.FrameSource``."""

    def __init__(self, timeline: Timeline | None = None) -> None:
        self._timeline = timeline or Timeline()
        self._speakers: dict[Hashable, _Speaker] = {}

    def push(self, speaker: Hashable, pcm: Pcm16) -> None:
        """A frame of a speaker: shape ``[960]``, 48 kHz, in order."""
        self._speakers.setdefault(speaker, _Speaker()).frames.append(pcm)

    def drop(self, speaker: Hashable) -> None:
        """Forget a speaker; harmless when there is none."""
        self._speakers.pop(speaker, None)

    def shift(self, phase_s: float) -> None:
        """Be due so long after multiples of 20 ms; said before the first frame."""
        self._timeline.phase_s = phase_s

    def next_deadline(self) -> float | None:
        """When the next frame is due; ``None`` means at once."""
        return self._timeline.next_deadline()

    def take(self, now: float) -> Frame:
        """The frame to be sent at ``now``; silence where nobody speaks."""
        tick = self._timeline.advance(now)
        taken = (speaker.take() for speaker in self._speakers.values())
        heard = [pcm for pcm in taken if pcm is not None and pcm.any()]
        return Frame(_sum(heard), tick.pts, speech=bool(heard))


def _sum(frames: list[Pcm16]) -> Pcm16:
    if len(frames) == 1:
        return frames[0]
    total = np.zeros(FRAME_SAMPLES, np.int32)
    for pcm in frames:
        total += pcm
    limited: Pcm16 = np.clip(total, -32_768, 32_767).astype(np.int16)
    return limited

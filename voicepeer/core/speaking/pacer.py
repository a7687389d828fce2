"""Cuts uneven engine chunks into 20 ms frames; decides when speech starts, waits and ends.

Pure: no clock, no engine, no codec. The track asks for a frame every 20 ms and always gets one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from voicepeer.core.pcm import (
    FRAME_SAMPLES,
    WIRE_RATE_HZ,
    Pcm,
    Pcm16,
    from_pcm16,
    level_dbfs,
    to_pcm16,
)
from voicepeer.core.timeline import FRAME_S, Timeline

LEAD_MIN_MS = 50.0
"""Audio in hand before speech starts: what the listener's jitter buffer holds back anyway."""

LEAD_MAX_MS = 320.0
LEAD_STEP_MS = 80.0
"""An underrun means that one engine chunk was late, so the lead grows by one chunk."""

LEAD_DECAY_MS_PER_S = 10.0
"""How fast the lead goes back while speech plays without an underrun."""

FADE_SAMPLES = WIRE_RATE_HZ * 10 // 1000
AUDIBLE_DBFS = -50.0
"""Level of a frame from which a listener hears it; quieter is the engine's leading silence."""


@dataclass(frozen=True, slots=True)
class Cue:
    """Something to report when sample ``at_sample`` of its utterance (48 kHz) is sent."""

    at_sample: int
    label: object


@dataclass(frozen=True, slots=True)
class UtteranceHeard:
    """The first audible frame of an utterance is being sent; it begins at ``at_sample``."""

    generation: int
    at_sample: int


@dataclass(frozen=True, slots=True)
class CueHeard:
    """The sample that a cue points at is being sent."""

    generation: int
    label: object


@dataclass(frozen=True, slots=True)
class UtterancePlayed:
    """The last sample of an utterance that was ended is being sent."""

    generation: int
    played_samples: int
    underruns: int
    heard_at_sample: int | None


PacerEvent: TypeAlias = UtteranceHeard | CueHeard | UtterancePlayed


@dataclass(frozen=True, slots=True)
class Frame:
    """20 ms to send: shape ``[960]``, ``pts`` in samples, and what is heard within it."""

    pcm: Pcm16
    pts: int
    speech: bool
    events: tuple[PacerEvent, ...] = ()


@dataclass(slots=True)
class PacerCounters:
    """Totals since the pacer was made."""

    frames: int = 0
    underruns: int = 0
    stale_chunks: int = 0
    repaired_chunks: int = 0
    """Chunks with samples that were not finite or out of range."""
    skipped_frames: int = 0
    """Frames given up because the caller came back after a stall."""

    def note_repair(self) -> None:
        """Count a chunk that was repaired before it came here."""
        self.repaired_chunks += 1


@dataclass(slots=True)
class _Utterance:
    generation: int
    chunks: deque[Pcm16] = field(default_factory=deque)
    cues: deque[Cue] = field(default_factory=deque)
    buffered: int = 0
    pushed: int = 0
    played: int = 0
    underruns: int = 0
    holding: bool = True
    drained: bool = False
    ended: bool = False
    heard_at: int | None = None
    gain: float = 1.0
    gain_before: float = 1.0
    """What the gain was at the end of the last frame."""

    def pull(self, count: int) -> Pcm16:
        """Remove ``count`` buffered samples; the caller has checked that they are there."""
        parts: list[Pcm16] = []
        missing = count
        while missing:
            head = self.chunks.popleft()
            if head.size > missing:
                self.chunks.appendleft(head[missing:])
                head = head[:missing]
            parts.append(head)
            missing -= head.size
        self.buffered -= count
        self.played += count
        return np.concatenate(parts) if parts else np.zeros(0, np.int16)


class Pacer:
    """Plays utterances one after the other as an endless row of frames.

    Each utterance has a generation number from ``open``. After ``cancel`` that number is void:
    chunks that still come for it are dropped and counted, so nothing stale is ever heard.
    """

    def __init__(self, timeline: Timeline | None = None) -> None:
        self.counters = PacerCounters()
        self._timeline = timeline or Timeline()
        self._queue: deque[_Utterance] = deque()
        self._open: dict[int, _Utterance] = {}
        self._generation = 0
        self._lead_ms = LEAD_MIN_MS
        self._tail: Pcm16 = np.zeros(0, np.int16)

    @property
    def lead_ms(self) -> float:
        """Audio that has to be in hand before speech starts or resumes."""
        return self._lead_ms

    def shift(self, phase_s: float) -> None:
        """Be due so long after multiples of 20 ms; said before the first frame."""
        self._timeline.phase_s = phase_s

    def next_deadline(self) -> float | None:
        """When the next frame is due; ``None`` means at once."""
        return self._timeline.next_deadline()

    def open(self, before: int | None = None) -> int:
        """Queue a new utterance behind the others, or before one of them; its generation number."""
        self._generation += 1
        utterance = _Utterance(self._generation)
        self._open[utterance.generation] = utterance
        later = self._open.get(before) if before is not None else None
        self._queue.insert(self._queue.index(later) if later else len(self._queue), utterance)
        return utterance.generation

    def set_gain(self, generation: int, gain: float, at_once: bool = False) -> None:
        """Factor on the level of an utterance; reached within the next frame, or before it."""
        utterance = self._open.get(generation)
        if utterance is not None:
            utterance.gain = gain
            if at_once:
                utterance.gain_before = gain

    def rewind(self, generation: int) -> None:
        """Forget the speech of an utterance that nobody has heard any of.

        Raises:
            ValueError: some of it was played.
        """
        utterance = self._open[generation]
        if utterance.played:
            raise ValueError("what was heard cannot be taken back")
        utterance.chunks.clear()
        utterance.cues.clear()
        utterance.buffered = utterance.pushed = 0
        utterance.ended = utterance.drained = False

    def push(self, generation: int, pcm: Pcm, cues: Iterable[Cue] = ()) -> bool:
        """Add speech (48 kHz mono, any length) to an utterance; false if it is void.

        Samples that are not finite or out of range are repaired.

        Raises:
            ValueError: ``pcm`` is not one-dimensional.
        """
        if pcm.ndim != 1:
            raise ValueError(f"speech must be mono, shape [n]; got shape {list(pcm.shape)}")
        utterance = self._open.get(generation)
        if utterance is None or utterance.ended:
            self.counters.stale_chunks += 1
            return False
        utterance.cues.extend(cues)
        if pcm.size == 0:
            return True
        # The negated comparison also catches NaN.
        if not float(np.max(np.abs(pcm))) <= 1.0:
            self.counters.repaired_chunks += 1
        utterance.chunks.append(to_pcm16(pcm))
        utterance.buffered += pcm.size
        utterance.pushed += pcm.size
        utterance.drained = False
        return True

    def drain(self, generation: int) -> None:
        """No more speech for now: play what is there, running dry is no underrun."""
        if generation in self._open:
            self._open[generation].drained = True

    def end(self, generation: int) -> None:
        """No more speech at all: ``UtterancePlayed`` follows once everything was sent."""
        if generation in self._open:
            self._open[generation].ended = True

    def cancel(self, generation: int) -> int:
        """Silence an utterance; how many of its samples are heard in all.

        What is sounding now fades out over 10 ms, which the figure includes.
        """
        utterance = self._open.pop(generation, None)
        if utterance is None:
            return 0
        if utterance is self._queue[0] and utterance.played:
            rest = utterance.pull(min(FADE_SAMPLES, utterance.buffered))
            rest = _scaled(rest, utterance.gain_before, utterance.gain_before)
            ramp = np.linspace(1.0, 0.0, rest.size, dtype=np.float32)
            self._tail = np.rint(rest * ramp).astype(np.int16)
        self._queue.remove(utterance)
        return utterance.played

    def buffered_ms(self, generation: int) -> float:
        """Speech of an utterance that is still to be played."""
        utterance = self._open.get(generation)
        return utterance.buffered * 1000 / WIRE_RATE_HZ if utterance else 0.0

    def pushed_samples(self, generation: int) -> int:
        """Samples pushed so far, which is where the next chunk begins."""
        utterance = self._open.get(generation)
        return utterance.pushed if utterance else 0

    def take(self, now: float) -> Frame:
        """The frame to be sent at ``now``: speech, or silence where there is none."""
        tick = self._timeline.advance(now)
        self.counters.frames += 1
        self.counters.skipped_frames += tick.skipped
        pcm = np.zeros(FRAME_SAMPLES, np.int16)
        filled = self._tail.size
        pcm[:filled] = self._tail
        self._tail = self._tail[:0]
        events: list[PacerEvent] = []
        while filled < FRAME_SAMPLES and self._queue:
            head = self._queue[0]
            count = min(self._playable(head), FRAME_SAMPLES - filled)
            if count:
                pcm[filled : filled + count] = self._play(head, count, events)
                filled += count
            if head.buffered == 0 and head.ended:
                self._finish(head, events)
            elif count == 0:
                break
        if filled:
            self._lead_ms = max(LEAD_MIN_MS, self._lead_ms - LEAD_DECAY_MS_PER_S * FRAME_S)
        return Frame(pcm, tick.pts, speech=filled > 0, events=tuple(events))

    def _playable(self, head: _Utterance) -> int:
        settled = head.drained or head.ended
        if head.buffered == 0:
            if head.played and not (settled or head.holding):
                self._note_underrun(head)
            head.holding = True
        elif settled or head.buffered * 1000 >= self._lead_ms * WIRE_RATE_HZ:
            head.holding = False
        return 0 if head.holding else head.buffered

    def _note_underrun(self, head: _Utterance) -> None:
        head.underruns += 1
        self.counters.underruns += 1
        self._lead_ms = min(LEAD_MAX_MS, self._lead_ms + LEAD_STEP_MS)

    def _play(self, head: _Utterance, count: int, events: list[PacerEvent]) -> Pcm16:
        start = head.played
        pcm = _scaled(head.pull(count), head.gain_before, head.gain)
        head.gain_before = head.gain
        if head.heard_at is None and level_dbfs(from_pcm16(pcm)) > AUDIBLE_DBFS:
            head.heard_at = start
            events.append(UtteranceHeard(head.generation, start))
        while head.cues and head.cues[0].at_sample < head.played:
            events.append(CueHeard(head.generation, head.cues.popleft().label))
        return pcm

    def _finish(self, head: _Utterance, events: list[PacerEvent]) -> None:
        events.extend(CueHeard(head.generation, cue.label) for cue in head.cues)
        events.append(UtterancePlayed(head.generation, head.played, head.underruns, head.heard_at))
        self._queue.popleft()
        del self._open[head.generation]


def _scaled(pcm: Pcm16, before: float, after: float) -> Pcm16:
    """Samples at a level that goes from one factor to another."""
    if before == after == 1.0:
        return pcm
    ramp = np.linspace(before, after, pcm.size, dtype=np.float32)
    scaled: Pcm16 = np.rint(np.clip(pcm * ramp, -32767.0, 32767.0)).astype(np.int16)
    return scaled

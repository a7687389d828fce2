"""One pacer's frames as Opus packets for any number of listeners, encoded once for all who want
the same.

Whichever listener comes first makes the next frame when it is due; the others find it made. So
there is no task that could die, and one listener costs what a track of its own would.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from voicepeer.core.adaptation import Encoding
from voicepeer.core.pcm import FRAME_SAMPLES, Pcm16
from voicepeer.core.speaking.pacer import Frame, PacerEvent
from voicepeer.level import LEVEL_MIN_DBOV, level_dbov
from voicepeer.opus import OpusEncoder

logger = logging.getLogger(__name__)

KEPT_PACKETS = 16
"""320 ms that a listener whose turn came late still gets; who is later goes on with the newest."""

_QUIET = np.ones(FRAME_SAMPLES, np.int16)
"""Sent in place of silence: it decodes to the same, but libopus takes less than half the time over
it, as its filters are slow with the denormal numbers that zeros lead to."""

_QUIET_CYCLE = 4
"""After a moment of silence libopus comes back to the same packet every so often: the seed of its
noise has two bits (RFC 6716 section 4.2.7.7), and nothing else changes any more."""

PacerListener = Callable[[Sequence[PacerEvent], float], None]
"""Gets the events of a frame and ``time.monotonic()`` when it was sent; must not block."""


class FrameSource(Protocol):
    """Frames for a broadcast: a pacer, or a mix of several."""

    def shift(self, phase_s: float) -> None:
        """Be due so long after multiples of 20 ms; said before the first frame."""
        ...

    def next_deadline(self) -> float | None:
        """When the next frame is due; ``None`` means at once."""
        ...

    def take(self, now: float) -> Frame:
        """The frame to be sent at ``now``."""
        ...


@dataclass(eq=False, slots=True)
class Ear:
    """One listener's place in the row of packets."""

    group: _Group
    next_index: int
    wanted: Encoding


@dataclass(eq=False, slots=True)
class _Group:
    """Listeners who want the same, and their encoder."""

    encoding: Encoding
    encoder: OpusEncoder
    size: int = 0
    quiet: deque[bytes] = field(default_factory=lambda: deque(maxlen=2 * _QUIET_CYCLE))
    """The last packets of a silence, from its beginning on."""

    def encode(self, frame: Frame) -> bytes:
        """The packet of a frame; a silence that has settled is not encoded again and again."""
        if frame.speech:
            self.quiet.clear()
            return self.encoder.encode(frame.pcm)
        if self._has_settled():
            self.quiet.rotate(-1)
        else:
            self.quiet.append(self.encoder.encode(_QUIET))
        return self.quiet[-1]

    def _has_settled(self) -> bool:
        packets = list(self.quiet)
        is_whole = len(packets) == 2 * _QUIET_CYCLE
        return is_whole and packets[:_QUIET_CYCLE] == packets[_QUIET_CYCLE:]


@dataclass(frozen=True, slots=True)
class Sent:
    """A frame as it goes out: ``payloads`` holds one packet for each group there was."""

    pts: int
    payloads: dict[int, bytes] = field(default_factory=dict)


class Broadcast:
    """Frames of one source for its listeners; no call raises.

    ``on_frame`` and ``on_sent``, where set, get each frame that is sent, for two who need it.

    Args:
        make_encoder: encoder for settings.
        on_events: told what is heard in a frame.
    """

    def __init__(
        self,
        pacer: FrameSource,
        make_encoder: Callable[[Encoding], OpusEncoder] | None = None,
        on_events: PacerListener | None = None,
    ) -> None:
        self._pacer = pacer
        self._make_encoder = make_encoder or encoder_for
        self._on_events = on_events
        self._silence = OpusEncoder().encode(_QUIET)
        self._groups: list[_Group] = []
        self._ears: list[Ear] = []
        self._sent: deque[Sent] = deque(maxlen=KEPT_PACKETS)
        self._count = 0
        self._next_pts = 0
        self.on_frame: Callable[[Pcm16], None] | None = None
        self.on_sent: Callable[[Pcm16], None] | None = None
        self.last_speech_s: float | None = None
        self.level_dbov = LEVEL_MIN_DBOV
        """Of the newest frame."""
        self.faults = 0

    @property
    def encoders(self) -> int:
        """How often each frame is encoded at present."""
        return len(self._groups)

    def join(self, encoding: Encoding) -> Ear:
        """A new listener, who hears what is sent from now on."""
        group = self._group_of(encoding) or self._new_group(encoding)
        group.size += 1
        ear = Ear(group, self._count, encoding)
        self._ears.append(ear)
        return ear

    def leave(self, ear: Ear) -> None:
        """Forget a listener; harmless when that has happened."""
        if ear in self._ears:
            self._ears.remove(ear)
            self._drop_from_group(ear)

    def encode_as(self, ear: Ear, encoding: Encoding) -> None:
        """Encode otherwise for one listener from now on.

        A listener who is alone keeps its encoder, whose settings change. One who leaves a group
        gets a fresh encoder, whose first packet needs no past. Joining others waits for silence:
        their encoder's packets build on what this listener's decoder has not heard.
        """
        ear.wanted = encoding
        group = ear.group
        if group.encoding == encoding or self._group_of(encoding) is not None:
            return
        if group.size == 1:
            group.encoding = encoding
            group.quiet.clear()
            group.encoder.set_bitrate(encoding.bitrate_bps)
            group.encoder.set_expected_loss(encoding.expected_loss_percent)
        else:
            self._move(ear, self._new_group(encoding))

    def wait_s(self, ear: Ear, now: float) -> float:
        """How long until the listener's next packet; not positive where it is due."""
        if ear.next_index < self._count:
            return 0.0
        try:
            deadline = self._pacer.next_deadline()
        except Exception:  # a fault of the pacer must not end the track
            logger.exception("the pacer failed to say when it is due")
            return 0.02
        return 0.0 if deadline is None else deadline - now

    def take(self, ear: Ear, now: float) -> tuple[int, bytes]:
        """The listener's next packet: its timestamp in samples, and its payload."""
        if ear.next_index >= self._count:
            self._advance(now)
        oldest = self._count - len(self._sent)
        if ear.next_index < oldest:
            ear.next_index = self._count - 1
        sent = self._sent[ear.next_index - oldest]
        ear.next_index += 1
        payload = sent.payloads.get(id(ear.group))
        # A listener who changed groups after this was made takes what its old group got.
        return sent.pts, next(iter(sent.payloads.values())) if payload is None else payload

    def _advance(self, now: float) -> None:
        try:
            frame = self._pacer.take(now)
        except Exception:  # the sender's task must outlive any fault of ours
            logger.exception("a frame could not be made, silence is sent in its place")
            self.faults += 1
            self.level_dbov = LEVEL_MIN_DBOV
            sent = Sent(self._next_pts, {id(group): self._silence for group in self._groups})
        else:
            if not frame.speech:
                self._gather()
            sent = Sent(
                frame.pts, {id(group): self._encode(group, frame) for group in self._groups}
            )
            self._report(frame, now)
        self._next_pts = sent.pts + FRAME_SAMPLES
        self._sent.append(sent)
        self._count += 1

    def _encode(self, group: _Group, frame: Frame) -> bytes:
        try:
            return group.encode(frame)
        except Exception:  # see above; the other groups get theirs
            logger.exception("a frame could not be encoded, silence is sent in its place")
            self.faults += 1
            return self._silence

    def _report(self, frame: Frame, now: float) -> None:
        if frame.speech:
            self.last_speech_s = now
        self.level_dbov = level_dbov(frame.pcm) if frame.speech else LEVEL_MIN_DBOV
        try:
            if self.on_frame is not None:
                self.on_frame(frame.pcm)
            if self.on_sent is not None:
                self.on_sent(frame.pcm)
            if frame.events and self._on_events:
                self._on_events(frame.events, now)
        except Exception:  # a fault of the listener must not end the track either
            logger.exception("the listener for what is heard failed")

    # --- groups ---------------------------------------------------------------------------------

    def _gather(self) -> None:
        """Let listeners who want the same share an encoder; done while nobody hears a seam."""
        for ear in self._ears:
            if ear.group.encoding != ear.wanted and (group := self._group_of(ear.wanted)):
                self._move(ear, group)

    def _move(self, ear: Ear, group: _Group) -> None:
        group.size += 1
        self._drop_from_group(ear)
        ear.group = group

    def _drop_from_group(self, ear: Ear) -> None:
        ear.group.size -= 1
        if not ear.group.size:
            self._groups.remove(ear.group)

    def _group_of(self, encoding: Encoding) -> _Group | None:
        return next((group for group in self._groups if group.encoding == encoding), None)

    def _new_group(self, encoding: Encoding) -> _Group:
        group = _Group(encoding, self._make_encoder(encoding))
        self._groups.append(group)
        return group


def encoder_for(encoding: Encoding) -> OpusEncoder:
    """A speech encoder with some settings."""
    return OpusEncoder(
        bitrate_bps=encoding.bitrate_bps, expected_loss_percent=encoding.expected_loss_percent
    )

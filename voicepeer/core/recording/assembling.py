"""A track without holes out of placed packets: in order, with something in every gap."""

from __future__ import annotations

from voicepeer.core.jitter import packet_samples
from voicepeer.core.pcm import WIRE_RATE_HZ
from voicepeer.core.recording.filling import UNIT_SAMPLES, fill
from voicepeer.core.recording.placing import MAX_LAG_SAMPLES

HOLD_SAMPLES = WIRE_RATE_HZ * 3 // 10
"""A packet may overtake others by so much."""

MAX_WAITING = 1_000
"""Packets that wait to be put in order: 20 s, of which none waits for 3 s."""


class Assembler:
    """The packets of one track; ``begin`` is where it begins on the recording's timeline.

    Positions are samples at 48 kHz.
    """

    def __init__(self) -> None:
        self.begin: int | None = None
        """Position of its first packet, once one was taken."""
        self.end = 0
        """Where the last packet that was taken ends."""
        self._waiting: dict[int, bytes] = {}
        self._before = b""
        self._filled = 0
        """Samples that stand for packets that did not come, since the last one that did."""

    def push(self, position: int, payload: bytes) -> None:
        """Add a packet; one that comes twice, too late or after far too many is left out."""
        too_late = self.begin is not None and position + UNIT_SAMPLES <= self.end
        if not too_late and len(self._waiting) < MAX_WAITING:
            self._waiting.setdefault(position, payload)

    def take(self, now: int) -> list[bytes]:
        """All that is complete at a position that is now, with what fills the gaps.

        Where nothing comes, it is filled up to where a packet would come too late.
        """
        taken = self._release(now - HOLD_SAMPLES)
        if self.begin is not None:
            taken += self._fill(now - MAX_LAG_SAMPLES)
        return taken

    def rest(self) -> list[bytes]:
        """All that there is, at the end."""
        return self._release(None)

    def _release(self, until: int | None) -> list[bytes]:
        due = sorted(one for one in self._waiting if until is None or one < until)
        taken: list[bytes] = []
        for position in due:
            payload = self._waiting.pop(position)
            if self.begin is None:
                self.begin = self.end = position
                self._before = payload
            if position + UNIT_SAMPLES <= self.end:
                continue
            taken += self._fill(position)
            taken.append(payload)
            self.end += packet_samples(payload)
            self._before, self._filled = payload, 0
        return taken

    def _fill(self, until: int) -> list[bytes]:
        packets: list[bytes] = []
        for packet, samples in fill(max(0, until - self.end), self._before, self._filled):
            packets.append(packet)
            self.end += samples
            self._filled += samples
        return packets

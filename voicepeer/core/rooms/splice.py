"""One unbroken RTP stream out of the packets of several sources, one after the other.

A receiver keeps one decoder and one jitter buffer for a stream, so sequence numbers and timestamps
have to go on where the source before has stopped (RFC 3550 section 5.1; RFC 7667 section 3.7).
What a source itself loses or sends out of order stays lost and out of order: only so do receivers
report it and recover it by the next packet's forward error correction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

CLOCK_HZ = 48_000
"""Of Opus over RTP, whatever it was recorded at (RFC 7587 section 4.1)."""

FRAME_TICKS = 960
"""Between two sources at least; 20 ms."""

JUMP_PACKETS = 1_000
"""A source that goes on further away than this, to either side, has begun anew: 20 s, and far below
what would make SRTP lose count (RFC 3711 section 3.3.1)."""

SEQUENCES = 1 << 16
TICKS = 1 << 32


class Place(NamedTuple):
    """Where a packet goes in the outgoing stream; ``first`` is set after a break."""

    sequence: int
    timestamp: int
    first: bool


@dataclass(slots=True)
class _Run:
    """One stretch of one source, that goes out moved by constant offsets."""

    ssrc: int
    newest_in: int
    newest_index: int
    """Of the newest packet, counted from the first one: numbers on the wire wrap, this does not."""
    sequence_offset: int
    timestamp_offset: int

    def ahead(self, sequence: int) -> int:
        """By how much a packet is newer than the newest one."""
        return _signed(sequence - self.newest_in, SEQUENCES)

    def goes_on_with(self, ssrc: int, sequence: int) -> bool:
        return ssrc == self.ssrc and abs(self.ahead(sequence)) <= JUMP_PACKETS


class Splice:
    """Numbers of one outgoing stream.

    Args:
        sequence: of its first packet, best under 2**15 (RFC 3711 section 3.3.1).
        timestamp: of the same.
    """

    def __init__(self, sequence: int, timestamp: int) -> None:
        self._next_sequence = sequence % SEQUENCES
        self._next_timestamp = timestamp % TICKS
        self._newest_at: float | None = None
        self._run: _Run | None = None

    def cut(self) -> None:
        """What comes next has no link to what was before: another source, or one after a pause."""
        self._run = None

    def place(self, ssrc: int, sequence: int, timestamp: int, now: float) -> Place | None:
        """Where a packet goes, ``None`` for one from before the cut. ``now`` is in seconds."""
        run = self._run
        first = run is None or not run.goes_on_with(ssrc, sequence)
        if run is None or first:
            run = self._begin(ssrc, sequence, timestamp, now)
        ahead = run.ahead(sequence)
        if run.newest_index + ahead < 0:
            return None
        out = Place(
            (sequence + run.sequence_offset) % SEQUENCES,
            (timestamp + run.timestamp_offset) % TICKS,
            first,
        )
        if first or ahead > 0:
            run.newest_in, run.newest_index = sequence, run.newest_index + ahead
            self._newest_at = now
            self._next_sequence = (out.sequence + 1) % SEQUENCES
            self._next_timestamp = (out.timestamp + FRAME_TICKS) % TICKS
        return out

    def _begin(self, ssrc: int, sequence: int, timestamp: int, now: float) -> _Run:
        """Go on with the next number, and at a time as much later as it is."""
        passed_s = 0.0 if self._newest_at is None else now - self._newest_at
        gap = max(0, round(passed_s * CLOCK_HZ) - FRAME_TICKS)
        self._run = _Run(
            ssrc,
            sequence,
            0,
            (self._next_sequence - sequence) % SEQUENCES,
            (self._next_timestamp + gap - timestamp) % TICKS,
        )
        return self._run


def _signed(difference: int, modulus: int) -> int:
    """A difference of numbers that wrap, as the shorter way round (RFC 1982)."""
    half = modulus >> 1
    return (difference + half) % modulus - half

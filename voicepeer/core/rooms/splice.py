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

DRIFT = 2e-4
"""By how much a source's clock may be slower than ours; crystals are within half of that."""

DRIFTING_S = 0.1
"""Between two packets that follow each other at most; what is longer is a pause."""

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
    ahead_s: float
    """By how much it goes out before its time, as what was before it had not ended yet."""

    def ahead(self, sequence: int) -> int:
        """By how much a packet is newer than the newest one."""
        return signed(sequence - self.newest_in, SEQUENCES)

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
        self._first_timestamp = timestamp
        self._next_tick = 0
        """Ticks since the first packet: timestamps on the wire wrap, this does not."""
        self._lead_s: float | None = None
        """How far the stream is before our clock where its packets came soonest: later ones were
        held up on their way, and what comes next must not look late because of that."""
        self._newest_at = 0.0
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
            self._note_newest(out, run.ahead_s, now)
        return out

    def _note_newest(self, out: Place, ahead_s: float, now: float) -> None:
        self._next_sequence = (out.sequence + 1) % SEQUENCES
        tick = self._next_tick + signed(out.timestamp - self._timestamp(self._next_tick), TICKS)
        self._next_tick = tick + FRAME_TICKS
        lead_s = tick / CLOCK_HZ - now - ahead_s
        if self._lead_s is not None:
            drift_s = DRIFT * min(now - self._newest_at, DRIFTING_S)
            lead_s = max(lead_s, self._lead_s - drift_s)
        self._lead_s, self._newest_at = lead_s, now

    def _begin(self, ssrc: int, sequence: int, timestamp: int, now: float) -> _Run:
        """Go on with the next number, and at the time that it is by the packets before."""
        tick = self._next_tick
        if self._lead_s is not None:
            tick = max(tick, round((now + self._lead_s) * CLOCK_HZ))
        due_s = tick / CLOCK_HZ - now
        self._run = _Run(
            ssrc,
            sequence,
            0,
            (self._next_sequence - sequence) % SEQUENCES,
            (self._timestamp(tick) - timestamp) % TICKS,
            0.0 if self._lead_s is None else due_s - self._lead_s,
        )
        return self._run

    def _timestamp(self, tick: int) -> int:
        return (self._first_timestamp + tick) % TICKS


def signed(difference: int, modulus: int) -> int:
    """A difference of numbers that wrap, as the shorter way round (RFC 1982)."""
    half = modulus >> 1
    return (difference + half) % modulus - half

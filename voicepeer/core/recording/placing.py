"""When each packet of a source is heard, on one timeline for all tracks of a recording.

Within a run of packets their own timestamps say it, whatever the network does to their coming.
Where a run begins, and how fast its clock goes, is by their coming: by those that come soonest, as
the others were held up. What is found wrong by that is set right where the source is silent.

Positions are samples at 48 kHz from the start of the recording.
"""

from __future__ import annotations

from dataclasses import dataclass

from voicepeer.core.pcm import WIRE_RATE_HZ
from voicepeer.core.rooms.splice import JUMP_PACKETS, SEQUENCES, TICKS, signed

TOLERANCE_SAMPLES = WIRE_RATE_HZ * 15 // 1000
"""Two tracks are within twice that, which is heard as together: EBU R 37 allows sound to come 40 ms
before its picture."""

WINDOW = 250
"""Packets of which the soonest counts: 5 s."""

MAX_LEAD_SAMPLES = WIRE_RATE_HZ // 2
MAX_LAG_SAMPLES = 2 * WIRE_RATE_HZ
"""What comes further from its time than that belongs to another stretch of time, or is too late."""

STRAYS = 50
"""So many in a row, 1 s, and the source has a new timeline."""


@dataclass(slots=True)
class _Run:
    """The newest packet of a stretch of one source."""

    ssrc: int
    sequence: int
    timestamp: int
    position: int


class Placing:
    """The places of one source's packets; a source may be another after ``cut``."""

    def __init__(self) -> None:
        self._run: _Run | None = None
        self._end = 0
        """Where the newest packet ends: what begins anew is not put before that."""
        self._strays = 0
        self._lead: int | None = None
        """Of the soonest packet in this window, before its time."""
        self._seen = 0
        """Packets in this window."""
        self._correction = 0
        """What the source is to be moved by where it is silent."""

    def cut(self) -> None:
        """What comes next has no link to what was before."""
        self._run = None
        self._correction = 0
        self._forget_leads()

    def place(
        self, ssrc: int, sequence: int, timestamp: int, samples: int, quiet: bool, now: int
    ) -> int | None:
        """Where a packet begins, or ``None`` for one that belongs nowhere.

        Args:
            ssrc: of the RTP header, as are ``sequence`` and ``timestamp``.
            sequence: see there.
            timestamp: see there.
            samples: how long the packet is.
            quiet: whether something may be left out or put in here.
            now: the position that is now.
        """
        run = self._run
        if run is None or ssrc != run.ssrc or abs(_ahead(run, sequence)) > JUMP_PACKETS:
            run = self._begin(ssrc, sequence, timestamp, now)
        position = run.position + signed(timestamp - run.timestamp, TICKS)
        if not -MAX_LAG_SAMPLES <= position - now <= MAX_LEAD_SAMPLES:
            self._stray()
            return None
        self._strays = 0
        self._note_lead(position - now)
        if quiet and self._correction:
            position += self._correction
            run.position += self._correction
            self._correction = 0
            self._forget_leads()
        if _ahead(run, sequence) >= 0:
            run.sequence, run.timestamp, run.position = sequence, timestamp, position
            self._end = position + samples
        return position

    def _begin(self, ssrc: int, sequence: int, timestamp: int, now: int) -> _Run:
        self.cut()
        self._run = _Run(ssrc, sequence, timestamp, max(now, self._end))
        return self._run

    def _stray(self) -> None:
        self._strays += 1
        if self._strays >= STRAYS:
            self._strays = 0
            self.cut()

    def _note_lead(self, lead: int) -> None:
        self._lead = lead if self._lead is None else max(self._lead, lead)
        self._seen += 1
        if self._seen >= WINDOW:
            self._correction = 0 if abs(self._lead) <= TOLERANCE_SAMPLES else -self._lead
            self._forget_leads()

    def _forget_leads(self) -> None:
        self._lead = None
        self._seen = 0


def _ahead(run: _Run, sequence: int) -> int:
    """By how much a packet is newer than the newest one."""
    return signed(sequence - run.sequence, SEQUENCES)

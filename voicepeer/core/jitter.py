"""Receive buffer of one audio stream: packets in any order in, a row of decoding steps out.

Pure: knows neither a clock nor a decoder. Each step says what the decoder has to do for the next
stretch of time: decode a packet, recover a lost one from its successor's FEC, conceal, or skip.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TypeAlias

from voicepeer.core.pcm import FRAME_SAMPLES, WIRE_RATE_HZ

TARGET_MIN_S = 0.05
EAGER_TARGET_MIN_S = 0.08
"""An eager buffer waits only at holes, so it can afford more patience with stragglers."""

TARGET_MAX_S = 0.2
TARGET_MARGIN_S = 0.015
"""What the target keeps above the jitter it has seen: one timer tick and a little."""

JITTER_WINDOW = 64
"""Packets that the jitter is judged by (1.3 s), so a burst is forgotten within two seconds."""

CLOCK_DRIFT = 0.0002
"""How fast the estimate of the sender's clock may rise; crystals differ by under 200 ppm."""

CONCEAL_MAX_SAMPLES = WIRE_RATE_HZ // 10
"""Concealment fades to silence within about 100 ms; after that it is a gap, not a loss."""

CAPACITY = 64
RESTART_SAMPLES = 2 * WIRE_RATE_HZ
"""A jump of the timestamp this far ahead of the clock or back is a new stream, not a loss."""

_SILK_MS = (10, 20, 40, 60)
_HYBRID_MS = (10, 20)
_CELT_MS = (2.5, 5, 10, 20)


@dataclass(frozen=True, slots=True)
class Packet:
    """What the buffer needs of an RTP packet (RFC 3550 section 5.1).

    Without its ``sequence`` number a pause of the sender cannot be told from a loss.
    """

    timestamp: int
    ssrc: int
    payload: bytes
    sequence: int | None = None


@dataclass(frozen=True, slots=True)
class Decode:
    """Decode ``payload``, which begins at ``at_sample`` of the stream (48 kHz)."""

    payload: bytes
    at_sample: int


@dataclass(frozen=True, slots=True)
class Recover:
    """``samples`` were lost; ``payload`` is the packet after them and may hold their FEC copy."""

    payload: bytes
    at_sample: int
    samples: int


@dataclass(frozen=True, slots=True)
class Conceal:
    """``samples`` were lost and nothing tells how they sounded."""

    at_sample: int
    samples: int


@dataclass(frozen=True, slots=True)
class Skip:
    """The sender said nothing for ``samples`` (muted, DTX, outage); silence stands for it."""

    at_sample: int
    samples: int


Step: TypeAlias = Decode | Recover | Conceal | Skip


@dataclass(slots=True)
class JitterCounters:
    """Totals since the buffer was made; ``late`` and ``overflowed`` packets were not played."""

    received: int = 0
    decoded: int = 0
    recovered: int = 0
    concealed: int = 0
    paused: int = 0
    """Frames that the sender never sent (RFC 7587 section 3.1.3), found out by the next packet."""
    late: int = 0
    duplicate: int = 0
    invalid: int = 0
    overflowed: int = 0
    restarts: int = 0


def packet_samples(payload: bytes) -> int:
    """Duration of an Opus packet in samples at 48 kHz (RFC 6716 section 3.1).

    Raises:
        ValueError: not an Opus packet.
    """
    if not payload:
        raise ValueError("an empty payload is no Opus packet")
    config, code = payload[0] >> 3, payload[0] & 3
    if config < 12:
        frame_ms: float = _SILK_MS[config % 4]
    elif config < 16:
        frame_ms = _HYBRID_MS[config % 2]
    else:
        frame_ms = _CELT_MS[config % 4]
    if code == 3:
        if len(payload) < 2:
            raise ValueError("the frame count of an Opus packet is missing")
        count = payload[1] & 0x3F
    else:
        count = 1 if code == 0 else 2
    total_ms = frame_ms * count
    if not 0 < total_ms <= 120:
        raise ValueError(f"an Opus packet has at most 120 ms, this one claims {total_ms}")
    return int(total_ms * WIRE_RATE_HZ / 1000)


class JitterBuffer:
    """Orders packets and decides how long to wait for the missing ones.

    A packet is due ``target_s`` after the earliest that it could have come, judged by the fastest
    packets seen. The target follows the jitter of the last second between 50 and 200 ms. With
    ``eager`` a packet that continues the row is handed out at once, and only holes wait; right for
    a listener that needs sound early and complete, but not at an even pace.
    """

    def __init__(self, eager: bool = False, target_min_s: float = TARGET_MIN_S) -> None:
        self.counters = JitterCounters()
        self._eager = eager
        self._target_min_s = target_min_s
        self._forget()
        self._ssrc: int | None = None

    def _forget(self) -> None:
        self._packets: dict[int, Packet] = {}
        self._transit: float | None = None
        self._delays: deque[float] = deque(maxlen=JITTER_WINDOW)
        self._newest: int | None = None
        self._next: int | None = None
        self._first_played = False
        self._frame = FRAME_SAMPLES
        self._missed = 0
        self._last_sequence: int | None = None
        self._guessed = 0

    @property
    def target_s(self) -> float:
        """How long a packet is waited for."""
        spread = max(self._delays, default=0.0) + TARGET_MARGIN_S
        return min(max(self._target_min_s, spread), max(TARGET_MAX_S, self._target_min_s))

    def push(self, packet: Packet, now: float) -> None:
        """Take in a packet that arrived at ``now``; bad and late ones are counted and dropped."""
        self.counters.received += 1
        try:
            packet_samples(packet.payload)
        except ValueError:
            self.counters.invalid += 1
            return
        at = self._unwrap(packet)
        if self._is_restart(packet.ssrc, at, now):
            self.counters.restarts += 1
            self._forget()
            at = packet.timestamp
        self._ssrc = packet.ssrc
        self._note_arrival(at, now)
        self._newest = at if self._newest is None else max(self._newest, at)
        self._store(at, packet)

    def _unwrap(self, packet: Packet) -> int:
        if self._newest is None:
            return packet.timestamp
        ahead = (packet.timestamp - self._newest) & 0xFFFFFFFF
        return self._newest + (ahead - (1 << 32) if ahead >= 1 << 31 else ahead)

    def _is_restart(self, ssrc: int, at: int, now: float) -> bool:
        if self._newest is None or self._transit is None:
            return False
        if ssrc != self._ssrc:
            return True
        # Judged against the clock: after a long silence a large jump of the timestamp is normal.
        early_s = self._transit - (now - at / WIRE_RATE_HZ)
        return abs(early_s) > RESTART_SAMPLES / WIRE_RATE_HZ

    def _note_arrival(self, at: int, now: float) -> None:
        transit = now - at / WIRE_RATE_HZ
        if self._transit is None:
            self._transit = transit
        drift_s = CLOCK_DRIFT * FRAME_SAMPLES / WIRE_RATE_HZ
        self._transit = min(transit, self._transit + drift_s)
        self._delays.append(transit - self._transit)

    def _store(self, at: int, packet: Packet) -> None:
        if self._next is not None and at < self._next:
            if self._first_played:
                self.counters.late += 1
                return
            self._next = at
        if at in self._packets:
            self.counters.duplicate += 1
            return
        self._packets[at] = packet
        if self._next is None:
            self._next = at
        if len(self._packets) > CAPACITY:
            self._packets.pop(min(self._packets))
            self._next = min(self._packets)
            self.counters.overflowed += 1

    def next_deadline(self) -> float | None:
        """When the next step is due; ``None`` while only a new packet can bring one."""
        if self._next is None or self._transit is None:
            return None
        if not self._packets and self._missed >= CONCEAL_MAX_SAMPLES:
            return None
        due = self._transit + self._next / WIRE_RATE_HZ + self.target_s
        if self._eager and self._first_played and self._next in self._packets:
            return due - self.target_s
        return due

    def take(self, now: float) -> Step | None:
        """The next decoding step if one is due at ``now``."""
        due = self.next_deadline()
        if due is None or now < due or self._next is None:
            return None
        self._first_played = True
        packet = self._packets.pop(self._next, None)
        if packet is not None:
            return self._decode(self._next, packet)
        return self._bridge(self._next)

    def _decode(self, at: int, packet: Packet) -> Step:
        if self._guessed and self._continues(packet):
            # Nothing was lost: it was silence that was concealed before this packet told so.
            self.counters.concealed -= self._guessed
            self.counters.paused += self._guessed
        self._frame = packet_samples(packet.payload)
        self._next = at + self._frame
        self._missed = self._guessed = 0
        self._last_sequence = packet.sequence
        self.counters.decoded += 1
        return Decode(packet.payload, at)

    def _continues(self, packet: Packet) -> bool:
        """Whether a packet was sent right after the one that was decoded last."""
        if packet.sequence is None or self._last_sequence is None:
            return False
        return packet.sequence == (self._last_sequence + 1) & 0xFFFF

    def _bridge(self, at: int) -> Step:
        following = min(self._packets, default=None)
        gap = self._frame if following is None else following - at
        paused = following is not None and self._continues(self._packets[following])
        if following is not None and (paused or self._missed >= CONCEAL_MAX_SAMPLES):
            self._next, self._missed = following, 0
            return Skip(at, gap)
        samples = min(self._frame, gap)
        self._next = at + samples
        self._missed += samples
        if following is not None and following == at + samples:
            self.counters.recovered += 1
            return Recover(self._packets[following].payload, at, samples)
        self.counters.concealed += 1
        self._guessed += 1
        return Conceal(at, samples)

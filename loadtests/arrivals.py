"""How evenly packets come, by moments taken elsewhere; knows no socket and no clock."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

_SEQUENCES = 1 << 16
"""Sequence numbers of RTP have 16 bits (RFC 3550 section 5.1)."""


@dataclass
class Arrivals:
    """Times between packets of a stream that follow each other.

    A packet that was lost or overtaken leaves a hole and no time, because nobody knows when it
    was sent. ``loss`` is the share of packets that ``loses`` wants to be dropped, for bad links.
    """

    loss: float = 0.0
    chance: random.Random = field(default_factory=lambda: random.Random(1))
    unstamped: int = 0
    _gaps_ms: list[float] = field(default_factory=list)
    _last: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Newest sequence number and its moment, by SSRC."""

    def take(self, header: bytes, at_ns: int | None) -> None:
        """Note a packet, by its first 12 bytes."""
        if at_ns is None:
            self.unstamped += 1
            return
        sequence = int.from_bytes(header[2:4], "big")
        ssrc = int.from_bytes(header[8:12], "big")
        before = self._last.get(ssrc)
        self._last[ssrc] = sequence, at_ns
        if before is not None and sequence == (before[0] + 1) % _SEQUENCES:
            self._gaps_ms.append((at_ns - before[1]) / 1e6)

    def loses(self) -> bool:
        """Whether this packet is to be lost."""
        return self.loss > 0 and self.chance.random() < self.loss

    def drain(self) -> list[float]:
        """The times since the last call, in milliseconds."""
        gaps_ms, self._gaps_ms = self._gaps_ms, []
        return gaps_ms

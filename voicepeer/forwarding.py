"""Opus packets from whoever sends them to whoever hears them, as they are: nothing is decoded."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

from voicepeer.core.rooms.loudness import SILENT_DBOV
from voicepeer.core.rooms.splice import Splice


@dataclass(frozen=True, slots=True)
class MediaPacket:
    """An Opus packet with what its RTP header says (RFC 3550 section 5.1).

    ``level`` is the byte of its level extension (RFC 6464 section 3): a bit for voice, and how far
    it is below 0 dBov.
    """

    ssrc: int
    sequence: int
    timestamp: int
    payload: bytes
    marker: bool = False
    level: int | None = None

    @property
    def level_dbov(self) -> float:
        """-127 to 0; what has no level counts as silence."""
        return SILENT_DBOV if self.level is None else -float(self.level & 0x7F)


class PacketOutlet(Protocol):
    """Where packets leave; ``outlet.Outlet`` is one."""

    def send(
        self, sequence: int, timestamp: int, marker: bool, payload: bytes, level: int | None
    ) -> bool:
        """Send a packet; whether it left."""
        ...


class Listener(ABC):
    """Whoever takes the packets of one source at a time."""

    def __init__(self) -> None:
        self._source: Publication | None = None
        self.loss = 0.0
        """Share of our packets that it last reported as lost, 0 to 1."""

    @property
    def source(self) -> Publication | None:
        """Whom it hears."""
        return self._source

    def hear(self, source: Publication | None) -> None:
        """Take the packets of another source from now on, or none."""
        if source is self._source:
            return
        if self._source is not None:
            self._source._listeners.discard(self)
        self._source = source
        self.cut()
        if source is not None:
            source._listeners.add(self)

    @abstractmethod
    def cut(self) -> None:
        """What comes next does not follow what came before."""

    @abstractmethod
    def push(self, packet: MediaPacket, now: float) -> bool:
        """Take a packet; whether it was sent on to somebody."""


class Forwarder(Listener):
    """One listener's stream, with the packets of one source at a time.

    Numbers go on unbroken from source to source; the first packet of each is marked as the
    beginning of a talkspurt (RFC 3551 section 4.1), so that the listener's buffer starts anew.
    """

    def __init__(self, outlet: PacketOutlet, seed: int | None = None) -> None:
        super().__init__()
        chance = random.Random(seed)
        self._outlet = outlet
        self._splice = Splice(chance.randrange(1 << 15), chance.randrange(1 << 32))
        self.forwarded = 0
        """Packets so far."""

    def cut(self) -> None:
        """The source has paused: what it sends next does not follow what it sent before."""
        self._splice.cut()

    def push(self, packet: MediaPacket, now: float) -> bool:
        """Send a packet on, unless it no longer belongs anywhere; whether it left."""
        place = self._splice.place(packet.ssrc, packet.sequence, packet.timestamp, now)
        if place is None:
            return False
        marker = packet.marker or place.first
        sent = self._outlet.send(
            place.sequence, place.timestamp, marker, packet.payload, packet.level
        )
        self.forwarded += sent
        return sent


class Publication:
    """What one participant sends, for any number of listeners."""

    def __init__(self) -> None:
        self._listeners: set[Listener] = set()

    def __len__(self) -> int:
        return len(self._listeners)

    @property
    def loss(self) -> float:
        """What the worst-off of its listeners loses, 0 to 1."""
        return max((listener.loss for listener in self._listeners), default=0.0)

    def push(self, packet: MediaPacket, now: float) -> int:
        """Send a packet to all listeners at once; to how many it went."""
        return sum([listener.push(packet, now) for listener in self._listeners])

    def cut(self) -> None:
        """What comes next does not follow what came before: after a pause, or of another kind."""
        for listener in self._listeners:
            listener.cut()

    def close(self) -> None:
        """Let nobody hear it any more."""
        for listener in list(self._listeners):
            listener.hear(None)

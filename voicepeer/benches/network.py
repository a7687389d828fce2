"""A bad network between two peers of one process: loss, jitter, reordering, duplicates, a narrow
link, a stall.

It sits where a peer hands its encrypted datagrams to ICE, so everything above is the real thing.
Only media is harmed unless asked: SRTP is what starts with 128 to 191 (RFC 7983), and RTCP is
told from RTP by its packet type (RFC 5761 section 4).
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field

from aiortc import RTCPeerConnection

from voicepeer import rtc
from voicepeer.rtc import SendDatagram

IP_UDP_BYTES = 28
"""What the link carries besides each datagram (RFC 791, RFC 768)."""

DUPLICATE_AFTER_S = 0.005


@dataclass(frozen=True, slots=True)
class Impairment:
    """What is done to each datagram; shares are 0 to 1, times in milliseconds."""

    loss: float = 0.0
    jitter_ms: float = 0.0
    reorder: float = 0.0
    reorder_ms: float = 18.0
    duplicate: float = 0.0
    rate_bps: float = 0.0
    """Of the narrowest link, with IP and UDP headers; 0 is no limit."""
    queue_ms: float = 200.0
    """How much the narrow link buffers; what does not fit is dropped."""
    everything: bool = False
    """Harm ICE, DTLS, SCTP and RTCP as well."""


@dataclass(frozen=True, slots=True)
class Departure:
    """An RTP packet that a peer sent, as its unencrypted header says (RFC 3550 section 5.1)."""

    at_s: float
    sequence: int
    timestamp: int
    size: int
    lost: bool


@dataclass(slots=True)
class Network:
    """A running impairment, which may be exchanged at any time, and what has passed through it."""

    impairment: Impairment
    chance: random.Random
    departures: list[Departure] = field(default_factory=list)
    """Every RTP packet so far."""
    blackout: bool = False
    """While true nothing passes at all, not even ICE consent."""
    _free_s: float = 0.0
    _stalled_until_s: float = 0.0

    @property
    def dropped(self) -> list[int]:
        """RTP sequence numbers that were lost."""
        return [departure.sequence for departure in self.departures if departure.lost]

    def stall(self, duration_s: float) -> None:
        """Hold everything back for so long, then let it through in one burst."""
        self._stalled_until_s = asyncio.get_running_loop().time() + duration_s

    def delays_s(self, size: int, now: float) -> list[float]:
        """Delay of each copy of a datagram that arrives; none if it is lost."""
        rules, chance = self.impairment, self.chance
        if chance.random() < rules.loss:
            return []
        queued_s = self._queue(size, now)
        if queued_s is None:
            return []
        delay_s = chance.random() * rules.jitter_ms / 1000
        if chance.random() < rules.reorder:
            delay_s += rules.reorder_ms / 1000
        delay_s = max(delay_s + queued_s, self._stalled_until_s - now)
        twice = chance.random() < rules.duplicate
        return [delay_s, delay_s + DUPLICATE_AFTER_S] if twice else [delay_s]

    def _queue(self, size: int, now: float) -> float | None:
        """Time in the narrow link and its queue; None when the queue is full."""
        rate_bps = self.impairment.rate_bps
        if not rate_bps:
            return 0.0
        waiting_s = max(0.0, self._free_s - now)
        if waiting_s * 1000 > self.impairment.queue_ms:
            return None
        self._free_s = now + waiting_s + (size + IP_UDP_BYTES) * 8 / rate_bps
        return self._free_s - now


def is_rtp(datagram: bytes) -> bool:
    """Whether a datagram is encrypted media, not STUN, DTLS or RTCP."""
    return len(datagram) > 12 and 128 <= datagram[0] <= 191 and not 192 <= datagram[1] <= 223


def impair(peer: RTCPeerConnection, impairment: Impairment | None = None, seed: int = 1) -> Network:
    """Harm what ``peer`` sends from now on; it must have negotiated already."""
    network = Network(impairment or Impairment(), random.Random(seed))
    rtc.wrap_sending(peer, lambda send: _Link(network, send).send)
    return network


class _Link:
    """One transport's way through a network."""

    def __init__(self, network: Network, send: SendDatagram) -> None:
        self._network = network
        self._send = send
        self._tasks: set[asyncio.Task[None]] = set()

    async def send(self, datagram: bytes) -> None:
        network, now = self._network, asyncio.get_running_loop().time()
        media = is_rtp(datagram)
        if not (media or network.impairment.everything):
            return await self._deliver(datagram)
        delays_s = network.delays_s(len(datagram), now)
        if media:
            network.departures.append(_departure(datagram, now, lost=not delays_s))
        for delay_s in delays_s:
            if delay_s > 0:
                self._deliver_later(delay_s, datagram)
            else:
                await self._deliver(datagram)
        return None

    def _deliver_later(self, delay_s: float, datagram: bytes) -> None:
        loop = asyncio.get_running_loop()

        def start() -> None:
            task = loop.create_task(self._deliver(datagram))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        loop.call_later(delay_s, start)

    async def _deliver(self, datagram: bytes) -> None:
        if self._network.blackout:
            return
        try:
            await self._send(datagram)
        except ConnectionError:  # the peer was closed while this was on its way
            return


def _departure(datagram: bytes, now: float, lost: bool) -> Departure:
    return Departure(
        at_s=now,
        sequence=int.from_bytes(datagram[2:4], "big"),
        timestamp=int.from_bytes(datagram[4:8], "big"),
        size=len(datagram),
        lost=lost,
    )

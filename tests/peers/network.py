"""A bad network between two peers of one process: loss, jitter, reordering, duplication.

It sits where a peer hands its encrypted datagrams to ICE, so everything above is the real thing.
Only media is harmed unless asked: SRTP is what starts with 128 to 191 (RFC 7983), and RTCP is
told from RTP by its packet type (RFC 5761 section 4).
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field
from typing import Any

from aiortc import RTCPeerConnection


@dataclass(frozen=True, slots=True)
class Impairment:
    """What is done to each datagram; shares are 0 to 1, times in milliseconds."""

    loss: float = 0.0
    jitter_ms: float = 0.0
    reorder: float = 0.0
    reorder_ms: float = 18.0
    duplicate: float = 0.0
    everything: bool = False
    """Harm ICE, DTLS, SCTP and RTCP as well."""


@dataclass(slots=True)
class Network:
    """A running impairment; ``dropped`` holds the RTP sequence numbers that were lost."""

    impairment: Impairment
    chance: random.Random
    sent: int = 0
    dropped: list[int] = field(default_factory=list)
    blackout: bool = False
    """While true nothing passes at all, not even ICE consent."""


def is_rtp(datagram: bytes) -> bool:
    """Whether a datagram is encrypted media, not STUN, DTLS or RTCP."""
    return len(datagram) > 12 and 128 <= datagram[0] <= 191 and not 192 <= datagram[1] <= 223


def impair(peer: RTCPeerConnection, impairment: Impairment | None = None, seed: int = 1) -> Network:
    """Harm what ``peer`` sends from now on; it must have negotiated already."""
    network = Network(impairment or Impairment(), random.Random(seed))
    for transport in _transports(peer):
        _wrap(transport, network)
    return network


def _transports(peer: RTCPeerConnection) -> set[Any]:
    dtls = {transceiver.sender.transport for transceiver in peer.getTransceivers()}
    if peer.sctp:
        dtls.add(peer.sctp.transport)
    return {transport.transport for transport in dtls}


def _wrap(transport: Any, network: Network) -> None:  # noqa: ANN401 - aiortc's private names
    send = transport._connection.send
    loop = asyncio.get_running_loop()
    tasks: set[asyncio.Task[None]] = set()

    async def deliver(datagram: bytes) -> None:
        if network.blackout:
            return
        try:
            await send(datagram)
        except ConnectionError:
            return

    def deliver_later(delay_s: float, datagram: bytes) -> None:
        def start() -> None:
            task = loop.create_task(deliver(datagram))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        loop.call_later(delay_s, start)

    async def impaired_send(datagram: bytes) -> None:
        rules, chance = network.impairment, network.chance
        if not (rules.everything or is_rtp(datagram)):
            return await deliver(datagram)
        network.sent += 1
        if chance.random() < rules.loss:
            network.dropped.append(int.from_bytes(datagram[2:4], "big"))
            return None
        delay_s = chance.random() * rules.jitter_ms / 1000
        if chance.random() < rules.reorder:
            delay_s += rules.reorder_ms / 1000
        if chance.random() < rules.duplicate:
            deliver_later(delay_s + 0.005, datagram)
        if delay_s == 0:
            return await deliver(datagram)
        deliver_later(delay_s, datagram)
        return None

    transport._send = impaired_send


def cut(peer: RTCPeerConnection) -> None:
    """Make a peer vanish without a word: nothing it sends arrives and nothing reaches it."""
    for transport in _transports(peer):
        for protocol in transport._connection._protocols:
            protocol.transport.close()

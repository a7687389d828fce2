"""What it costs to let everybody in a room hear everybody else, and what it adds in delay."""

from __future__ import annotations

import asyncio
import json
import math
import time
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from aiortc import RTCPeerConnection, RTCSessionDescription

from engines.progress import Progress
from voicepeer import rtc
from voicepeer.benches.child import child
from voicepeer.benches.figures import spread_ms
from voicepeer.benches.room_host import LINE_MAX
from voicepeer.benches.sounds import vowel
from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm
from voicepeer.core.speaking.pacer import Pacer
from voicepeer.rtc import RtpPacket
from voicepeer.tracks import SpeechTrack

Kind: TypeAlias = Literal["packets", "relay"]

SETTLE_S: Final = 2.0
"""For all connections to stand and for what happens once to be over."""

ANSWER_S: Final = 30.0
RELAYED_PARTICIPANTS: Final = 4
"""With ``MediaRelay``: more than four keep a whole core busy, and packets are no longer sent."""

PACKETS_PER_S: Final = 50

ENOUGH: Final = 0.9
"""Share of packets that has to come through: with less, what is paid once weighs too much."""

_PHRASE_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one room, while everybody in it talked."""

    participants: int
    streams: int
    cpu_ms_per_stream_s: float
    """Of the room's process, by what has arrived: what is not sent on is not counted."""
    delivered: float
    """Share of all packets that should have arrived."""
    delays_s: list[float]
    """From a packet's leaving one client to its coming to another."""


@dataclass(slots=True)
class _Clients:
    """All clients of a room, with what they have received."""

    sent_s: dict[bytes, float] = field(default_factory=dict)
    """When each packet left last, by what is in it: that is known long before it comes again."""
    delays_s: list[float] = field(default_factory=list)
    received: int = 0


class _Ear:
    """A receive buffer that only looks at what comes."""

    capacity = 64

    def __init__(self, clients: _Clients) -> None:
        self._clients = clients

    def add(self, packet: RtpPacket) -> tuple[bool, None]:
        clients = self._clients
        clients.received += 1
        sent_s = clients.sent_s.get(packet.payload)
        if sent_s is not None:
            clients.delays_s.append(time.monotonic() - sent_s)
        return False, None


class _Host:
    """A running room, seen from its clients."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def ask(self, question: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
        """An answer of ``room_host``; raises ``TimeoutError`` without one."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question).encode() + b"\n")
        async with asyncio.timeout(ANSWER_S):
            return json.loads(await self._process.stdout.readline())


async def measure(kind: Kind, participants: int, seconds: float) -> Cost:
    """Let so many participants talk for so long, all at once."""
    rtc.install_patches()
    clients = _Clients()
    peers = [rtc.new_peer() for _ in range(2 * participants)]
    talking, hearing = peers[:participants], peers[participants:]
    streams = participants * (participants - 1)
    try:
        async with child("voicepeer.benches.room_host", kind, limit=LINE_MAX) as process:
            host = _Host(process)
            for index, peer in enumerate(talking):
                _talk(peer, index, clients, seconds)
                await _connect(host, peer, {}, "publish")
            for index, peer in enumerate(hearing):
                for _ in range(participants - 1):
                    peer.addTransceiver("audio", direction="recvonly")
                await _connect(host, peer, {"as": index}, "listen", clients)
            await asyncio.sleep(SETTLE_S)
            clients.received = 0
            clients.delays_s.clear()
            cpu_s = -await host.ask({"cpu": True})
            await asyncio.sleep(seconds)
            received = clients.received
            cpu_s += await host.ask({"cpu": True})
    finally:
        await asyncio.gather(*(rtc.close_peer(peer) for peer in peers))
    stream_s = received / PACKETS_PER_S
    return Cost(
        participants,
        streams,
        cpu_s * 1000 / max(stream_s, 1e-9),
        stream_s / (streams * seconds),
        clients.delays_s,
    )


def _talk(peer: RTCPeerConnection, index: int, clients: _Clients, seconds: float) -> None:
    pacer = Pacer()
    track = SpeechTrack(pacer)
    track.on_packet = lambda payload: clients.sent_s.__setitem__(payload, time.monotonic())
    peer.addTrack(track)
    # Connections come about one after the other while the first ones talk already.
    pacer.push(pacer.open(), _speech(index, seconds + SETTLE_S + ANSWER_S))


def _speech(index: int, duration_s: float) -> Pcm:
    """The same two seconds again and again; no two packets within them are alike."""
    noise = np.random.default_rng(index).normal(0.0, 0.01, round(_PHRASE_S * WIRE_RATE_HZ))
    phrase = vowel(_PHRASE_S, 90.0 + 10.0 * index) + noise.astype(np.float32)
    return np.tile(phrase, math.ceil(duration_s / _PHRASE_S))


async def _connect(
    host: _Host,
    peer: RTCPeerConnection,
    question: dict[str, Any],
    name: str,
    clients: _Clients | None = None,
) -> None:
    offer = await rtc.make_offer(peer)
    if clients is not None:
        for receiver in peer.getReceivers():
            rtc.install_receive_buffer(receiver, _Ear(clients))
    answer = await host.ask({name: offer, **question})
    await peer.setRemoteDescription(RTCSessionDescription(answer, "answer"))


def run(participants: int, seconds: float, progress: Progress) -> dict[str, Any]:
    """Forward packets, then the same with aiortc's ``MediaRelay``, and compare."""
    progress(f"{participants} participants talk, and their packets are forwarded", 0.0)
    ours = asyncio.run(measure("packets", participants, seconds))
    progress(f"{RELAYED_PARTICIPANTS} participants talk through aiortc's MediaRelay", 0.6)
    relay = asyncio.run(measure("relay", RELAYED_PARTICIPANTS, seconds))
    return figures(ours, relay)


def figures(ours: Cost, relay: Cost) -> dict[str, Any]:
    """As they are printed; those of a room that did not get through are ``None``."""
    notes = {
        "added_latency_ms": "from one client to the other, both in one process, so that the "
        "clients' own delays are in it",
        "janus": "not measured by this command: it needs a Janus of its own",
    }
    cpu_ms: float | None = round(ours.cpu_ms_per_stream_s, 2)
    ratio: float | None = round(ours.cpu_ms_per_stream_s / relay.cpu_ms_per_stream_s, 3)
    delays_s = ours.delays_s
    if ours.delivered < ENOUGH:
        cpu_ms, ratio, delays_s = None, None, []
        notes["cpu_ms_per_stream_s"] = (
            f"only {ours.delivered:.0%} of the packets came through, so the clients of this bench "
            "had too little of the machine: try again when nothing else runs on it"
        )
    return {
        "participants": ours.participants,
        "forwarded_streams": ours.streams,
        "delivered": round(ours.delivered, 4),
        "cpu_ms_per_stream_s": cpu_ms,
        "added_latency_ms": spread_ms(delays_s),
        "mediarelay": {
            "participants": relay.participants,
            "forwarded_streams": relay.streams,
            "delivered": round(relay.delivered, 4),
            "cpu_ms_per_stream_s": round(relay.cpu_ms_per_stream_s, 2),
        },
        "ratios": {"mediarelay": ratio, "janus": None},
        "notes": notes,
    }

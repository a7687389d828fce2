"""What it costs to let everybody in a room hear everybody else, and what it adds in delay."""

from __future__ import annotations

import asyncio
import json
import math
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeAlias

import numpy as np
from aiortc import RTCPeerConnection, RTCSessionDescription

from engines.progress import Progress
from voicepeer import rtc
from voicepeer.benches.child import child
from voicepeer.benches.figures import spread_ms
from voicepeer.benches.janus_client import JanusClient, client
from voicepeer.benches.janus_server import JanusServer
from voicepeer.benches.room_host import LINE_MAX
from voicepeer.benches.sounds import vowel
from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm
from voicepeer.core.speaking.pacer import Pacer
from voicepeer.rtc import RtpPacket
from voicepeer.tracks import SpeechTrack

Kind: TypeAlias = Literal["packets", "relay", "janus"]

SETTLE_S: Final = 2.0
"""For all connections to stand and for what happens once to be over."""

ANSWER_S: Final = 30.0
RELAYED_PARTICIPANTS: Final = 4
"""With ``MediaRelay``: more than four keep a whole core busy, and packets are no longer sent."""

PACKETS_PER_S: Final = 50

ENOUGH: Final = 0.9
"""Share of packets that has to come through: with less, what is paid once weighs too much."""

LOOKED_AT: Final = 3
"""Listeners whose packets are decrypted and timed. Those of the others are counted: all of them in
one process would take more than a core, and be late because of that."""

_PHRASE_S: Final = 2.0
_JANUS_ROOM: Final = 1


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
class Clients:
    """All clients of a room, with what they have received."""

    sent_s: dict[bytes, float] = field(default_factory=dict)
    """When each packet left last, by what is in it: that is known long before it comes again."""
    delays_s: list[float] = field(default_factory=list)
    received: int = 0

    def only_count(self, peer: RTCPeerConnection) -> None:
        """Look at nothing that this peer receives from now on."""

        def count() -> None:
            self.received += 1

        rtc.only_count(peer, count)


class Ear:
    """A receive buffer that only looks at what comes."""

    capacity = 64

    def __init__(self, clients: Clients) -> None:
        self._clients = clients

    def add(self, packet: RtpPacket) -> tuple[bool, None]:
        clients = self._clients
        clients.received += 1
        sent_s = clients.sent_s.get(packet.payload)
        if sent_s is not None:
            clients.delays_s.append(time.monotonic() - sent_s)
        return False, None


class _Room(Protocol):
    """A running room, seen from its clients."""

    async def publish(self, peer: RTCPeerConnection) -> None:
        """Connect a peer that talks."""
        ...

    async def listen(self, peer: RTCPeerConnection, index: int, clients: Clients) -> None:
        """Connect a peer that hears all who talk but the one of this index."""
        ...

    async def cpu_s(self) -> float:
        """Processor time that the room's process has taken so far."""
        ...


class Host:
    """A room of ``room_host``, in a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._publishers = 0

    async def publish(self, peer: RTCPeerConnection, quiet: bool = False) -> None:
        """Connect a peer that talks, or sends a ``quiet`` microphone."""
        offer = await rtc.make_offer(peer)
        await _accept(peer, await self._ask({"publish": offer, "quiet": quiet}))
        self._publishers += 1

    async def listen(
        self, peer: RTCPeerConnection, index: int, clients: Clients, voices: int | None = None
    ) -> None:
        """Connect a peer that hears so many others at once, or all but the one of this index."""
        for _ in range(self._publishers - 1 if voices is None else voices):
            section = peer.addTransceiver("audio", direction="recvonly")
            rtc.install_receive_buffer(section.receiver, Ear(clients))
        offer = await rtc.make_offer(peer)
        await _accept(peer, await self._ask({"listen": offer, "as": index}))

    async def cpu_s(self) -> float:
        """Processor time that the room's process has taken so far."""
        return float(await self._ask({"cpu": True}))

    async def _ask(self, question: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
        """An answer of ``room_host``; raises ``TimeoutError`` without one."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question).encode() + b"\n")
        async with asyncio.timeout(ANSWER_S):
            return json.loads(await self._process.stdout.readline())


async def _accept(peer: RTCPeerConnection, answer_sdp: str) -> None:
    await peer.setRemoteDescription(RTCSessionDescription(answer_sdp, "answer"))


class _Janus:
    """A VideoRoom of a Janus, which makes the offers to those who listen."""

    def __init__(self, server: JanusServer, at_server: JanusClient) -> None:
        self._server = server
        self._client = at_server
        self._feeds: list[int] = []

    async def publish(self, peer: RTCPeerConnection) -> None:
        self._feeds.append(await self._client.publish(_JANUS_ROOM, peer))

    async def listen(self, peer: RTCPeerConnection, index: int, clients: Clients) -> None:
        def listen_to(_: object) -> None:
            for receiver in peer.getReceivers():
                rtc.install_receive_buffer(receiver, Ear(clients))

        peer.on("track", listen_to)
        feeds = [feed for at, feed in enumerate(self._feeds) if at != index]
        await self._client.listen(_JANUS_ROOM, peer, feeds)

    async def cpu_s(self) -> float:
        return self._server.cpu_s


def _room(kind: Kind, participants: int) -> AbstractAsyncContextManager[_Room]:
    return _janus_room(participants) if kind == "janus" else hosted_room(kind)


@asynccontextmanager
async def hosted_room(kind: Kind) -> AsyncIterator[Host]:
    """A room that runs in a process of its own."""
    async with child("voicepeer.benches.room_host", kind, limit=LINE_MAX) as process:
        yield Host(process)


@asynccontextmanager
async def _janus_room(participants: int) -> AsyncIterator[_Room]:
    with tempfile.TemporaryDirectory(prefix="voicepeer-janus-") as folder:
        settings = {"publishers": participants, "opus_fec": True}
        server = JanusServer(Path(folder), {"videoroom": {str(_JANUS_ROOM): settings}})
        try:
            await asyncio.to_thread(server.start)
            async with client(server.url) as at_server:
                yield _Janus(server, at_server)
        finally:
            server.kill()


async def measure(kind: Kind, participants: int, seconds: float) -> Cost:
    """Let so many participants talk for so long, all at once."""
    rtc.install_patches()
    clients = Clients()
    peers = [rtc.new_peer() for _ in range(2 * participants)]
    talking, hearing = peers[:participants], peers[participants:]
    streams = participants * (participants - 1)
    try:
        async with _room(kind, participants) as room:
            for index, peer in enumerate(talking):
                talk(peer, index, clients, seconds)
                await room.publish(peer)
            for index, peer in enumerate(hearing):
                await room.listen(peer, index, clients)
                if index >= LOOKED_AT:
                    clients.only_count(peer)
            await asyncio.sleep(SETTLE_S)
            clients.received = 0
            clients.delays_s.clear()
            cpu_s = -await room.cpu_s()
            await asyncio.sleep(seconds)
            received = clients.received
            cpu_s += await room.cpu_s()
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


def talk(peer: RTCPeerConnection, index: int, clients: Clients, seconds: float) -> None:
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


def run(
    participants: int, seconds: float, progress: Progress, *, against_janus: bool = False
) -> dict[str, Any]:
    """Forward packets, then the same with a Janus and with aiortc's ``MediaRelay``; compare."""
    progress(f"{participants} participants talk, and their packets are forwarded", 0.0)
    ours = asyncio.run(measure("packets", participants, seconds))
    janus = None
    if against_janus:
        progress(f"{participants} participants talk through a Janus VideoRoom", 0.4)
        janus = asyncio.run(measure("janus", participants, seconds))
    progress(f"{RELAYED_PARTICIPANTS} participants talk through aiortc's MediaRelay", 0.7)
    relay = asyncio.run(measure("relay", RELAYED_PARTICIPANTS, seconds))
    return figures(ours, relay, janus)


def figures(ours: Cost, relay: Cost, janus: Cost | None = None) -> dict[str, Any]:
    """As they are printed; those of a room that did not get through are ``None``."""
    notes = {
        "added_latency_ms": f"from one client to the other, of {LOOKED_AT} listeners, all clients "
        "in one process, so that their own delays are in it",
    }
    ratio: float | None = round(ours.cpu_ms_per_stream_s / relay.cpu_ms_per_stream_s, 3)
    if ours.delivered < ENOUGH:
        ratio = None
        notes["cpu_ms_per_stream_s"] = _too_little(ours)
    against: float | None = None
    if janus is None:
        notes["janus"] = "Janus was not measured: --against janus does that"
    elif janus.delivered < ENOUGH:
        notes["janus"] = f"with Janus, {_too_little(janus)}"
    elif ratio is not None:
        against = round(ours.cpu_ms_per_stream_s / max(janus.cpu_ms_per_stream_s, 1e-9), 3)
    return {
        **_of_room(ours),
        "janus": None if janus is None else _of_room(janus),
        "mediarelay": {
            "participants": relay.participants,
            "forwarded_streams": relay.streams,
            "delivered": round(relay.delivered, 4),
            "cpu_ms_per_stream_s": round(relay.cpu_ms_per_stream_s, 2),
        },
        "ratios": {"mediarelay": ratio, "janus": against},
        "notes": notes,
    }


def _of_room(cost: Cost) -> dict[str, Any]:
    enough = cost.delivered >= ENOUGH
    return {
        "participants": cost.participants,
        "forwarded_streams": cost.streams,
        "delivered": round(cost.delivered, 4),
        "cpu_ms_per_stream_s": round(cost.cpu_ms_per_stream_s, 2) if enough else None,
        "added_latency_ms": spread_ms(cost.delays_s if enough else []),
    }


def _too_little(cost: Cost) -> str:
    return (
        f"only {cost.delivered:.0%} of the packets came through, so the room or the clients of "
        "this bench had too little of the machine: try again when nothing else runs on it"
    )

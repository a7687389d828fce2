"""A call over a bad network, both ways at once: what is missing, how late the rest is, and how
soon a burst is forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from aiortc import RTCPeerConnection, RTCSessionDescription

from voicepeer import rtc
from voicepeer.benches.figures import spread_ms
from voicepeer.benches.network import Impairment, Network, impair
from voicepeer.benches.sounds import vowel
from voicepeer.core.pcm import LISTEN_RATE_HZ, WIRE_RATE_HZ
from voicepeer.core.speaking.pacer import Pacer
from voicepeer.jitter import AudioReceiver, Block
from voicepeer.tracks import SpeechTrack

BAD_NETWORK = Impairment(loss=0.05, jitter_ms=30, reorder=0.02)
BURST_S = 0.25
"""Everything is held back for so long, as a Wi-Fi roaming does."""

AFTER_BURST_S = 4.0
DELAY_GOAL_S = 0.055
WINDOW = 50
"""Frames whose median says that the delay is back: a second."""


@dataclass
class Direction:
    """One way of a call: what was sent, through which network, and what came out."""

    name: str
    receiver: AudioReceiver
    network: Network
    blocks: list[Block] = field(default_factory=list)

    async def keep(self) -> None:
        """Read until the receiver is closed."""
        async for block in self.receiver.blocks():
            self.blocks.append(block)

    def delays_s(self) -> list[tuple[float, float]]:
        """When each heard frame was sent, and how much later it was there to be played."""
        sent_s = {one.timestamp: one.at_s for one in self.network.departures if not one.lost}
        return [
            (at_s, block.received_s - at_s)
            for block in self.blocks
            if block.heard and (at_s := sent_s.get(block.at_sample & 0xFFFFFFFF)) is not None
        ]

    def missing_beyond_lost(self, until_s: float) -> int:
        """Frames that arrived in the network's sense and yet were not heard."""
        heard = {block.at_sample & 0xFFFFFFFF for block in self.blocks if block.heard}
        begun = min((block.received_s for block in self.blocks if block.heard), default=0.0)
        return sum(
            one.timestamp not in heard
            for one in self.network.departures
            if not one.lost and begun <= one.at_s < until_s
        )

    def longest_gap_s(self, until_s: float) -> float:
        """The longest time between two blocks, which is 20 ms where all is well."""
        times = [block.received_s for block in self.blocks if block.received_s < until_s]
        return float(np.diff(times).max()) if len(times) > 1 else float("inf")


@asynccontextmanager
async def call() -> AsyncIterator[tuple[Direction, Direction, tuple[Pacer, Pacer]]]:
    """Two connected peers: speech goes to a listener, a microphone to somebody who listens."""
    rtc.install_patches()
    ours, theirs = rtc.new_peer(), rtc.new_peer()
    pacers = Pacer(), Pacer()
    speech = AudioReceiver(WIRE_RATE_HZ)
    mic = AudioReceiver(LISTEN_RATE_HZ, eager=True)
    try:
        ours.addTrack(SpeechTrack(pacers[0]))
        theirs.addTrack(SpeechTrack(pacers[1]))
        await _connect(ours, theirs, mic, speech)
        yield (
            Direction("speech", speech, impair(ours, seed=1)),
            Direction("mic", mic, impair(theirs, seed=2)),
            pacers,
        )
    finally:
        speech.close()
        mic.close()
        await asyncio.gather(rtc.close_peer(ours), rtc.close_peer(theirs))


async def _connect(
    ours: RTCPeerConnection,
    theirs: RTCPeerConnection,
    mic: AudioReceiver,
    speech: AudioReceiver,
) -> None:
    channel = ours.createDataChannel("bench")
    opened = asyncio.Event()
    channel.on("open", opened.set)
    await rtc.apply_offer(theirs, await rtc.make_offer(ours))
    rtc.install_receive_buffer(theirs.getReceivers()[0], speech)
    rtc.install_receive_buffer(ours.getReceivers()[0], mic)
    answer = await rtc.make_answer(theirs)
    await ours.setRemoteDescription(RTCSessionDescription(answer, "answer"))
    async with asyncio.timeout(15):
        await opened.wait()


async def measure(seconds: float, impairment: Impairment = BAD_NETWORK) -> dict[str, Any]:
    """Speak both ways for so long, then meet a burst; the figures."""
    loop = asyncio.get_running_loop()
    async with call() as (speech, mic, pacers):
        readers = [asyncio.create_task(way.keep()) for way in (speech, mic)]
        for pacer in pacers:
            generation = pacer.open()
            pacer.push(generation, vowel(seconds + BURST_S + AFTER_BURST_S + 1.0))
        for way in (speech, mic):
            way.network.impairment = impairment
        await asyncio.sleep(seconds)
        late = [way.receiver.counters.late for way in (speech, mic)]
        burst_s = loop.time()
        for way in (speech, mic):
            way.network.stall(BURST_S)
        await asyncio.sleep(BURST_S + AFTER_BURST_S)
        for way in (speech, mic):
            way.receiver.close()
        await asyncio.gather(*readers)
        ways = zip((speech, mic), late, strict=True)
        return {way.name: _figures(way, burst_s) | {"late": count} for way, count in ways}


def _figures(way: Direction, burst_s: float) -> dict[str, Any]:
    counters, network = way.receiver.counters, way.network
    before = [delay_s for sent_s, delay_s in way.delays_s() if sent_s < burst_s - 0.2]
    return {
        "frames_sent": len(network.departures),
        "lost_on_the_way": len(network.dropped),
        "missing_beyond_lost": way.missing_beyond_lost(burst_s - 0.2),
        "recovered_by_fec": counters.recovered,
        "concealed": counters.concealed,
        "delay_ms": spread_ms(before),
        "longest_gap_ms": round(way.longest_gap_s(burst_s - 0.2) * 1000, 1),
        "back_after_burst_ms": _back_after(way, burst_s + BURST_S),
    }


def _back_after(way: Direction, burst_end_s: float) -> float | None:
    """From the end of the burst to the first second whose median delay is within its goal.

    What the network's jitter does to single seconds later on is in ``delay_ms``. None if never.
    """
    after = [(sent_s, delay_s) for sent_s, delay_s in way.delays_s() if sent_s >= burst_end_s]
    for start in range(len(after) - WINDOW + 1):
        second = [delay_s for _, delay_s in after[start : start + WINDOW]]
        if float(np.median(second)) <= DELAY_GOAL_S:
            return round((after[start][0] - burst_end_s) * 1000, 1)
    return None

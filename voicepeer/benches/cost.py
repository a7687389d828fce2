"""Processor time of one second of one sent stream, beside what stock aiortc takes for it.

Each side sends the same speech from a process of its own to a far end, in turns, so that a busy
machine slows both alike: ``python -m voicepeer.benches.cost ours 10 8``.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from aiortc import MediaStreamTrack, RTCConfiguration, RTCPeerConnection
from av import AudioFrame

from voicepeer.benches import far_end
from voicepeer.benches.sounds import vowel
from voicepeer.core.pcm import FRAME_SAMPLES, WIRE_RATE_HZ, Pcm16, to_pcm16

SIDES = ("ours", "stock")
SETTLE_S = 1.0
SPEECH_S = 4.0
"""Length of the speech that is repeated."""


async def measure(streams: int, seconds: float, rounds: int) -> dict[str, Any]:
    """Both sides in turns, so many times; milliseconds of processor time and their ratio."""
    taken: dict[str, list[float]] = {side: [] for side in SIDES}
    for index in range(rounds):
        # Whoever begins meets another moment of the machine, so they change places.
        for side in SIDES if index % 2 == 0 else reversed(SIDES):
            taken[side].append(await _in_process(side, streams, seconds))
    ours, stock = (statistics.median(taken[side]) for side in SIDES)
    ratios = [mine / theirs for mine, theirs in zip(*taken.values(), strict=True)]
    return {
        "streams": streams,
        "ours_ms": round(ours, 2),
        "stock_ms": round(stock, 2),
        "ratio": round(ours / stock, 3),
        "ratios": [round(ratio, 3) for ratio in ratios],
    }


async def _in_process(side: str, streams: int, seconds: float) -> float:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "voicepeer.benches.cost", side, str(streams), str(seconds)),
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    return float(json.loads(out))


class StockTrack(MediaStreamTrack):
    """Speech as aiortc's own examples send it: frames of samples, which aiortc encodes."""

    kind = "audio"

    def __init__(self, speech: Pcm16) -> None:
        super().__init__()
        self._frames = speech.reshape(-1, FRAME_SAMPLES)
        self._count = 0
        self._begun_s = 0.0

    async def recv(self) -> AudioFrame:
        """The next 20 ms when they are due."""
        if self._count == 0:
            self._begun_s = time.time()
        else:
            wait_s = self._begun_s + self._count * 0.02 - time.time()
            await asyncio.sleep(max(0.0, wait_s))
        frame = AudioFrame(format="s16", layout="mono", samples=FRAME_SAMPLES)
        frame.planes[0].update(self._frames[self._count % len(self._frames)].tobytes())
        frame.pts = self._count * FRAME_SAMPLES
        frame.sample_rate = WIRE_RATE_HZ
        frame.time_base = Fraction(1, WIRE_RATE_HZ)
        self._count += 1
        return frame


def _ours(seconds: float) -> Callable[[], tuple[RTCPeerConnection, MediaStreamTrack]]:
    from voicepeer import rtc
    from voicepeer.core.speaking.pacer import Pacer
    from voicepeer.tracks import SpeechTrack

    rtc.install_patches()
    speech = vowel(SPEECH_S)

    def make() -> tuple[RTCPeerConnection, MediaStreamTrack]:
        pacer = Pacer()
        generation = pacer.open()
        # In chunks of 80 ms, as engines give it.
        for _ in range(round((seconds + 20) / SPEECH_S)):
            for chunk in np.array_split(speech, round(SPEECH_S / 0.08)):
                pacer.push(generation, chunk)
        return rtc.new_peer(), SpeechTrack(pacer)

    return make


def _stock() -> Callable[[], tuple[RTCPeerConnection, MediaStreamTrack]]:
    speech = to_pcm16(vowel(SPEECH_S))
    return lambda: (RTCPeerConnection(RTCConfiguration(iceServers=[])), StockTrack(speech))


async def _send(side: str, streams: int, seconds: float) -> float:
    """Milliseconds of processor time for a second of a stream, connecting left out."""
    make = _ours(seconds) if side == "ours" else _stock()
    peers: list[RTCPeerConnection] = []
    async with far_end.running() as far:
        for _ in range(streams):
            peer, track = make()
            peers.append(peer)
            peer.addTrack(track)
            await far.connect(peer)
        await asyncio.sleep(SETTLE_S)
        begun_s, begun_cpu_s = time.monotonic(), time.process_time()
        await asyncio.sleep(seconds)
        spent_s, passed_s = time.process_time() - begun_cpu_s, time.monotonic() - begun_s
        await asyncio.gather(*(peer.close() for peer in peers))
    return spent_s * 1000 / (passed_s * streams)


def _main(side: str, streams: str, seconds: str) -> None:
    taken_ms = asyncio.run(_send(side, int(streams), float(seconds)))
    sys.stdout.write(json.dumps(taken_ms))


if __name__ == "__main__":
    _main(*sys.argv[1:])

"""How evenly packets leave while a speech engine keeps the machine busy beside them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from aiortc import RTCPeerConnection

from engines.api import Controls, EngineError, Segment
from engines.host import EngineHost
from voicepeer import rtc
from voicepeer.benches import far_end
from voicepeer.benches.figures import spread_ms
from voicepeer.benches.network import Network, impair
from voicepeer.benches.sounds import vowel
from voicepeer.core.speaking.pacer import Pacer
from voicepeer.machine import process_usage
from voicepeer.tracks import SpeechTrack

SETTLE_S = 0.5
ENGINE_STREAMS = 2
TEXT = (
    "While ten listeners are being served, somebody else has asked for a rather long text, and "
    "the engine is at work on it all the time."
)


async def measure(streams: int, seconds: float, host: EngineHost | None) -> dict[str, Any]:
    """Send so many streams of speech for so long; an engine of ``host`` speaks meanwhile."""
    rtc.install_patches()
    peers = [rtc.new_peer() for _ in range(streams)]
    speech = vowel(seconds + 2 * SETTLE_S + 1.0)
    try:
        async with far_end.running() as far, contextlib.AsyncExitStack() as stack:
            networks = [await _sending(peer, far, speech) for peer in peers]
            busy = _Busy(host)
            if host is not None:
                await stack.enter_async_context(busy)
            await asyncio.sleep(SETTLE_S)
            for network in networks:
                network.departures.clear()
            before_s = busy.engine_cpu_s()
            await asyncio.sleep(seconds)
            engine_cores = (busy.engine_cpu_s() - before_s) / seconds
    finally:
        await asyncio.gather(*(rtc.close_peer(peer) for peer in peers))
    return _figures(networks) | {"streams": streams, "engine_cpu_cores": round(engine_cores, 2)}


async def _sending(
    peer: RTCPeerConnection, far: far_end.FarEnd, speech: np.ndarray[Any, np.dtype[np.float32]]
) -> Network:
    pacer = Pacer()
    peer.addTrack(SpeechTrack(pacer))
    await far.connect(peer)
    generation = pacer.open()
    pacer.push(generation, speech)
    return impair(peer)


def _figures(networks: list[Network]) -> dict[str, Any]:
    apart = [np.diff([one.at_s for one in network.departures]) for network in networks]
    every = [float(value) for differences in apart for value in differences]
    worst = max((float(np.percentile(each, 99)) for each in apart if each.size), default=None)
    return {
        "packets": sum(len(network.departures) for network in networks),
        "inter_departure_ms": spread_ms(every),
        "worst_stream_p99_ms": None if worst is None else round(worst * 1000, 1),
    }


class _Busy:
    """Keeps the engine of a host speaking, and knows the processor time that it took."""

    def __init__(self, host: EngineHost | None) -> None:
        self._host = host
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> None:
        self._tasks = [asyncio.create_task(self._speak()) for _ in range(ENGINE_STREAMS)]

    async def __aexit__(self, *error: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _speak(self) -> None:
        assert self._host is not None
        voices = await self._host.stock_voices()
        voice = voices[sorted(voices)[0]]
        language = "en-us" if "en-us" in self._host.info.languages else "en"
        while True:
            stream = self._host.speak(Segment(TEXT, language), voice, Controls())
            try:
                async for _ in stream:
                    pass
            except EngineError:
                await asyncio.sleep(0.1)
            finally:
                stream.cancel()

    def engine_cpu_s(self) -> float:
        """Processor time of the engine processes so far (proc(5), ``/proc/pid/stat``)."""
        if self._host is None:
            return 0.0
        usages = [process_usage(pid) for pid in _pids(self._host.worker_pids)]
        return sum(usage.cpu_s for usage in usages if usage is not None)


def _pids(workers: Mapping[Any, int]) -> list[int]:
    return list(workers.values())

"""Measures an engine in its own process, as the service runs it: several streams, and a crash.

Whoever listens here plays each stream from the moment its first chunk is there, with no lead at
all; a jitter buffer would hide what this is to show.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engines.api import EngineCrashed, Segment, Voice
from engines.audibility import audible
from engines.host import EngineHost, HostSpec, SpeechStream
from engines.progress import Progress, no_progress

_ROUNDS = 3
_TAKEN_BEFORE_THE_KILL = 2


@dataclass(frozen=True, slots=True)
class Task:
    """What is said, by whom and in which process."""

    spec: HostSpec
    segment: Segment
    voice: Voice


@dataclass(slots=True)
class Listening:
    """What one listener met."""

    first_ms: float = 0.0
    gaps_ms: list[float] = field(default_factory=list)


def measure(
    task: Task, counts: Sequence[int], progress: Progress = no_progress
) -> tuple[list[dict[str, Any]], float]:
    """Rows of ``counts`` streams at once, and how long a killed engine was away, in milliseconds.

    Raises:
        EngineError: why the engine cannot be run.
    """
    return asyncio.run(_measure(task, counts, progress))


async def _measure(
    task: Task, counts: Sequence[int], progress: Progress
) -> tuple[list[dict[str, Any]], float]:
    async with EngineHost(task.spec) as host:
        await listen(host.speak(task.segment, task.voice), host.info.sample_rate_hz)
        rows = []
        for index, count in enumerate(counts):
            progress("concurrent streams", index / (len(counts) + 1))
            rows.append(await streams(host, task, count))
        progress("a killed engine", len(counts) / (len(counts) + 1))
        return rows, await restart_ms(host, task)


async def streams(host: EngineHost, task: Task, count: int) -> dict[str, Any]:
    """Begin so many streams in one instant, a few times over."""
    heard: list[Listening] = []
    for _ in range(_ROUNDS):
        begun = [host.speak(task.segment, task.voice) for _ in range(count)]
        heard += await asyncio.gather(*(listen(one, host.info.sample_rate_hz) for one in begun))
    firsts = [one.first_ms for one in heard]
    gaps_ms = [gap for one in heard for gap in one.gaps_ms]
    return {
        "n": count,
        "first_audible_ms": percentiles(firsts),
        "underruns": len(gaps_ms),
        "longest_gap_ms": round(max(gaps_ms, default=0.0), 1),
    }


async def listen(stream: SpeechStream, rate_hz: int) -> Listening:
    """Play a stream in real time from its first chunk on; every gap is an underrun."""
    began, met, plays_until = time.perf_counter(), Listening(), 0.0
    async for chunk in stream:
        now = time.perf_counter()
        if not met.first_ms and audible(chunk.pcm, rate_hz):
            met.first_ms = 1000.0 * (now - began)
        if plays_until and now > plays_until:
            met.gaps_ms.append(1000.0 * (now - plays_until))
        plays_until = max(now, plays_until) + chunk.pcm.size / rate_hz
    return met


async def restart_ms(host: EngineHost, task: Task) -> float:
    """Kill the engine in mid-sentence; how long until the next sentence is heard."""
    stream = host.speak(task.segment, task.voice)
    for _ in range(_TAKEN_BEFORE_THE_KILL):
        await anext(stream)
    os.kill(host.worker_pids["speech"], signal.SIGKILL)
    killed = time.perf_counter()
    with contextlib.suppress(EngineCrashed):
        await listen(stream, host.info.sample_rate_hz)
    await anext(host.speak(task.segment, task.voice))
    return round(1000.0 * (time.perf_counter() - killed), 1)


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """The median and the 95th percentile, as figures print them."""
    return {
        "p50": round(float(np.percentile(values, 50)), 1),
        "p95": round(float(np.percentile(values, 95)), 1),
    }


def spec_for(engine: str, encoder: str | None, options: Mapping[str, str]) -> HostSpec:
    """The engine in question, beside listeners that cost nothing where it allows that."""
    return HostSpec(speech=engine, encoder=encoder or "fake", vad="fake", options=options)

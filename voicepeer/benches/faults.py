"""What a listener and the client notice when an engine misbehaves in every way there is.

The faults are put between the engine and the session, behind all checks that engines and their
host make, so each of them arrives.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engines.api import (
    Chunk,
    Controls,
    Embedding,
    EngineError,
    EngineInfo,
    Pcm,
    Reference,
    Segment,
    VadMemory,
    Voice,
)
from voicepeer.benches import session
from voicepeer.benches.session import Line
from voicepeer.core.messages import Cancelled, Done, Failed, Speak, Stats, StatsGet
from voicepeer.core.pcm import FRAME_SAMPLES, WIRE_RATE_HZ, Pcm16
from voicepeer.ports import ChunkStream, Engine, VoiceStream

STALL_S = 0.6
FAULTY_CHUNK = 5
HUGE_CHUNKS = 40
PACE_S = 0.03
"""Each chunk of 80 ms comes after so long, so that some is heard before the fault."""

BAD_TEXT = "Something goes wrong in this text"
GOOD_TEXT = "And this is whole"

Tamper = Callable[[Chunk], Chunk]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is done to the faulty chunk, or to all of an utterance."""

    chunk: Tamper | None = None
    stall_s: float = 0.0
    error: Exception | None = None
    rate_hz: int | None = None
    """What the engine says its rate is; the chunks stay as they are."""


def _filled(value: float) -> Tamper:
    return lambda chunk: replace(chunk, pcm=np.full_like(chunk.pcm, value))


FAULTS: Mapping[str, Fault] = {
    "none": Fault(),
    "stall": Fault(stall_s=STALL_S),
    "engine_error": Fault(error=EngineError("told to fail")),
    "bug": Fault(error=ZeroDivisionError("told to have a bug")),
    "wrong_rate": Fault(rate_hz=16_000),
    "no_rate": Fault(rate_hz=0),
    "nan": Fault(_filled(float("nan"))),
    "infinite": Fault(_filled(float("inf"))),
    "out_of_range": Fault(_filled(1e30)),
    "empty": Fault(lambda chunk: replace(chunk, pcm=chunk.pcm[:0])),
    "huge": Fault(lambda chunk: replace(chunk, pcm=np.tile(chunk.pcm, HUGE_CHUNKS))),
    "stereo": Fault(lambda chunk: replace(chunk, pcm=np.stack([chunk.pcm, chunk.pcm]))),
    "wrong_type": Fault(lambda chunk: replace(chunk, pcm=np.array(["a", "b"]))),
}


class _FaultyStream:
    """A stream with something wrong in it."""

    def __init__(self, stream: ChunkStream, fault: Fault) -> None:
        self._stream = stream
        self._fault = fault

    async def __aiter__(self) -> AsyncIterator[Chunk]:
        index = 0
        async for chunk in self._stream:
            await asyncio.sleep(PACE_S)
            yield await self._tampered(chunk) if index == FAULTY_CHUNK else chunk
            index += 1

    async def _tampered(self, chunk: Chunk) -> Chunk:
        await asyncio.sleep(self._fault.stall_s)
        if self._fault.error is not None:
            raise self._fault.error
        return self._fault.chunk(chunk) if self._fault.chunk else chunk

    def cancel(self) -> None:
        self._stream.cancel()


class FaultyEngine:
    """An engine whose utterances have ``fault`` while it is set."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.fault = FAULTS["none"]

    @property
    def info(self) -> EngineInfo:
        """The engine's, with the rate that is claimed."""
        info = self._engine.info
        rate_hz = self.fault.rate_hz
        return info if rate_hz is None else replace(info, sample_rate_hz=rate_hz)

    @property
    def encoder_window_samples(self) -> int:
        """The engine's."""
        return self._engine.encoder_window_samples

    @property
    def vad_window_samples(self) -> int:
        """The engine's."""
        return self._engine.vad_window_samples

    def speak(
        self, segment: Segment, voice: Voice, controls: Controls, in_hand_s: float | None = None
    ) -> ChunkStream:
        """Speak with the fault, at the pace of a fast engine."""
        stream = self._engine.speak(segment, voice, controls, in_hand_s)
        return _FaultyStream(stream, self.fault)

    async def enrol(self, reference: Reference, *, urgent: bool = True) -> Voice:
        """As the engine does."""
        return await self._engine.enrol(reference, urgent=urgent)

    async def mix(self, parts: Sequence[tuple[Voice, float]]) -> Voice:
        """As the engine does."""
        return await self._engine.mix(parts)

    def refine(self, voice: Voice, reference: Reference, budget_s: float) -> VoiceStream:
        """As the engine does."""
        return self._engine.refine(voice, reference, budget_s)

    async def forget(self, voice: Voice) -> None:
        """As the engine does."""
        await self._engine.forget(voice)

    async def embed(self, pcm: Pcm) -> Embedding:
        """As the engine does."""
        return await self._engine.embed(pcm)

    async def embed_window(self, pcm: Pcm) -> Embedding:
        """As the engine does."""
        return await self._engine.embed_window(pcm)

    async def score(self, windows: Pcm, memory: VadMemory | None) -> tuple[list[float], VadMemory]:
        """As the engine does."""
        return await self._engine.score(windows, memory)

    async def stock_voices(self) -> Mapping[str, Voice]:
        """The engine's."""
        return await self._engine.stock_voices()


async def measure(engine: Engine) -> list[dict[str, Any]]:
    """One call for each fault; a row of figures for each."""
    return [await _one(engine, name) for name in FAULTS]


async def _one(engine: Engine, name: str) -> dict[str, Any]:
    faulty = FaultyEngine(engine)
    async with session.connected(faulty) as line:
        frames: list[Pcm16] = []
        listener = line.session.track.on_frame

        def note(pcm: Pcm16) -> None:
            frames.append(pcm.copy())
            if listener is not None:
                listener(pcm)

        line.session.track.on_frame = note
        faulty.fault = FAULTS[name]
        outcome = await _say(line, "bad", BAD_TEXT)
        sent_of_bad = len(frames)
        faulty.fault = FAULTS["none"]
        after = await _say(line, "good", GOOD_TEXT)
        line.call.send(StatsGet())
        stats = await line.wait_for(Stats)
        faults = line.session.track.encoder_faults
    return {
        "fault": name,
        "outcome": outcome,
        "then": after,
        "heard_ms": round(_audible_ms(frames[:sent_of_bad])),
        "frames_are_20_ms": all(frame.shape == (FRAME_SAMPLES,) for frame in frames),
        "underruns": stats.underruns,
        "repaired": stats.chunks_repaired,
        "frames_failed": faults,
    }


async def _say(line: Line, utterance_id: str, text: str) -> str:
    """Say something; how it ended."""
    line.call.send(Speak(utterance_id=utterance_id, text=text))
    ended = await line.wait_for(Done, Failed, Cancelled, utterance_id=utterance_id, within_s=30.0)
    return type(ended).__name__.lower()


def _audible_ms(frames: list[Pcm16]) -> float:
    return sum(int(np.count_nonzero(frame)) for frame in frames) * 1000 / WIRE_RATE_HZ

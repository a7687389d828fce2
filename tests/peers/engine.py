"""The fake models behind the port that sessions use, in this process and without a host."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence

from engines.api import (
    Chunk,
    Controls,
    Embedding,
    EngineCrashed,
    EngineInfo,
    Pcm,
    Reference,
    Segment,
    SpeakerEncoder,
    SpeechEngine,
    VadMemory,
    Voice,
    VoiceActivityModel,
)
from engines.fakes import FakeSpeakerEncoder, FakeSpeechEngine, FakeVad, Script, mix_voices


class LocalStream:
    """Runs an engine's steps, in threads if they take time; ``cancel`` ends it before the next."""

    def __init__(
        self,
        engine: SpeechEngine,
        segment: Segment,
        voice: Voice,
        controls: Controls,
        threaded: bool,
    ) -> None:
        self.controls = controls
        self._threaded = threaded
        self._stop = threading.Event()
        self._chunks = engine.speak(segment, voice, controls, self._stop)

    async def __aiter__(self) -> AsyncIterator[Chunk]:
        while (chunk := await self._step()) is not None:
            yield chunk

    async def _step(self) -> Chunk | None:
        if self._threaded:
            return await asyncio.to_thread(next, self._chunks, None)
        await asyncio.sleep(0)
        return next(self._chunks, None)

    def cancel(self) -> None:
        self._stop.set()

    @property
    def cancelled(self) -> bool:
        return self._stop.is_set()


class LocalVoices:
    """Runs a refinement's parts in threads; ``cancel`` ends it before the next."""

    def __init__(self, parts: Iterator[Voice | None]) -> None:
        self._parts = parts
        self.cancelled = False

    async def __aiter__(self) -> AsyncIterator[Voice]:
        while not self.cancelled:
            voice = await asyncio.to_thread(next, self._parts, self)
            if isinstance(voice, LocalVoices):
                return
            if voice is not None and not self.cancelled:
                yield voice

    def cancel(self) -> None:
        self.cancelled = True


class LocalEngine:
    """What ``engines.host`` offers, over the fakes; counts what it was asked for."""

    def __init__(
        self,
        script: Script | None = None,
        encoder: SpeakerEncoder | None = None,
        vad: VoiceActivityModel | None = None,
    ) -> None:
        self._speech = FakeSpeechEngine(script)
        script = script or Script()
        self._takes_time = script.first_chunk_delay_ms + script.chunk_delay_ms > 0
        self._encoder = encoder or FakeSpeakerEncoder()
        self._vad = vad or FakeVad()
        self.streams: list[LocalStream] = []
        self.segments: list[Segment] = []
        self.in_hand_s: list[float | None] = []
        self.spoken_as: list[Voice] = []
        self.references: list[Reference] = []
        self.urgent: list[bool] = []
        self.refinements: list[LocalVoices] = []
        self.forgotten: list[Voice] = []
        self.scored = 0
        self.crashes = 0
        """Calls that are still to fail as if the engine's process had ended."""

    @property
    def info(self) -> EngineInfo:
        return self._speech.info

    @property
    def encoder_window_samples(self) -> int:
        return self._encoder.window_samples

    @property
    def vad_window_samples(self) -> int:
        return self._vad.window_samples

    def speak(
        self, segment: Segment, voice: Voice, controls: Controls, in_hand_s: float | None = None
    ) -> LocalStream:
        stream = LocalStream(self._speech, segment, voice, controls, self._takes_time)
        self.streams.append(stream)
        self.segments.append(segment)
        self.in_hand_s.append(in_hand_s)
        self.spoken_as.append(voice)
        return stream

    async def enrol(self, reference: Reference, *, urgent: bool = True) -> Voice:
        self._maybe_crash()
        self.references.append(reference)
        self.urgent.append(urgent)
        return await asyncio.to_thread(self._speech.enrol, reference)

    async def mix(self, parts: Sequence[tuple[Voice, float]]) -> Voice:
        self._maybe_crash()
        return mix_voices(parts)

    def refine(self, voice: Voice, reference: Reference, budget_s: float) -> LocalVoices:
        self.refinements.append(LocalVoices(self._speech.refine(voice, reference, self._encoder)))
        return self.refinements[-1]

    async def forget(self, voice: Voice) -> None:
        self._maybe_crash()
        self.forgotten.append(voice)

    async def embed(self, pcm: Pcm) -> Embedding:
        self._maybe_crash()
        return self._encoder.embed(pcm)

    async def embed_window(self, pcm: Pcm) -> Embedding:
        self._maybe_crash()
        return self._encoder.embed_window(pcm)

    async def score(self, windows: Pcm, memory: VadMemory | None) -> tuple[list[float], VadMemory]:
        state = self._vad.memory() if memory is None else memory
        scores = []
        self.scored += windows.size // self.vad_window_samples
        for window in windows.reshape(-1, self.vad_window_samples):
            score, state = self._vad.score(window, state)
            scores.append(score)
        return scores, state

    async def stock_voices(self) -> Mapping[str, Voice]:
        return self._speech.stock_voices()

    def _maybe_crash(self) -> None:
        if self.crashes:
            self.crashes -= 1
            raise EngineCrashed("told to")

"""An engine in this process and one behind the host, for tests that ask the same of both."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import AsyncIterator, Mapping
from typing import Protocol

import numpy as np

from engines import registry
from engines.api import (
    Chunk,
    Controls,
    Embedding,
    EngineInfo,
    ForgetsVoices,
    Pcm,
    Reference,
    Segment,
    SpeakerEncoder,
    SpeechEngine,
    Voice,
)
from engines.host import EngineHost, HostSpec
from engines.process.keeper import Limits


class Stream(Protocol):
    """Chunks that somebody can put an end to."""

    def __aiter__(self) -> AsyncIterator[Chunk]: ...

    async def __anext__(self) -> Chunk: ...

    def cancel(self) -> None: ...


class Home(Protocol):
    """Where a speech engine and its speaker encoder live."""

    @property
    def info(self) -> EngineInfo: ...

    def speak(self, segment: Segment, voice: Voice, controls: Controls | None = None) -> Stream: ...

    async def enrol(self, reference: Reference) -> Voice: ...

    async def embed(self, pcm: Pcm) -> Embedding: ...

    async def forget(self, voice: Voice) -> None: ...

    async def stock_voices(self) -> Mapping[str, Voice]: ...


class _DirectStream:
    def __init__(
        self, engine: SpeechEngine, segment: Segment, voice: Voice, controls: Controls
    ) -> None:
        self._stop = threading.Event()
        self._chunks = engine.speak(segment, voice, controls, self._stop)

    def __aiter__(self) -> AsyncIterator[Chunk]:
        return self

    async def __anext__(self) -> Chunk:
        chunk = next(self._chunks, None)
        if chunk is None:
            raise StopAsyncIteration
        return chunk

    def cancel(self) -> None:
        self._stop.set()


class Direct:
    """An engine that is called where the test runs."""

    def __init__(self, engine: SpeechEngine, encoder: SpeakerEncoder) -> None:
        self._engine, self._encoder = engine, encoder

    @property
    def info(self) -> EngineInfo:
        return self._engine.info

    def speak(
        self, segment: Segment, voice: Voice, controls: Controls | None = None
    ) -> _DirectStream:
        return _DirectStream(self._engine, segment, voice, controls or Controls())

    async def enrol(self, reference: Reference) -> Voice:
        return self._engine.enrol(reference)

    async def embed(self, pcm: Pcm) -> Embedding:
        return self._encoder.embed(pcm)

    async def forget(self, voice: Voice) -> None:
        if isinstance(self._engine, ForgetsVoices):
            self._engine.forget(voice)

    async def stock_voices(self) -> Mapping[str, Voice]:
        return self._engine.stock_voices()


ENCODERS = {"fake": "fake"}
"""The encoder that goes with a speech engine, where it is not ``ge2e``."""


def _encoder(speech: str) -> str:
    return ENCODERS.get(speech, "ge2e")


@contextlib.asynccontextmanager
async def open_home(speech: str, *, hosted: bool) -> AsyncIterator[Home]:
    """A speech engine by its registered name, behind the host or not."""
    if hosted:
        # Nothing here is about speed, and others may be using the machine.
        patient = Limits(chunk_s=60.0)
        spec = HostSpec(speech, _encoder(speech), "fake", limits=patient)
        async with EngineHost(spec) as host:
            yield host
    else:
        encoder = registry.create_encoder(_encoder(speech), {})
        yield Direct(registry.create_speech(speech, {}), encoder)


async def collect(stream: Stream) -> list[Chunk]:
    """All chunks of a stream."""
    return [chunk async for chunk in stream]


def joined(chunks: list[Chunk]) -> Pcm:
    """The samples of chunks, one after the other."""
    return np.concatenate([np.zeros(0, dtype=np.float32), *(chunk.pcm for chunk in chunks)])

"""The host's listening models for code that blocks, in a thread beside the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import numpy as np

from engines.api import Embedding, Pcm, VadMemory
from voicepeer.audio import Recording
from voicepeer.core.errors import AtCapacity
from voicepeer.core.pcm import LISTEN_RATE_HZ
from voicepeer.decoding_process import read_apart
from voicepeer.offline import Ears
from voicepeer.ports import Engine

T = TypeVar("T")

LISTENING_AT_ONCE = 2
"""Recordings that are decoded and listened to; each takes a core for a second or more."""

BATCH_WINDOWS = 64
"""Of a request to the model's process: two seconds, so that calls need not wait for long."""


class RecordingEars:
    """Listens to recordings in threads, a few at once."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._busy = 0

    async def hear(self, name: str, data: bytes, work: Callable[[Recording, Ears], T]) -> T:
        """Decode a recording, which messages call ``name``, and do some blocking work with it.

        It is decoded in a process that ends with whoever waits; its place is kept until the thread
        has ended, also where nobody waits for that.

        Raises:
            AtCapacity: others are being listened to.
            AudioRejected: it cannot be read.
        """
        if self._busy >= LISTENING_AT_ONCE:
            raise AtCapacity("other recordings are being listened to: try again soon")
        self._busy += 1
        try:
            recording = await read_apart(data, name)
        except BaseException:
            self._busy -= 1
            raise
        loop = asyncio.get_running_loop()
        ears = remote_ears(self._engine, loop)
        listening = loop.run_in_executor(None, lambda: work(recording, ears))
        listening.add_done_callback(self._heard)
        return await asyncio.shield(listening)

    def _heard(self, listening: asyncio.Future[T]) -> None:
        self._busy -= 1
        if not listening.cancelled():
            listening.exception()  # whoever asked may have gone: then nobody else takes it


def remote_ears(engine: Engine, loop: asyncio.AbstractEventLoop) -> Ears:
    """The models of ``engine``, to be used from other threads than that of ``loop``."""
    return Ears(_Encoder(engine, loop), _Vad(engine, loop))


class _Remote:
    sample_rate_hz = LISTEN_RATE_HZ

    def __init__(self, engine: Engine, loop: asyncio.AbstractEventLoop) -> None:
        self._engine = engine
        self._loop = loop

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


class _Encoder(_Remote):
    """Implements ``engines.api.SpeakerEncoder``."""

    def __init__(self, engine: Engine, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(engine, loop)
        self.name = engine.info.encoder or ""
        self.window_samples = engine.encoder_window_samples

    def embed(self, pcm: Pcm) -> Embedding:
        return self._wait(self._engine.embed(pcm))

    def embed_window(self, pcm: Pcm) -> Embedding:
        return self._wait(self._engine.embed_window(pcm))


class _Vad(_Remote):
    """Implements ``engines.api.VoiceActivityModel`` and ``references.ScoresAll``."""

    def __init__(self, engine: Engine, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(engine, loop)
        self.window_samples = engine.vad_window_samples

    def memory(self) -> VadMemory:
        return np.zeros(0, dtype=np.float32)

    def score(self, window: Pcm, memory: VadMemory) -> tuple[float, VadMemory]:
        scores, after = self._wait(self._engine.score(window, memory if memory.size else None))
        return scores[0], after

    def score_all(self, windows: Pcm) -> list[float]:
        size = BATCH_WINDOWS * self.window_samples
        memory: VadMemory | None = None
        scores: list[float] = []
        for start in range(0, windows.size, size):
            batch = windows[start : start + size]
            probabilities, memory = self._wait(self._engine.score(batch, memory))
            scores += probabilities
        return scores

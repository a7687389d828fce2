"""A file of speech while it is being made, for HTTP clients."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from voicepeer.core.pcm import Pcm
from voicepeer.encoding import AudioFormat, encoder

SILENCE_MS = 100.0
"""Of a file in which there is nothing to say: players take none without samples."""

Outcome: TypeAlias = Literal["done", "cancelled", "failed"]


@dataclass(frozen=True, slots=True)
class SpokenText:
    """How a request ended; ``first_bytes_ms`` is ``None`` where none came."""

    form: AudioFormat
    outcome: Outcome
    first_bytes_ms: float | None
    audio_ms: float


class SpokenFile:
    """Implements ``signaling.audio_port.SpokenAudio``.

    Args:
        form: of the file.
        pieces: speech at ``rate_hz``; closed with the file.
        rate_hz: of the speech.
        notes: what is not done as it was asked for.
        over: told once, when the file is closed.
        extra_chars: how much longer the text is as it is said than as it is written.
    """

    def __init__(
        self,
        form: AudioFormat,
        pieces: AsyncGenerator[Pcm, None],
        rate_hz: int,
        notes: tuple[str, ...],
        over: Callable[[SpokenText], None],
        extra_chars: int = 0,
    ) -> None:
        self.notes = notes
        self.extra_chars = extra_chars
        self._form: AudioFormat = form
        self._pieces = pieces
        self._rate_hz = rate_hz
        self._encoder = encoder(form, rate_hz)
        self._over: Callable[[SpokenText], None] | None = over
        self._samples = 0
        self._outcome: Outcome = "cancelled"
        self._begun_s = time.monotonic()
        self._first_bytes_ms: float | None = None

    @property
    def audio_ms(self) -> float:
        """Length of the speech so far."""
        return self._samples * 1000 / self._rate_hz

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for data in self._bytes():
                if self._first_bytes_ms is None:
                    self._first_bytes_ms = (time.monotonic() - self._begun_s) * 1000
                yield data
        except Exception:
            self._outcome = "failed"
            raise
        self._outcome = "done"

    async def _bytes(self) -> AsyncIterator[bytes]:
        async for pcm in self._pieces:
            if ready := await self._encoded(pcm):
                yield ready
        if self._samples == 0:
            silence = np.zeros(round(SILENCE_MS * self._rate_hz / 1000), dtype=np.float32)
            yield await self._encoded(silence)
        # Beside the loop: an encoder's step takes a millisecond, and calls need theirs.
        yield await asyncio.to_thread(self._encoder.finish)

    async def _encoded(self, pcm: Pcm) -> bytes:
        self._samples += pcm.size
        return await asyncio.to_thread(self._encoder.push, pcm)

    async def aclose(self) -> None:
        """Make no more; harmless when it is over."""
        over, self._over = self._over, None
        if over is not None:
            over(SpokenText(self._form, self._outcome, self._first_bytes_ms, self.audio_ms))
            await self._pieces.aclose()

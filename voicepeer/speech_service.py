"""Texts to files of speech for HTTP clients: whose voice, how delivered, and how many at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass

import numpy as np

from engines.api import EngineError, EngineInfo, Voice
from signaling.audio_messages import ModelObject, SpeechRequest
from signaling.audio_port import Refused
from voicepeer.core.errors import VoicePeerError
from voicepeer.core.pcm import Pcm
from voicepeer.core.speaking.delivery import Delivery
from voicepeer.core.speaking.instructions import emotion_of
from voicepeer.core.speaking.language import AUTO, detect
from voicepeer.core.speaking.order import DEFAULT_LANGUAGE, Order
from voicepeer.encoding import encoder
from voicepeer.openai_voices import stand_in
from voicepeer.ports import Engine
from voicepeer.refusals import BUSY_RETRY_S, refusal
from voicepeer.synthesis import synthesized

OPENAI_MODELS = ("tts-1", "tts-1-hd", "gpt-4o-mini-tts", "gpt-4o-mini-tts-2025-12-15")
"""What its clients ask for unless told otherwise; each means the engine that runs."""

SILENCE_MS = 100.0
"""Of a file in which there is nothing to say: players take none without samples."""


@dataclass(frozen=True, slots=True)
class SpeechLimits:
    """How long a text may be, and how many are said at once, calls not counted."""

    input_chars: int = 4096
    at_once: int = 8


class SpeechService:
    """Implements the speech and the models of ``signaling.audio_port.AudioService``."""

    def __init__(self, engine: Engine, limits: SpeechLimits) -> None:
        self._engine = engine
        self._limits = limits
        self._places = _Places(limits.at_once)

    def models(self, since_s: float) -> list[ModelObject]:
        """The engine by its name and by those that clients of OpenAI's API ask for."""
        names = (self._engine.info.name, *OPENAI_MODELS)
        return [ModelObject(id=name, created=int(since_s), owned_by="voicepeer") for name in names]

    def check(self, request: SpeechRequest) -> None:
        """Go on only with a text that may be said by a model that is there.

        Raises:
            Refused: 400 ``text_too_long``, 404 ``model_not_found``.
        """
        info, limit = self._engine.info, self._limits.input_chars
        if len(request.input) > limit:
            raise Refused(
                400,
                "text_too_long",
                f"input may have {limit} characters, this one has {len(request.input)}: "
                "send it in several requests",
                "input",
            )
        if request.model not in (info.name, *OPENAI_MODELS):
            raise Refused(
                404,
                "model_not_found",
                f"there is no model {request.model!r}: ask for {info.name!r}",
                "model",
            )

    async def stock_voice(self, request: SpeechRequest) -> Voice | None:
        """The engine's voice that is asked for: by its own name, or by one of OpenAI's."""
        stock = await self._engine.stock_voices()
        key = request.voice_key
        if key in stock:
            return stock[key]
        language = _language(request, self._engine.info)
        named = stand_in(key, language, stock, self._engine.info)
        return None if named is None else stock[named]

    def speak(self, request: SpeechRequest, voice: Voice) -> SpokenFile:
        """Begin to say a text with a voice.

        Raises:
            Refused: 503 ``at_capacity``, 400 for what the engine cannot do.
        """
        order, notes = order_of(request, self._engine.info)
        release = self._places.take()
        pieces = _refusing(request, voice, self._engine, order)
        return SpokenFile(request, pieces, self._engine.info.sample_rate_hz, notes, release)


def order_of(request: SpeechRequest, info: EngineInfo) -> tuple[Order, tuple[str, ...]]:
    """How a request is spoken, and what of it is not done as it was asked for."""
    notes = []
    low, high = info.controls.speed or (1.0, 1.0)
    speed = min(max(request.speed, low), high)
    if speed != request.speed:
        notes.append(f"speed {request.speed:g} became {speed:g}, the nearest that is possible")
    emotion = emotion_of(request.instructions)
    if request.instructions.strip() and emotion is None:
        notes.append("the instructions name no emotion that is known here and were ignored")
    return Order(request.language.lower(), Delivery(speed=speed, emotion=emotion)), tuple(notes)


def _language(request: SpeechRequest, info: EngineInfo) -> str:
    language = request.language.lower()
    return (
        language if language != AUTO else detect(request.input, info.languages) or DEFAULT_LANGUAGE
    )


class _Places:
    """Room for so many texts at once."""

    def __init__(self, count: int) -> None:
        self._free = count

    def take(self) -> Callable[[], None]:
        """Take a place; gives how to give it back.

        Raises:
            Refused: 503 ``at_capacity``.
        """
        if self._free <= 0:
            raise Refused(
                503,
                "at_capacity",
                "as many texts are being said as is possible: try again soon",
                retry_after_s=BUSY_RETRY_S,
            )
        self._free -= 1
        return self._give_back

    def _give_back(self) -> None:
        self._free += 1


async def _refusing(
    request: SpeechRequest, voice: Voice, engine: Engine, order: Order
) -> AsyncGenerator[Pcm, None]:
    pieces = synthesized(request.input, voice, engine, order)
    try:
        async for pcm in pieces:
            yield pcm
    except (VoicePeerError, EngineError) as error:
        raise refusal(error) from error
    finally:
        await pieces.aclose()


class SpokenFile:
    """Implements ``signaling.audio_port.SpokenAudio``."""

    def __init__(
        self,
        request: SpeechRequest,
        pieces: AsyncGenerator[Pcm, None],
        rate_hz: int,
        notes: tuple[str, ...],
        release: Callable[[], None],
    ) -> None:
        self.notes = notes
        self._pieces = pieces
        self._rate_hz = rate_hz
        self._encoder = encoder(request.response_format, rate_hz)
        self._release: Callable[[], None] | None = release
        self._samples = 0

    @property
    def audio_ms(self) -> float:
        """Length of the speech so far."""
        return self._samples * 1000 / self._rate_hz

    async def __aiter__(self) -> AsyncIterator[bytes]:
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
        release, self._release = self._release, None
        if release is not None:
            release()
            await self._pieces.aclose()

"""Texts to files of speech for HTTP clients: whose voice, how delivered, and how many at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass

from engines.api import EngineError, EngineInfo, Voice
from signaling.audio_messages import ModelObject, SpeechRequest
from signaling.audio_port import Refused
from voicepeer.core.errors import VoicePeerError
from voicepeer.core.pcm import Pcm
from voicepeer.core.speaking.delivery import Delivery
from voicepeer.core.speaking.duration import MAX_AUDIO_S, extra_chars
from voicepeer.core.speaking.instructions import emotion_of
from voicepeer.core.speaking.job import Job
from voicepeer.core.speaking.language import AUTO, detect, supported_tag
from voicepeer.core.speaking.order import DEFAULT_LANGUAGE, Order
from voicepeer.openai_voices import stand_in
from voicepeer.ports import Engine
from voicepeer.refusals import BUSY_RETRY_S, refusal
from voicepeer.revocations import Watch
from voicepeer.spoken_file import SpokenFile, SpokenText
from voicepeer.synthesis import prepared, synthesized

OPENAI_MODELS = ("tts-1", "tts-1-hd", "gpt-4o-mini-tts", "gpt-4o-mini-tts-2025-12-15")
"""What its clients ask for unless told otherwise; each means the engine that runs."""


@dataclass(frozen=True, slots=True)
class SpeechLimits:
    """How long a text may be and last, and how many are said at once, calls not counted."""

    input_chars: int = 4096
    at_once: int = 8
    audio_s: float = MAX_AUDIO_S

    @property
    def said_chars(self) -> int:
        """How long a text may be as it is said: a number has many times the letters of its digits.

        Three times is room for any prose full of dates and sums, and none for a page of digits.
        """
        return 3 * self.input_chars


class SpeechService:
    """Implements the speech and the models of ``signaling.audio_port.AudioService``."""

    def __init__(
        self,
        engine: Engine,
        limits: SpeechLimits,
        observe: Callable[[SpokenText], None] = lambda told: None,
    ) -> None:
        self._engine = engine
        self._limits = limits
        self._observe = observe
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

    async def stock_voice(self, request: SpeechRequest, key: str) -> Voice | None:
        """The engine's voice of a name: its own, or one of OpenAI's."""
        stock = await self._engine.stock_voices()
        if key in stock:
            return stock[key]
        language = _language(request, self._engine.info)
        named = stand_in(key, language, stock, self._engine.info)
        return None if named is None else stock[named]

    async def speak(self, request: SpeechRequest, voice: Voice, watch: Watch) -> SpokenFile:
        """Begin to say a text with a voice, until it is deleted; closes the watch in the end.

        Raises:
            Refused: 503 ``at_capacity``.
            TextTooLong: it is, as it is said.
            TextRejected: what the engine cannot do.
        """
        info = self._engine.info
        order, notes = order_of(request, info)
        give_back = self._places.take()
        try:
            # Beside the loop: a long text takes longer to read than a call's next frame can wait.
            jobs = await asyncio.to_thread(
                prepared,
                request.input,
                order,
                info,
                self._limits.said_chars,
                self._limits.audio_s,
            )
        except BaseException:
            give_back()
            raise

        def over(told: SpokenText) -> None:
            give_back()
            watch.close()
            self._observe(told)

        pieces = _refusing(jobs, voice, self._engine, order, watch)
        extra = extra_chars(jobs)
        return SpokenFile(request.response_format, pieces, info.sample_rate_hz, notes, over, extra)


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
    language = request.language.lower()
    if language != AUTO:
        language = supported_tag(language, info.languages) or language
    return Order(language, Delivery(speed=speed, emotion=emotion)), tuple(notes)


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
    jobs: Sequence[Job], voice: Voice, engine: Engine, order: Order, watch: Watch
) -> AsyncGenerator[Pcm, None]:
    pieces = synthesized(jobs, voice, engine, order)
    try:
        async for pcm in pieces:
            if watch.revoked:
                raise Refused(404, "voice_not_found", "the voice was just deleted", "voice")
            yield pcm
    except (VoicePeerError, EngineError) as error:
        raise refusal(error) from error
    finally:
        await pieces.aclose()

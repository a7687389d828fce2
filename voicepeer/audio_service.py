"""Speech, voices and consents as signaling asks for them, over the engine and the stores."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from engines.api import EngineError, Voice
from signaling.audio_messages import (
    ConsentDeleted,
    ConsentObject,
    ConsentStatement,
    ModelObject,
    SpeechRequest,
    VoiceObject,
)
from signaling.audio_port import Refused, SpokenAudio, Upload
from signaling.config import Readiness
from signaling.principal import Principal
from voicepeer.consent_service import ConsentService
from voicepeer.core.errors import VoiceNotFound, VoicePeerError
from voicepeer.core.mixture import weights_of
from voicepeer.keeping import Keeping
from voicepeer.ports import Engine
from voicepeer.refusals import refusal
from voicepeer.remote_ears import RecordingEars
from voicepeer.revocations import Watch
from voicepeer.speech_service import SpeechLimits, SpeechService
from voicepeer.spoken_file import SpokenText
from voicepeer.voice_service import VoiceService

T = TypeVar("T")


class AudioService:
    """Implements ``signaling.audio_port.AudioService``.

    Until ``readiness`` says so, everything that needs a model is refused with 503.
    """

    def __init__(
        self,
        engine: Engine,
        keeping: Keeping,
        limits: SpeechLimits,
        readiness: Callable[[], Readiness],
        observe: Callable[[SpokenText], None] = lambda told: None,
        match_channel: bool = False,
    ) -> None:
        ears = RecordingEars(engine)
        self._speech = SpeechService(engine, limits, observe)
        self._voices = VoiceService(engine, ears, keeping)
        self._consents = ConsentService(engine, ears, keeping)
        self._readiness = readiness
        self._match_channel = match_channel
        self._engine = engine
        self._revocations = keeping.revocations
        self._since_s = keeping.now()

    async def models(self) -> list[ModelObject]:
        """The engine by all its names."""
        self._need_models()
        return self._speech.models(self._since_s)

    async def speak(self, principal: Principal, request: SpeechRequest) -> SpokenAudio:
        """Begin to say a text, in a voice of the engine or in a saved one."""
        return await self._with_models(self._speak(principal, request))

    async def _speak(self, principal: Principal, request: SpeechRequest) -> SpokenAudio:
        self._speech.check(request)
        weights = weights_of(request.voice_key)
        watch = Watch(self._revocations)
        try:
            if weights is None:
                voice = await self._voice(principal, request, request.voice_key, watch)
            else:
                parts = [await self._voice(principal, request, key, watch) for key in weights]
                voice = await self._engine.mix(list(zip(parts, weights.values(), strict=True)))
            return await self._speech.speak(request, voice, watch)
        except BaseException:
            watch.close()
            raise

    async def _voice(
        self, principal: Principal, request: SpeechRequest, key: str, watch: Watch
    ) -> Voice:
        try:
            record = await self._voices.to_speak_with(principal, key)
        except VoiceNotFound:
            stock = await self._speech.stock_voice(request, key)
            if stock is None:
                raise
            return stock
        watch.add(record.voice_id)
        return record.voice

    async def voices(self, principal: Principal) -> list[VoiceObject]:
        """See ``VoiceService.voices``."""
        return await self._with_models(self._voices.voices(principal))

    async def voice(self, principal: Principal, key: str) -> VoiceObject:
        """See ``VoiceService.voice``."""
        return await self._with_models(self._voices.voice(principal, key))

    async def create_voice(
        self,
        principal: Principal,
        name: str,
        sample: Upload,
        consent_id: str,
        ttl_s: float | None = None,
        match_channel: bool | None = None,
    ) -> VoiceObject:
        """See ``VoiceService.create_voice``."""
        asked = self._match_channel if match_channel is None else match_channel
        work = self._voices.create_voice(principal, name, sample, consent_id, ttl_s, asked)
        return await self._with_models(work)

    async def rename_voice(self, principal: Principal, key: str, name: str) -> VoiceObject:
        """See ``VoiceService.rename_voice``."""
        return await self._with_models(self._voices.rename_voice(principal, key, name))

    async def delete_voice(self, principal: Principal, key: str) -> str:
        """See ``VoiceService.delete_voice``."""
        return await self._with_models(self._voices.delete_voice(principal, key))

    async def export_voice(self, principal: Principal, key: str) -> bytes:
        """See ``VoiceService.export_voice``."""
        return await self._with_models(self._voices.export_voice(principal, key))

    async def import_voice(self, principal: Principal, data: bytes) -> VoiceObject:
        """See ``VoiceService.import_voice``."""
        return await self._with_models(self._voices.import_voice(principal, data))

    async def consents(self, principal: Principal) -> list[ConsentObject]:
        """See ``ConsentService.consents``."""
        return await _refusing(self._consents.consents(principal))

    async def consent(self, principal: Principal, consent_id: str) -> ConsentObject:
        """See ``ConsentService.consent``."""
        return await _refusing(self._consents.consent(principal, consent_id))

    async def record_consent(
        self, principal: Principal, statement: ConsentStatement
    ) -> ConsentObject:
        """See ``ConsentService.record``."""
        return await _refusing(self._consents.record(principal, statement))

    async def record_spoken_consent(
        self, principal: Principal, name: str, language: str, recording: Upload
    ) -> ConsentObject:
        """See ``ConsentService.record_spoken``."""
        work = self._consents.record_spoken(principal, name, language, recording)
        return await self._with_models(work)

    async def rename_consent(
        self, principal: Principal, consent_id: str, name: str
    ) -> ConsentObject:
        """See ``ConsentService.rename``."""
        return await _refusing(self._consents.rename(principal, consent_id, name))

    async def delete_consent(self, principal: Principal, consent_id: str) -> ConsentDeleted:
        """See ``ConsentService.withdraw``."""
        return await _refusing(self._consents.withdraw(principal, consent_id))

    async def _with_models(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            self._need_models()
        except Refused:
            work.close()
            raise
        return await _refusing(work)

    def _need_models(self) -> None:
        state = self._readiness()
        if not state.ready:
            raise Refused(503, state.code, state.reason, retry_after_s=state.retry_after_s)


async def _refusing(work: Coroutine[Any, Any, T]) -> T:
    try:
        return await work
    except (VoicePeerError, EngineError) as error:
        raise refusal(error) from error

"""Which voice a session speaks with: the one its microphone teaches, or one that was chosen."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

import msgspec

from engines.api import Voice
from voicepeer.core.errors import ConsentNotFound, ConsentOfAnother, VoicePeerError
from voicepeer.core.messages import (
    Append,
    Cancel,
    EnrolStart,
    ServerMessage,
    Speak,
    VoiceRejected,
    VoiceSelected,
)
from voicepeer.core.mixture import holds
from voicepeer.listener import MadeVoice
from voicepeer.ports import SessionObserver
from voicepeer.session_state import SessionState
from voicepeer.speech import SpeechQueue
from voicepeer.voices import SessionVoices

logger = logging.getLogger(__name__)

LineT = TypeVar("LineT", Speak, Append)


class SpokenVoice:
    """Hands the queue its voice; ``stop_learning`` is called when what is learned may not be."""

    def __init__(
        self,
        voices: SessionVoices,
        speech: SpeechQueue,
        stop_learning: Callable[[], None],
        tell: Callable[[ServerMessage], None],
        observer: SessionObserver,
        session_id: str,
    ) -> None:
        self._voices = voices
        self._speech = speech
        self._stop_learning = stop_learning
        self._tell = tell
        self._observer = observer
        self._session_id = session_id
        self.may_stand_in = True
        """Whether a voice of the engine may speak; not after the one that spoke was deleted."""
        self.as_heard = True
        """Whether the voice being learned is the one to speak with, unless another is chosen."""

    async def begin(self, message: EnrolStart) -> str:
        """Speak with what is learned from now on; the id of that voice, see ``SessionVoices``."""
        voice_id = await self._voices.begin(message)
        self.as_heard = True
        return voice_id

    async def let_stand_in(self) -> None:
        """Until there is a voice, let the engine's for the language of each text say it."""
        if self.may_stand_in and self._speech.stand_in is None:
            self._speech.stand_in = await self._voices.stand_ins()

    async def use(self, key: str) -> VoiceSelected:
        """Speak with this voice, whatever is learned; raises as ``SessionVoices.find``."""
        found = await self._voices.find(key)
        self._speech.voice, self._speech.voice_id = found.voice, found.voice_id
        self.as_heard = False
        return VoiceSelected(voice_id=found.voice_id, name=found.name)

    async def cast(self, message: LineT) -> tuple[LineT, Voice | None]:
        """A message with the id of the voice that it names, and that voice; raises as ``use``."""
        if message.voice_id is None:
            return message, None
        found = await self._voices.find(message.voice_id)
        return msgspec.structs.replace(message, voice_id=found.voice_id), found.voice

    async def learned(self, made: MadeVoice) -> None:
        """Take what was just made from the microphone."""
        try:
            await self._voices.learned(
                made.voice_id,
                made.voice,
                made.embedding,
                made.quality,
                identity=made.identity,
                reference=made.reference,
            )
        except (ConsentNotFound, ConsentOfAnother) as error:
            self.forget(made.voice_id)
            self._stop_learning()
            self._tell(VoiceRejected(message=str(error), code=error.code))
            self._observer.voice_rejected("no_consent")
            return
        except VoicePeerError as error:
            logger.warning("session %s: its voice was not kept: %s", self._session_id, error)
        if self.as_heard:
            self._speech.voice, self._speech.voice_id = made.voice, made.voice_id

    def forget(self, voice_id: str) -> None:
        """A voice was deleted: if it is spoken with here, fall silent."""
        if self._voices.begun_id == voice_id:
            self._stop_learning()
        if self._voices.forget(voice_id) or holds(self._speech.voice_id, voice_id):
            self._speech.cancel(Cancel())
        if holds(self._speech.voice_id, voice_id):
            self._speech.voice = self._speech.voice_id = self._speech.stand_in = None
            # Whoever was promised this voice does not want to be heard in another one.
            self.may_stand_in = False

    def resume(self, state: SessionState, *, keep_voice: bool) -> None:
        """Go on as the session of the same client that was lost.

        With ``keep_voice`` the voice stays the one that has been chosen here.
        """
        self._voices.resume(state.voices)
        if keep_voice:
            return
        self._speech.voice, self._speech.voice_id = state.voice, state.rest.voice_id
        self.as_heard = state.speaks_as_heard
        self.may_stand_in = state.may_stand_in
        if not self.may_stand_in:
            self._speech.stand_in = None

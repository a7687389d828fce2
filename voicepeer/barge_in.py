"""Where hearing and speaking meet: somebody speaks, and we fall silent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, assert_never

from voicepeer.core.errors import PeerSentBadMessage
from voicepeer.core.listening.interruption import (
    InterruptionEvent,
    InterruptionSettings,
    UserBegan,
    UserEnded,
)
from voicepeer.core.messages import Cancel, ServerMessage, SessionConfigure, SessionConfigured
from voicepeer.core.rtvi import BotInterrupted, UserStartedSpeaking, UserStoppedSpeaking
from voicepeer.listener import Listener
from voicepeer.ports import SessionObserver
from voicepeer.speech import SpeechQueue

MIN_SPEECH_MS: Final = (100.0, 5_000.0)
"""What ``barge_in_min_ms`` may be: less is a cough, more is nobody's patience."""


@dataclass(frozen=True, slots=True)
class BargeIn:
    """Whether the user's speech interrupts ours, and from what length on."""

    on: bool = False
    min_speech_ms: float = 300.0


class Interrupter:
    """Has the listener listen for somebody, tells the client of them, and silences our speech."""

    def __init__(
        self,
        barge_in: BargeIn,
        listener: Listener,
        speech: SpeechQueue,
        emit: Callable[[ServerMessage], None],
        observer: SessionObserver,
    ) -> None:
        self.barge_in = barge_in
        """As it is now; ``use`` and ``configure`` change it."""
        self._listener = listener
        self._speech = speech
        self._emit = emit
        self._observer = observer
        self.use(barge_in)

    def use(self, barge_in: BargeIn) -> None:
        """Listen from now on as these settings say."""
        self.barge_in = barge_in
        wanted = InterruptionSettings(min_speech_ms=barge_in.min_speech_ms)
        self._listener.listen_for_user(wanted if barge_in.on else None)

    def configure(self, message: SessionConfigure) -> SessionConfigured:
        """Do what a client asks for; how things are now.

        Raises:
            PeerSentBadMessage: a value is out of range; nothing has changed.
        """
        now = self.barge_in
        on = now.on if message.barge_in is None else message.barge_in
        min_ms = now.min_speech_ms if message.barge_in_min_ms is None else message.barge_in_min_ms
        least, most = MIN_SPEECH_MS
        if not least <= min_ms <= most:
            raise PeerSentBadMessage(f"barge_in_min_ms is {least:.0f} to {most:.0f} milliseconds")
        if BargeIn(on, min_ms) != now:
            self.use(BargeIn(on, min_ms))
        return SessionConfigured(barge_in=on, barge_in_min_ms=min_ms)

    def on_user(self, event: InterruptionEvent) -> None:
        """Somebody has begun or ended to speak into the microphone, and it is not our echo."""
        match event:
            case UserBegan():
                self._emit(UserStartedSpeaking())
                if self._speech.speaking and not self._listener.needs_speech:
                    self._interrupt()
            case UserEnded():
                self._emit(UserStoppedSpeaking())
            case _:
                assert_never(event)

    def _interrupt(self) -> None:
        self._speech.cancel(Cancel())
        self._emit(BotInterrupted())
        self._observer.user_interrupted()

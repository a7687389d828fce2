"""Decides from speech probabilities and echo verdicts when somebody speaks, over us or in silence.

Knows no model: the shell scores windows and has the echo judged, and passes both in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from voicepeer.core.listening.echo import EchoVerdict

FORGET: Final = 0.5
"""How fast a window without foreign speech takes away what one with it has given."""


@dataclass(frozen=True, slots=True)
class InterruptionSettings:
    """When speech begins and ends.

    It begins after ``min_speech_ms`` of windows that started at or over ``on_threshold`` and
    stayed over ``off_threshold``; gaps take half of their length away. It ends after
    ``min_silence_ms`` without any.
    """

    on_threshold: float = 0.6
    off_threshold: float = 0.4
    min_speech_ms: float = 300.0
    min_silence_ms: float = 600.0


@dataclass(frozen=True, slots=True)
class UserBegan:
    """Somebody else than we speaks; ``at`` is when that became certain."""

    at: float


@dataclass(frozen=True, slots=True)
class UserEnded:
    """They are silent again; ``at`` is when that became certain."""

    at: float


InterruptionEvent: TypeAlias = UserBegan | UserEnded


class Interruption:
    """Follows one microphone window by window."""

    def __init__(self, settings: InterruptionSettings | None = None) -> None:
        self._settings = settings or InterruptionSettings()
        self._speech_ms = 0.0
        self._silence_ms = 0.0
        self._speaking = False

    @property
    def speaking(self) -> bool:
        """Whether somebody else has begun to speak and not ended."""
        return self._speaking

    def push(
        self, probability: float, verdict: EchoVerdict, window_ms: float, now: float
    ) -> list[InterruptionEvent]:
        """Take one window: how likely it is speech, and what it has of our echo."""
        if self._speaking:
            return self._continue(probability, verdict, window_ms, now)
        settings = self._settings
        needed = settings.off_threshold if self._speech_ms else settings.on_threshold
        if probability < needed or not verdict.foreign:
            self._speech_ms = max(0.0, self._speech_ms - FORGET * window_ms)
            return []
        self._speech_ms = min(settings.min_speech_ms, self._speech_ms + window_ms)
        if self._speech_ms < settings.min_speech_ms or not verdict.certain:
            return []
        self._speaking, self._silence_ms = True, 0.0
        return [UserBegan(now)]

    def _continue(
        self, probability: float, verdict: EchoVerdict, window_ms: float, now: float
    ) -> list[InterruptionEvent]:
        heard = probability >= self._settings.off_threshold and verdict.foreign
        self._silence_ms = 0.0 if heard else self._silence_ms + window_ms
        if self._silence_ms < self._settings.min_silence_ms:
            return []
        self._speaking, self._speech_ms = False, 0.0
        return [UserEnded(now)]

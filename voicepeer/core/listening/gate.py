"""Decides from speech probabilities when someone speaks, and which audio a voice may learn from.

Knows no model: the shell scores windows and passes the probability in.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from voicepeer.core.listening.quality import MIN_SNR_DB, SnrMeter, clipped_share
from voicepeer.core.pcm import LISTEN_RATE_HZ, SILENCE_DBFS, Pcm, level_dbfs

WINDOW_SAMPLES = 512
"""What the shell cuts the microphone into: one window of the voice activity model."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """When speech begins and ends, and what is kept from a voice.

    Speech begins after ``min_speech_ms`` without a window under ``off_threshold`` that started
    at or over ``on_threshold``; it ends after ``min_silence_ms`` under ``off_threshold``.
    """

    on_threshold: float = 0.5
    off_threshold: float = 0.35
    min_speech_ms: float = 96.0
    min_silence_ms: float = 320.0
    pad_ms: float = 64.0
    """Kept before and after voiced windows, so that soft consonants are not cut off."""
    echo_tail_ms: float = 256.0
    """After our own voice, its echo still comes in for this long."""
    min_snr_db: float = MIN_SNR_DB
    max_clipped_share: float = 0.01
    """Of one window."""


@dataclass(frozen=True, slots=True)
class SpeechBegan:
    """Someone speaks; ``at`` is the start of the first voiced window."""

    at: float


@dataclass(frozen=True, slots=True)
class SpeechEnded:
    """Nobody speaks any more; ``at`` is the end of the last voiced window."""

    at: float


@dataclass(frozen=True, slots=True)
class SpeechHeard:
    """Speech that a voice may be learned from; ``at`` is when the last sample came in."""

    at: float
    pcm: Pcm


WithheldReason: TypeAlias = Literal["own_voice", "clipped", "noisy"]


@dataclass(frozen=True, slots=True)
class SpeechWithheld:
    """Speech that a voice must not be learned from."""

    at: float
    reason: WithheldReason
    duration_s: float


GateEvent: TypeAlias = SpeechBegan | SpeechEnded | SpeechHeard | SpeechWithheld


class _Window(NamedTuple):
    pcm: Pcm
    echo: bool


class SpeechGate:
    """Turns windows and their speech probabilities into events; one per microphone."""

    def __init__(
        self,
        settings: GateSettings | None = None,
        *,
        window_samples: int = WINDOW_SAMPLES,
        rate_hz: int = LISTEN_RATE_HZ,
    ) -> None:
        self._settings = settings or GateSettings()
        self._window_samples = window_samples
        self._window_s = window_samples / rate_hz
        self._snr = SnrMeter(self._window_s)
        self._levels_db: deque[float] = deque(maxlen=self._windows(1_000.0))
        self._before: deque[_Window] = deque(maxlen=self._windows(self._settings.pad_ms))
        self._onset: list[_Window] = []
        self._quiet_windows = 0
        self._echo_until = float("-inf")
        self._speaking = False

    @property
    def speaking(self) -> bool:
        """Whether speech has begun and not ended."""
        return self._speaking

    @property
    def snr_db(self) -> float | None:
        """Speech over noise during the last seconds; ``None`` while unknown."""
        return self._snr.snr_db

    @property
    def level_dbfs(self) -> float:
        """Loudest window of the last second: near ``SILENCE_DBFS`` for a muted microphone."""
        return max(self._levels_db, default=SILENCE_DBFS)

    def push(
        self, window: Pcm, probability: float, now: float, *, own_voice: bool = False
    ) -> list[GateEvent]:
        """Take one window, its speech probability, and the time its last sample came in.

        ``own_voice`` says that our own speech was audible during the window: then speech is
        still noticed (someone may interrupt), but nothing of it is learned.
        """
        if window.shape != (self._window_samples,):
            raise ValueError(f"a window has {self._window_samples} samples, not {window.shape}")
        if own_voice:
            self._echo_until = now + self._settings.echo_tail_ms / 1000.0
        echo = now <= self._echo_until
        sane = np.nan_to_num(window, nan=0.0, posinf=1.0, neginf=-1.0)
        self._levels_db.append(level_dbfs(sane))
        if not echo:
            self._measure_noise(sane, probability)
        heard = _Window(sane, echo)
        if self._speaking:
            return self._continue(heard, probability, now)
        return self._listen(heard, probability, now)

    def _windows(self, duration_ms: float) -> int:
        return max(0, round(duration_ms / 1000.0 / self._window_s))

    def _measure_noise(self, window: Pcm, probability: float) -> None:
        if probability >= self._settings.on_threshold:
            self._snr.push(window, speech=True)
        elif probability < self._settings.off_threshold and not self._onset:
            self._snr.push(window, speech=False)

    def _listen(self, window: _Window, probability: float, now: float) -> list[GateEvent]:
        """Silence: wait for windows enough in a row that hold speech."""
        needed = self._settings.off_threshold if self._onset else self._settings.on_threshold
        if probability < needed:
            self._before.extend([*self._onset, window])
            self._onset.clear()
            return []
        self._onset.append(window)
        if len(self._onset) < self._windows(self._settings.min_speech_ms):
            return []
        began = SpeechBegan(now - len(self._onset) * self._window_s)
        events = self._judge([*self._before, *self._onset], now)
        self._before.clear()
        self._onset.clear()
        self._quiet_windows = 0
        self._speaking = True
        return [began, *events]

    def _continue(self, window: _Window, probability: float, now: float) -> list[GateEvent]:
        """Speech: pass it on; of a pause only its first and last ``pad_ms``."""
        if probability >= self._settings.off_threshold:
            kept = [*self._before, window]
            self._before.clear()
            self._quiet_windows = 0
            return self._judge(kept, now)
        self._quiet_windows += 1
        events: list[GateEvent] = []
        if self._quiet_windows <= self._windows(self._settings.pad_ms):
            events = self._judge([window], now)
        else:
            self._before.append(window)
        if self._quiet_windows >= self._windows(self._settings.min_silence_ms):
            self._speaking = False
            events.append(SpeechEnded(now - self._quiet_windows * self._window_s))
        return events

    def _judge(self, windows: list[_Window], now: float) -> list[GateEvent]:
        """Which of the windows may be learned from; neighbours of one verdict stay together."""
        snr_db = self.snr_db
        noisy = snr_db is not None and snr_db < self._settings.min_snr_db
        events: list[GateEvent] = []
        for window in windows:
            verdict: WithheldReason | None = None
            if window.echo:
                verdict = "own_voice"
            elif clipped_share(window.pcm) > self._settings.max_clipped_share:
                verdict = "clipped"
            elif noisy:
                verdict = "noisy"
            _append(events, window.pcm, verdict, now, self._window_s)
        return events


def _append(
    events: list[GateEvent],
    window: Pcm,
    verdict: WithheldReason | None,
    now: float,
    window_s: float,
) -> None:
    match (verdict, events[-1] if events else None):
        case (None, SpeechHeard(pcm=pcm)):
            events[-1] = SpeechHeard(now, np.concatenate([pcm, window]))
        case (None, _):
            events.append(SpeechHeard(now, window))
        case (reason, SpeechWithheld(reason=same, duration_s=duration_s)) if reason == same:
            events[-1] = SpeechWithheld(now, same, duration_s + window_s)
        case (reason, _):
            assert reason is not None
            events.append(SpeechWithheld(now, reason, window_s))

"""A call with a microphone that hears us, for tests of echoes and interruptions."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from engines.api import Pcm
from tests.clips import clip
from voicepeer.benches import echo_paths
from voicepeer.benches.echo_paths import EchoPath, at_speech_level
from voicepeer.core.listening.echo import EchoDetector, EchoVerdict
from voicepeer.core.listening.interruption import (
    Interruption,
    InterruptionSettings,
    UserBegan,
)
from voicepeer.core.pcm import FRAME_SAMPLES, LISTEN_RATE_HZ, WIRE_RATE_HZ, level_dbfs, to_pcm16

WINDOW_SAMPLES = 512
WINDOW_S = WINDOW_SAMPLES / LISTEN_RATE_HZ


@functools.cache
def speech(name: str, start_s: float, seconds: float) -> Pcm:
    """A stretch of a real speaker, 48 kHz, at a usual level."""
    whole = clip(name, WIRE_RATE_HZ)
    return at_speech_level(
        whole[int(start_s * WIRE_RATE_HZ) : int((start_s + seconds) * WIRE_RATE_HZ)]
    )


def echo_of(pcm: Pcm, delay_ms: float, gain_db: float, rt60_s: float) -> Pcm:
    """What comes back of it, 48 kHz."""
    return EchoPath(delay_ms, gain_db, rt60_s).play(pcm)


def microphone(seconds: float, parts: Sequence[tuple[float, Pcm]]) -> Pcm:
    """Sounds by the time at which they begin, in noise; 16 kHz, without codecs, which is quick."""
    mixed = echo_paths.microphone(seconds, parts)
    return np.asarray(mixed[: mixed.size // 3 * 3].reshape(-1, 3).mean(axis=1), dtype=np.float32)


@dataclass
class Call:
    """Our speech and a microphone, window by window; speech is whatever is loud enough."""

    ours: Pcm
    detector: EchoDetector = field(default_factory=EchoDetector)
    jitter_ms: float = 0.0
    _sent: int = 0
    _heard_s: float = 0.0

    def __post_init__(self) -> None:
        self.interruption = Interruption(InterruptionSettings(min_speech_ms=300.0))
        self.began_s: list[float] = []
        self._chance = np.random.default_rng(5)

    def hear(self, pcm: Pcm) -> Iterator[EchoVerdict]:
        """Let time pass for as long as the microphone gave something."""
        for start in range(0, pcm.size // WINDOW_SAMPLES * WINDOW_SAMPLES, WINDOW_SAMPLES):
            window = pcm[start : start + WINDOW_SAMPLES]
            self._heard_s += WINDOW_S
            self._send_until(self._heard_s + self._chance.uniform(-1, 1) * self.jitter_ms / 1000)
            verdict = self.detector.heard(window)
            probability = 0.95 if level_dbfs(window) > -48.0 else 0.02
            for event in self.interruption.push(
                probability, verdict, 1000 * WINDOW_S, self._heard_s
            ):
                if isinstance(event, UserBegan):
                    self.began_s.append(event.at)
            yield verdict

    def hear_all(self, pcm: Pcm) -> list[EchoVerdict]:
        """All verdicts on what the microphone gave."""
        return list(self.hear(pcm))

    def _send_until(self, now_s: float) -> None:
        while (self._sent + 1) * FRAME_SAMPLES <= now_s * WIRE_RATE_HZ:
            start = self._sent * FRAME_SAMPLES
            frame = self.ours[start : start + FRAME_SAMPLES]
            whole = np.zeros(FRAME_SAMPLES, np.float32)
            whole[: frame.size] = frame
            self.detector.sent(to_pcm16(whole))
            self._sent += 1

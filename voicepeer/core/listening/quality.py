"""How good a recording of speech is to clone from, in numbers and in one hint for a person."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from voicepeer.core.pcm import LISTEN_RATE_HZ, SILENCE_DBFS, Pcm, level_dbfs

CLIP_LEVEL = 0.985
"""Samples at or above this magnitude count as clipped; lossy codecs blur the edge at 1.0."""

MIN_SNR_DB = 20.0
"""Below this the noise becomes part of the voice, so the audio is not learned from."""

_COARSE_PEAK = 0.1
"""Below this peak an 8-bit recording has so few steps that many samples share the highest."""

_FRAME = 512
_FLOOR_PERCENTILE = 20
_BAND_HZ = 250
_BAND_RANGE_DB = 55.0
HINT_BELOW = 0.7
"""Score of an aspect under which a person is told."""

QualityFault: TypeAlias = Literal["too_quiet", "noisy", "clipping", "muffled"]
"""What a hint is about, for programs and for other languages."""

_FAULTS: dict[str, QualityFault] = {
    "level_dbfs": "too_quiet",
    "snr_db": "noisy",
    "clipped_share": "clipping",
    "bandwidth_hz": "muffled",
}


class SnrMeter:
    """Ratio of speech to noise over the last seconds, from the levels of single windows.

    The noise floor is the 20th percentile of windows without speech: for steady noise that is
    within 1 dB of its level, and the fading tails of words do not raise it.
    """

    def __init__(self, window_s: float, memory_s: float = 5.0) -> None:
        windows = max(1, round(memory_s / window_s))
        self._noise_db: deque[float] = deque(maxlen=windows)
        self._speech_power: deque[float] = deque(maxlen=windows)

    def push(self, window: Pcm, *, speech: bool) -> None:
        """Count one window as speech or as noise."""
        level_db = level_dbfs(window)
        if speech:
            self._speech_power.append(10.0 ** (level_db / 10.0))
        else:
            self._noise_db.append(level_db)

    @property
    def noise_dbfs(self) -> float | None:
        """Noise floor, ``None`` before half a second of it was heard."""
        if len(self._noise_db) < min(16, self._noise_db.maxlen or 16):
            return None
        return sorted(self._noise_db)[len(self._noise_db) * _FLOOR_PERCENTILE // 100]

    @property
    def snr_db(self) -> float | None:
        """Level of speech over the noise that is in it; ``None`` while either is unknown."""
        noise_db = self.noise_dbfs
        if noise_db is None or not self._speech_power:
            return None
        noise = 10.0 ** (noise_db / 10.0)
        speech = sum(self._speech_power) / len(self._speech_power)
        return 10.0 * math.log10(max(speech - noise, 1e-12) / noise)


def clipped_share(pcm: Pcm, clip_level: float = CLIP_LEVEL) -> float:
    """Share of samples at or above ``clip_level``, 0 to 1."""
    if pcm.size == 0:
        return 0.0
    return float(np.mean(np.abs(pcm) >= clip_level))


@dataclass(frozen=True, slots=True)
class Aspect:
    """One property of a recording; ``score`` is 0 (useless) to 1, ``hint`` what to do about it."""

    name: str
    value: float | None
    """In the unit that the name tells; ``None`` if it could not be measured."""
    score: float
    hint: str


@dataclass(frozen=True, slots=True)
class Quality:
    """What was measured on speech, and what it means for a clone.

    ``score`` is 0 (useless) to 1 (nothing to improve); ``hint`` names the worst fault and what to
    do about it, or is ``None`` when there is none worth mentioning.
    """

    level_dbfs: float
    snr_db: float | None
    clipped_share: float
    bandwidth_hz: float
    score: float
    hint: str | None
    fault: QualityFault | None = None
    """What the hint is about."""

    @property
    def aspects(self) -> tuple[Aspect, ...]:
        """What the score is made of."""
        return _aspects(self.level_dbfs, self.snr_db, self.clipped_share, self.bandwidth_hz)


class QualityMeter:
    """Measures speech as it comes; memory does not grow with its length."""

    def __init__(self, rate_hz: int = LISTEN_RATE_HZ, clip_level: float = CLIP_LEVEL) -> None:
        self._rate_hz = rate_hz
        self._clip_level = clip_level
        self._samples = 0
        self._power = 0.0
        self._clipped = 0.0
        self._spectrum: NDArray[np.float64] = np.zeros(_FRAME // 2 + 1)
        self._rest: Pcm = np.zeros(0, dtype=np.float32)
        self._window = np.hanning(_FRAME)

    def push(self, speech: Pcm) -> None:
        """Count more speech."""
        self._samples += speech.size
        self._power += float(np.sum(np.square(speech, dtype=np.float64)))
        self._clipped += clipped_share(speech, self._clip_level) * speech.size
        joined = np.concatenate([self._rest, speech])
        whole = joined.size - joined.size % _FRAME
        frames = joined[:whole].reshape(-1, _FRAME) * self._window
        self._spectrum += np.sum(np.square(np.abs(np.fft.rfft(frames, axis=1))), axis=0)
        self._rest = joined[whole:]

    def report(self, snr_db: float | None = None) -> Quality:
        """Quality of everything pushed so far; ``snr_db`` comes from an ``SnrMeter``."""
        count = max(1, self._samples)
        level = max(SILENCE_DBFS, 10.0 * float(np.log10(self._power / count + 1e-12)))
        clipped = self._clipped / count
        bandwidth = bandwidth_hz(self._spectrum, self._rate_hz)
        aspects = _aspects(level, snr_db, clipped, bandwidth)
        worst = min(aspects, key=lambda aspect: aspect.score)
        return Quality(
            level_dbfs=level,
            snr_db=snr_db,
            clipped_share=clipped,
            bandwidth_hz=bandwidth,
            score=float(np.prod([aspect.score for aspect in aspects])),
            hint=worst.hint if worst.score < HINT_BELOW else None,
            fault=_FAULTS[worst.name] if worst.score < HINT_BELOW else None,
        )


def assess(speech: Pcm, rate_hz: int = LISTEN_RATE_HZ, snr_db: float | None = None) -> Quality:
    """Quality of a whole recording with its silence removed.

    Clipping is noticed even if the recording was turned down after it: natural speech seldom
    comes near its own peak.
    """
    peak = float(np.max(np.abs(speech), initial=0.0))
    clip_level = CLIP_LEVEL * min(1.0, peak) if peak > _COARSE_PEAK else CLIP_LEVEL
    meter = QualityMeter(rate_hz, clip_level)
    meter.push(speech)
    return meter.report(snr_db)


def bandwidth_hz(spectrum: NDArray[np.float64], rate_hz: int) -> float:
    """Upper edge of the highest 250 Hz band within 55 dB of the strongest one.

    ``spectrum`` is power over ``[0, rate_hz / 2]``. A telephone line ends below 4 kHz.
    """
    nyquist_hz = rate_hz / 2
    bands = max(1, round(nyquist_hz / _BAND_HZ))
    edges = np.linspace(0, spectrum.size, bands + 1).astype(int)[:-1]
    power = np.add.reduceat(spectrum, edges)
    heard = np.flatnonzero(power > power.max() * 10.0 ** (-_BAND_RANGE_DB / 10.0))
    return 0.0 if heard.size == 0 else float(heard[-1] + 1) * nyquist_hz / bands


def _aspects(
    level: float, snr_db: float | None, clipped: float, bandwidth: float
) -> tuple[Aspect, ...]:
    """Score and hint of each aspect; the knees are where a listener begins to mind."""
    snr = 60.0 if snr_db is None else snr_db
    return (
        Aspect(
            "level_dbfs",
            level,
            ramp(level, -50.0, -35.0),
            "too quiet: come closer to the microphone",
        ),
        Aspect(
            "snr_db",
            snr_db,
            ramp(snr, 5.0, 30.0),
            "too much background noise: find a quieter place",
        ),
        Aspect(
            "clipped_share",
            clipped,
            ramp(-clipped, -0.02, -0.001),
            "too loud: turn the microphone down or step back",
        ),
        Aspect(
            "bandwidth_hz",
            bandwidth,
            ramp(bandwidth, 1_000.0, 6_000.0),
            "muffled: use a microphone with a wider band",
        ),
    )


def ramp(value: float, worst: float, best: float) -> float:
    """0 at ``worst`` and below, 1 at ``best`` and above."""
    return float(np.clip((value - worst) / (best - worst), 0.0, 1.0))

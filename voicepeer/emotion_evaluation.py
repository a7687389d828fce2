"""What each emotion does to speech, measured: tempo, melody, level, words and predicted quality.

Every figure compares the same voice saying the same text neutrally. Runs in this process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engines import registry
from engines.api import SpeechEngine
from engines.build.quality import QualityModelMissing, dnsmos
from engines.pitch import semitones, track_pitch
from engines.progress import Progress
from engines.resampling import resample
from voicepeer.audio import write_wav
from voicepeer.core.errors import ConfigInvalid
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm, level_dbfs
from voicepeer.core.speaking.delivery import Delivery
from voicepeer.core.speaking.emotion import NEUTRAL, RECIPES
from voicepeer.core.speaking.order import Order
from voicepeer.evaluation import TEXTS
from voicepeer.offline import speak
from voicepeer.words import RecogniserMissing, keyword_check

EMOTIONS = tuple(name for name in RECIPES if name != NEUTRAL)
VOICES = ("af_heart", "am_michael", "bf_emma", "bm_george")
"""Women and men, American and British; the recogniser of words knows English only."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """Figures of one take."""

    duration_s: float
    f0_hz: float
    spread_semitones: float
    voiced: float
    """Share of frames with a voice."""
    level_dbfs: float
    words: float | None
    dnsmos: float | None


@dataclass(frozen=True, slots=True)
class Effect:
    """Mean over the voices of what an emotion changes against neutral speech."""

    emotion: str
    duration: float
    """Factor on the length."""
    f0_semitones: float
    spread: float
    """Factor on the spread of F0."""
    voiced: float
    """Factor on the share of voiced frames."""
    level_db: float
    words: float | None
    """Difference in the share of words that are heard."""
    dnsmos: float | None
    """Difference in DNSMOS overall."""


def run(
    voices: Sequence[str],
    strength: float,
    report: Path | None,
    progress: Progress,
    emotions: Sequence[str] = EMOTIONS,
) -> dict[str, Any]:
    """Speak and measure; the result is what ``--json`` prints.

    Raises:
        ConfigInvalid: an unknown voice or emotion.
        EngineError: the engine cannot be loaded.
    """
    progress("loading models", 0.0)
    engine = registry.create_speech("kokoro", {})
    progress("loading models", 1.0)
    unknown = sorted(set(voices) - set(engine.stock_voices()))
    if unknown:
        raise ConfigInvalid(f"there is no stock voice {unknown[0][:64]!r}")
    unknown = sorted(set(emotions) - set(EMOTIONS))
    if unknown:
        raise ConfigInvalid(f"there is no emotion {unknown[0][:64]!r}, only {', '.join(EMOTIONS)}")
    notes: dict[str, str] = {}
    takes: dict[tuple[str, str], Spoken] = {}
    for index, emotion in enumerate((NEUTRAL, *emotions)):
        progress("speaking", index / (1 + len(emotions)))
        for voice in voices:
            pcm = _say(engine, voice, emotion, strength)
            takes[emotion, voice] = measure(pcm, " ".join(TEXTS), notes)
            if report is not None:
                report.mkdir(parents=True, exist_ok=True)
                write_wav(report / f"{voice}.{emotion}.wav", pcm, LISTEN_RATE_HZ)
    progress("speaking", 1.0)
    rows = [
        effect(emotion, [(takes[emotion, v], takes[NEUTRAL, v]) for v in voices])
        for emotion in emotions
    ]
    return {
        "voices": list(voices),
        "strength": strength,
        "emotions": [asdict(row) for row in rows],
        "notes": notes,
    }


def _say(engine: SpeechEngine, voice: str, emotion: str, strength: float) -> Pcm:
    order = Order(delivery=Delivery(emotion=emotion, emotion_strength=strength))
    chosen = engine.stock_voices()[voice]
    parts = [speak(text, chosen, engine, order) for text in TEXTS]
    return np.concatenate([resample(one.pcm, one.rate_hz, LISTEN_RATE_HZ) for one in parts])


def measure(pcm16k: Pcm, text: str, notes: dict[str, str]) -> Spoken:
    """Figures of speech, mono at 16 kHz, that says ``text``; what is missing gets a note."""
    track = track_pitch(pcm16k)
    words = quality = None
    try:
        words = keyword_check(pcm16k, text)
    except RecogniserMissing as error:
        notes["words"] = str(error)
    try:
        quality = dnsmos(pcm16k, LISTEN_RATE_HZ)
    except QualityModelMissing as error:
        notes["dnsmos"] = str(error)
    return Spoken(
        duration_s=pcm16k.size / LISTEN_RATE_HZ,
        f0_hz=track.median_hz or 0.0,
        spread_semitones=track.spread_semitones,
        voiced=float((track.f0_hz > 0.0).mean()) if track.f0_hz.size else 0.0,
        level_dbfs=level_dbfs(pcm16k),
        words=words,
        dnsmos=quality,
    )


def effect(emotion: str, pairs: Sequence[tuple[Spoken, Spoken]]) -> Effect:
    """What an emotion changed, from pairs of an emotional and a neutral take of each voice."""
    return Effect(
        emotion=emotion,
        duration=_mean([own.duration_s / base.duration_s for own, base in pairs]),
        f0_semitones=_mean(
            [semitones(own.f0_hz, base.f0_hz) for own, base in pairs if own.f0_hz and base.f0_hz]
        ),
        spread=_mean(
            [own.spread_semitones / max(base.spread_semitones, 1e-6) for own, base in pairs]
        ),
        voiced=_mean([own.voiced / max(base.voiced, 1e-6) for own, base in pairs]),
        level_db=_mean([own.level_dbfs - base.level_dbfs for own, base in pairs]),
        words=_difference([(own.words, base.words) for own, base in pairs]),
        dnsmos=_difference([(own.dnsmos, base.dnsmos) for own, base in pairs]),
    )


def _difference(pairs: Sequence[tuple[float | None, float | None]]) -> float | None:
    known = [own - base for own, base in pairs if own is not None and base is not None]
    return _mean(known) if known else None


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0

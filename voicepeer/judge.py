"""How a returned voice sounds: like its speaker, like the nearest stock voice, and how clean.

Each figure comes with the reason when it could not be had.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from engines.api import EngineError, SpeakerEncoder, SpeechEngine
from engines.build.quality import dnsmos
from voicepeer.audio import resample
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm
from voicepeer.offline import speak

MIN_JUDGED_S = 0.5
PROBE_TEXT = "This is how I sound."
"""Said by every stock voice to find the nearest."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Cosines between speaker embeddings, and DNSMOS overall (1 to 5); ``None`` has a note."""

    similarity: float | None
    stock_similarity: float | None
    dnsmos: float | None
    stock_name: str | None = None
    notes: Mapping[str, str] = field(default_factory=dict)


def judge(
    mic: Pcm, returned: Pcm, text: str, encoder: SpeakerEncoder, engine: SpeechEngine
) -> Judgement:
    """Judge speech that came back, both mono at 16 kHz.

    ``stock_similarity`` is that of the stock voice nearest to the microphone, saying the same
    text; what a listener would get without cloning.
    """
    notes: dict[str, str] = {}
    similarity = stock = name = None
    if returned.size < MIN_JUDGED_S * LISTEN_RATE_HZ:
        notes["similarity"] = f"under {MIN_JUDGED_S} s came back"
        notes["stock_similarity"] = notes["similarity"]
    else:
        speaker = encoder.embed(mic)
        similarity = cosine(speaker, encoder.embed(returned))
        try:
            name, stock = _nearest_stock(speaker, text, encoder, engine)
        except EngineError as error:
            notes["stock_similarity"] = str(error)
    quality = _dnsmos(returned, notes)
    return Judgement(similarity, stock, quality, name, notes)


def cosine(a: Pcm, b: Pcm) -> float:
    """Cosine of the angle between two embeddings."""
    return float(np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b)))


def _nearest_stock(
    speaker: Pcm, text: str, encoder: SpeakerEncoder, engine: SpeechEngine
) -> tuple[str, float]:
    def likeness(name: str, said: str) -> float:
        spoken = speak(said, engine.stock_voices()[name], engine)
        pcm = resample(spoken.pcm, spoken.rate_hz, LISTEN_RATE_HZ)
        return cosine(speaker, encoder.embed(pcm))

    names = list(engine.stock_voices())
    if not names:
        raise EngineError("the engine has no stock voices")
    nearest = max(names, key=lambda name: likeness(name, PROBE_TEXT))
    return nearest, likeness(nearest, text)


def _dnsmos(pcm: Pcm, notes: dict[str, str]) -> float | None:
    try:
        return dnsmos(pcm, LISTEN_RATE_HZ)
    except (EngineError, ValueError) as error:
        notes["dnsmos"] = str(error)
        return None

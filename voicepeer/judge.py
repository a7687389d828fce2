"""How a returned voice sounds: like its speaker, like the nearest stock voice, and how clean.

Each figure comes with the reason when it could not be had.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engines.api import Embedding, EngineError, SpeakerEncoder, SpeechEngine
from engines.build.quality import dnsmos
from engines.progress import Progress, no_progress
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm
from voicepeer.stock import nearest_stock, say_as_stock

MIN_JUDGED_S = 0.5


@dataclass(frozen=True, slots=True)
class Judgement:
    """Cosines between speaker embeddings, and DNSMOS overall (1 to 5); ``None`` has a note."""

    similarity: float | None
    stock_similarity: float | None
    dnsmos: float | None
    stock_name: str | None = None
    notes: Mapping[str, str] = field(default_factory=dict)


def judge(
    mic: Pcm,
    returned: Pcm,
    text: str,
    engine: SpeechEngine,
    encoder: SpeakerEncoder,
    cache: Path,
    progress: Progress = no_progress,
) -> Judgement:
    """Judge speech that came back, both mono at 16 kHz.

    ``stock_similarity`` is that of the stock voice nearest to the microphone, saying the same
    text; what a listener would get without cloning. ``cache`` is for ``voicepeer.stock``.
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
            name = nearest_stock(speaker, engine, encoder, cache, progress)
            stock = cosine(speaker, say_as_stock(name, text, engine, encoder))
        except EngineError as error:
            notes["stock_similarity"] = str(error)
    return Judgement(similarity, stock, _dnsmos(returned, notes), name, notes)


def cosine(a: Embedding, b: Embedding) -> float:
    """Cosine of the angle between two embeddings."""
    return float(np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b)))


def _dnsmos(pcm: Pcm, notes: dict[str, str]) -> float | None:
    try:
        return dnsmos(pcm, LISTEN_RATE_HZ)
    except (EngineError, ValueError) as error:
        notes["dnsmos"] = str(error)
        return None

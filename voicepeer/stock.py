"""Which stock voice of an engine sounds most like a speaker; what listening found is kept."""

from __future__ import annotations

import contextlib
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engines import atomic
from engines.api import Embedding, EngineError, SpeakerEncoder, SpeechEngine
from engines.progress import Progress, no_progress
from voicepeer.audio import resample
from voicepeer.offline import speak

SHIPPED = Path(__file__).parent / "data"
"""Made on first use, as for any engine, and copied here from the cache."""

PROBE_TEXT = "This is how I sound."
"""Said by every stock voice to be heard by the encoder."""


def nearest_stock(
    speaker: Embedding,
    engine: SpeechEngine,
    encoder: SpeakerEncoder,
    cache: Path,
    progress: Progress = no_progress,
) -> str:
    """Name of the stock voice whose embedding has the largest cosine to ``speaker``.

    Listening to all of them takes minutes for a real engine, so what was heard of the default
    engine's voices ships with the package, and that of others is kept in the folder ``cache``.

    Raises:
        EngineError: the engine has no stock voices.
    """
    voices = engine.stock_voices()
    if not voices:
        raise EngineError(f"{engine.info.name} has no stock voices")
    info = engine.info
    name = f"stock-{info.name}-{info.version}-{encoder.name}.npz"
    candidates = (_read(SHIPPED / name), _read(cache / name))
    heard = next((found for found in candidates if set(found) == set(voices)), None)
    if heard is None:
        heard = listen(engine, encoder, progress)
        write(cache / name, heard)
    return nearest(speaker, heard)


def nearest(speaker: Embedding, heard: Mapping[str, Embedding]) -> str:
    """Name of the voice whose embedding has the largest cosine to ``speaker``."""
    return max(heard, key=lambda name: float(np.dot(heard[name], speaker)))


def say_as_stock(name: str, text: str, engine: SpeechEngine, encoder: SpeakerEncoder) -> Embedding:
    """Embedding of a text in a stock voice."""
    spoken = speak(text, engine.stock_voices()[name], engine)
    return encoder.embed(resample(spoken.pcm, spoken.rate_hz, encoder.sample_rate_hz))


def listen(
    engine: SpeechEngine,
    encoder: SpeakerEncoder,
    progress: Progress,
    text: str = PROBE_TEXT,
) -> dict[str, Embedding]:
    """What the encoder hears of each stock voice when it says ``text``."""
    names = list(engine.stock_voices())
    heard = {}
    for number, name in enumerate(names):
        progress("listening to the stock voices", number / len(names))
        heard[name] = say_as_stock(name, text, engine, encoder)
    progress("listening to the stock voices", 1.0)
    return heard


def _read(path: Path) -> Mapping[str, NDArray[np.float32]]:
    """What was kept; nothing if there is no such file or it cannot be read."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            return {name: np.asarray(stored[name], dtype=np.float32) for name in stored.files}
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
        return {}


def write(path: Path, heard: Mapping[str, Embedding]) -> None:
    """Keep what was heard; where that is not possible it is heard again the next time."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic.writing(path) as file:
            np.savez(file, **heard)  # type: ignore[arg-type]

"""Which stock voice of an engine sounds most like a speaker; what listening found is kept."""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engines.api import Embedding, EngineError, SpeakerEncoder, SpeechEngine
from voicepeer.audio import resample
from voicepeer.offline import speak

Progress: TypeAlias = Callable[[str, float], None]

SHIPPED = Path(__file__).parent / "data"
"""Made on first use, as for any engine, and copied here from the cache."""

PROBE_TEXT = "This is how I sound."
"""Said by every stock voice to be heard by the encoder."""


def nearest_stock(
    speaker: Embedding,
    engine: SpeechEngine,
    encoder: SpeakerEncoder,
    cache: Path,
    progress: Progress = lambda _what, _share: None,
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
    return max(heard, key=lambda name: float(np.dot(heard[name], speaker)))


def say_as_stock(name: str, text: str, engine: SpeechEngine, encoder: SpeakerEncoder) -> Embedding:
    """Embedding of a text in a stock voice."""
    spoken = speak(text, engine.stock_voices()[name], engine)
    return encoder.embed(resample(spoken.pcm, spoken.rate_hz, encoder.sample_rate_hz))


def listen(
    engine: SpeechEngine, encoder: SpeakerEncoder, progress: Progress
) -> dict[str, Embedding]:
    """What the encoder hears of each stock voice."""
    names = list(engine.stock_voices())
    heard = {}
    for number, name in enumerate(names):
        progress("listening to the stock voices, once", number / len(names))
        heard[name] = say_as_stock(name, PROBE_TEXT, engine, encoder)
    progress("listening to the stock voices, once", 1.0)
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
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            np.savez(file, **heard)  # type: ignore[arg-type]
        os.replace(scratch, path)
    except OSError:
        return

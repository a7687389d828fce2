"""Which stock voice of an engine sounds most like a speaker; what listening found is kept.

``python -m voicepeer.stock`` listens to the default engine's voices again and writes what ships.
"""

from __future__ import annotations

import contextlib
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engines import atomic
from engines.api import Embedding, EngineError, SpeakerEncoder, SpeechEngine, Voice
from engines.progress import Progress, no_progress
from engines.resampling import resample
from voicepeer.offline import speak

SHIPPED = Path(__file__).parent / "data"
"""What ``python -m voicepeer.stock`` heard of the default engine's voices."""

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

    Raises:
        EngineError: the engine has no stock voices.
    """
    return nearest(speaker, heard_stock(engine, encoder, cache, progress))


def heard_stock(
    engine: SpeechEngine, encoder: SpeakerEncoder, cache: Path, progress: Progress = no_progress
) -> Mapping[str, Embedding]:
    """Embedding of each stock voice of an engine.

    Listening to all of them takes minutes for a real engine, so what was heard of the default
    engine's voices ships with the package, and that of others is kept in the folder ``cache``.

    Raises:
        EngineError: the engine has no stock voices.
    """
    voices = engine.stock_voices()
    if not voices:
        raise EngineError(f"{engine.info.name} has no stock voices")
    name = file_name(engine, encoder)
    wanted = fingerprints(voices)
    for folder in (SHIPPED, cache):
        if (kept := read(folder / name, wanted)) is not None:
            return kept
    heard = listen(engine, encoder, progress)
    write(cache / name, heard, wanted)
    return heard


def file_name(engine: SpeechEngine, encoder: SpeakerEncoder) -> str:
    """Where what was heard of an engine's voices is kept."""
    return f"stock-{engine.info.name}-{engine.info.version}-{encoder.name}.npz"


def fingerprints(voices: Mapping[str, Voice]) -> dict[str, NDArray[np.float32]]:
    """Mean and root mean square of each array of a voice: what was heard holds while they do.

    No hash, because the last bits of a voice may differ from processor to processor.
    """
    found = {}
    for name, voice in voices.items():
        arrays = [voice.arrays[key].astype(np.float64) for key in sorted(voice.arrays)]
        numbers = [(np.mean(one), np.sqrt(np.mean(np.square(one)))) for one in arrays if one.size]
        found[name] = np.array(numbers, dtype=np.float32).ravel()
    return found


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


def read(path: Path, wanted: Mapping[str, NDArray[np.float32]]) -> Mapping[str, Embedding] | None:
    """What was kept; nothing if it cannot be read, or if these are other voices."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            heard, prints = stored["embeddings"], stored["fingerprints"]
            names = [str(name) for name in stored["names"]]
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
        return None
    found = dict(zip(names, prints, strict=False))
    if found.keys() != wanted.keys() or len(heard) != len(names):
        return None
    same = (
        found[name].shape == one.shape and np.allclose(found[name], one, rtol=1e-3, atol=1e-5)
        for name, one in wanted.items()
    )
    return dict(zip(names, heard.astype(np.float32), strict=True)) if all(same) else None


def write(
    path: Path, heard: Mapping[str, Embedding], prints: Mapping[str, NDArray[np.float32]]
) -> None:
    """Keep what was heard; where that is not possible it is heard again the next time."""
    names = list(heard)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic.writing(path) as file:
            np.savez(
                file,
                names=np.array(names),
                embeddings=np.stack([heard[name] for name in names]),
                fingerprints=np.stack([prints[name] for name in names]),
            )


def main(folder: Path = SHIPPED) -> int:
    """Listen to the default engine's voices; minutes."""
    from engines import registry
    from voicepeer.console import Progress as Shown

    engine = registry.create_speech("kokoro", {})
    encoder = registry.create_encoder("ge2e", {})
    with Shown() as progress:
        heard = listen(engine, encoder, progress)
    write(folder / file_name(engine, encoder), heard, fingerprints(engine.stock_voices()))
    return 0


if __name__ == "__main__":
    sys.exit(main())

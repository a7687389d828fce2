"""A judge of voices of another kind than the encoder that clones are fitted with.

Statistics of the mel cepstrum (Davis and Mermelstein 1980), and linear discriminants of them
(R. A. Fisher 1936) that tell voices apart whatever they say and whatever they are heard through.
The discriminants were learned from voices that Kokoro spoke and nobody has, each through several
random microphones, rooms and lines (``python -m voicepeer.judge_training``). No real speaker and
no part of cloning was involved, and nothing is fitted to please it.
"""

from __future__ import annotations

import functools
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engines.build.quality import log_mel
from engines.model_files import read_model
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm

COEFFICIENTS = 20
PRINT_SIZE = 5 * COEFFICIENTS

MODEL_FILE = Path(__file__).parent / "data" / "judge.npz"
MODEL_SHA256 = "7250d259d46bdd7a7f83a217bb94a419e039e4f18d6860b71818caeb0fc56492"
"""Of the file that ``python -m voicepeer.judge_training`` made."""

_QUIET_DB = 30.0
_LIFT = 30.0
"""RMS that speech is brought to, so far up that its quietest bands clear the mel floor."""

_TAILS = (20.0, 80.0)
_STEP = 2
"""Frames over which a coefficient's movement is taken, 32 ms."""

Print = NDArray[np.float64]


def voice_print(pcm: Pcm) -> Print:
    """Statistics of coefficients 1 to 20 over the louder frames, shape ``[PRINT_SIZE]``.

    Mean, deviation, the lower and the upper fifth, and deviation of the movement. ``pcm`` is mono
    at 16 kHz, at least 0.2 s. Coefficient 0, the level, is left out.
    """
    rms = float(np.sqrt(np.mean(np.square(pcm, dtype=np.float64))))
    lifted = np.asarray(pcm * (_LIFT / max(rms, 1e-6)), dtype=np.float32)
    levels = log_mel(lifted, LISTEN_RATE_HZ)
    loudness = levels.mean(axis=1)
    spoken = levels[loudness > loudness.max() - _QUIET_DB]
    bands = levels.shape[1]
    order = np.arange(1, COEFFICIENTS + 1)[:, None]
    cosines = np.cos(np.pi * order * (np.arange(bands) + 0.5) / bands) * np.sqrt(2.0 / bands)
    cepstrum = spoken @ cosines.T
    moved = cepstrum[_STEP:] - cepstrum[:-_STEP] if len(cepstrum) > _STEP else cepstrum[:1] * 0.0
    low, high = np.percentile(cepstrum, _TAILS, axis=0)
    return np.concatenate(
        [cepstrum.mean(axis=0), cepstrum.std(axis=0), low, high, moved.std(axis=0)]
    )


@dataclass(frozen=True, slots=True)
class Judge:
    """Tells how alike two voice prints are.

    ``mean`` and ``scale`` are ``[PRINT_SIZE]``, ``discriminants`` is ``[PRINT_SIZE, n]``.
    """

    mean: Print
    scale: Print
    discriminants: NDArray[np.float64]

    def direction(self, one: Print) -> NDArray[np.float64]:
        """Where a voice lies among all, of length 1, shape ``[n]``."""
        seen = ((one - self.mean) / self.scale) @ self.discriminants
        return np.asarray(seen / max(float(np.linalg.norm(seen)), 1e-12))

    def likeness(self, one: Print, other: Print) -> float:
        """Cosine of two voices' directions, -1 to 1."""
        return float(self.direction(one) @ self.direction(other))


@functools.cache
def trained_judge() -> Judge:
    """The judge that ships.

    Raises:
        ModelFilesMissing, ModelFilesCorrupt: the installation is incomplete.
    """
    with np.load(io.BytesIO(read_model(MODEL_FILE, MODEL_SHA256)), allow_pickle=False) as file:
        return Judge(*(file[name].astype(np.float64) for name in Judge.__dataclass_fields__))

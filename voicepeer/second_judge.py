"""A judge of voices that took no part in cloning: long-term statistics of the cepstrum.

Mel-frequency cepstral coefficients (Davis and Mermelstein 1980) hold the vocal tract's shape;
their mean and spread over an utterance is the oldest text-independent picture of a speaker. It
is weaker than a trained encoder and hears the channel too, but nothing was fitted to please it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engines.build.quality import log_mel
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm

COEFFICIENTS = 20
MIN_SPEAKERS = 5
"""With fewer, the spread over speakers is not known well enough to scale by."""

_QUIET_DB = 30.0
_SHARED = 0.05
_LIFT = 30.0
"""RMS that speech is brought to, so far up that its quietest bands clear the mel floor."""

Print = NDArray[np.float64]


def voice_print(pcm: Pcm) -> Print:
    """Mean and deviation of coefficients 1 to 20 over the louder frames, shape ``[40]``.

    ``pcm`` is mono at 16 kHz. Coefficient 0, the level, is left out.
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
    return np.concatenate([cepstrum.mean(axis=0), cepstrum.std(axis=0)])


class CepstralJudge:
    """Likeness on the scale of how much people differ."""

    def __init__(self, speakers: Sequence[Print]) -> None:
        """Learn the mean and the spread of real speakers' prints.

        Raises:
            ValueError: fewer than ``MIN_SPEAKERS``.
        """
        if len(speakers) < MIN_SPEAKERS:
            raise ValueError(f"the second judge needs {MIN_SPEAKERS} speakers to compare with")
        table = np.stack(speakers)
        self._mean = table.mean(axis=0)
        deviation = table.std(axis=0)
        # A coefficient that hardly differs among these few speakers must not rule the rest.
        self._scale = np.sqrt(np.square(deviation) + _SHARED * np.mean(np.square(deviation)))

    def likeness(self, one: Print, other: Print) -> float:
        """Cosine of two prints' departures from the mean speaker, -1 to 1."""
        a, b = ((print_ - self._mean) / self._scale for print_ in (one, other))
        return float(a @ b / max(float(np.linalg.norm(a) * np.linalg.norm(b)), 1e-12))

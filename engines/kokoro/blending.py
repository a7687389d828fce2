"""One voice of several, by weights: styles are mixed, and F0 lies between the parts'."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engines.api import Voice
from engines.kokoro.cloning import predicted_f0_hz
from engines.kokoro.tone import TONE_HZ, Gains
from engines.kokoro.voices import make_voice, voice_style, voice_tone
from engines.pitch import matching_ratio


def mix_voices(parts: Sequence[tuple[Voice, float]]) -> Voice:
    """Mix voices by weights that are over 0 and need not add up to 1.

    Mixtures of the published packs are what users of this model speak with, and what cloning
    learned from. What the norms see of a mixture is not the mean of its parts, so the voice brings
    none and is measured when it first speaks.

    Raises:
        VoiceIncompatible: a voice of another engine or version.
        ValueError: no parts, or a weight that is not over 0.
    """
    weights = np.array([weight for _, weight in parts], dtype=np.float64)
    if not weights.size or not (np.isfinite(weights).all() and weights.min() > 0.0):
        raise ValueError("weights of a mix must be over 0")
    shares = weights / weights.sum()
    styles, ratios = zip(*(voice_style(voice) for voice, _ in parts), strict=True)
    spoken_hz = [predicted_f0_hz(one) * ratio for one, ratio in zip(styles, ratios, strict=True)]
    style = np.asarray(shares @ np.stack(styles), dtype=np.float32)
    between_hz = float(np.exp(shares @ np.log(spoken_hz)))
    ratio = matching_ratio(between_hz, predicted_f0_hz(style))
    return make_voice(style, ratio, _mixed_tone([voice for voice, _ in parts], shares))


def _mixed_tone(voices: Sequence[Voice], shares: NDArray[np.float64]) -> Gains | None:
    """Mean of the gains, where those who have no tone count as flat."""
    tones = [voice_tone(voice) for voice in voices]
    if all(tone is None for tone in tones):
        return None
    table = [np.zeros(TONE_HZ.size) if tone is None else tone for tone in tones]
    return np.asarray(shares @ np.stack(table), dtype=np.float32)

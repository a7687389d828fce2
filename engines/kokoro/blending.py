"""One voice of several, by weights: styles are mixed, and F0 lies between the parts'."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Voice
from engines.kokoro.cloning import predicted_f0_hz
from engines.kokoro.voices import make_voice, voice_style
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
    return make_voice(style, matching_ratio(between_hz, predicted_f0_hz(style)))

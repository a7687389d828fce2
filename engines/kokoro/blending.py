"""One voice of several, by weights: styles are mixed, and F0 lies between the parts'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engines.api import Voice
from engines.kokoro.cloning import predicted_f0_hz
from engines.kokoro.voices import (
    CHANNEL,
    F0_RANGE,
    TONE,
    make_voice,
    voice_channel,
    voice_range,
    voice_style,
    voice_tone,
)
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
    made = make_voice(style, ratio)
    ranges = np.log([voice_range(voice) for voice, _ in parts])
    mixed = {
        F0_RANGE: np.array([np.exp(shares @ ranges)], dtype=np.float32),
        TONE: _mixed([voice_tone(voice) for voice, _ in parts], shares),
        CHANNEL: _mixed([voice_channel(voice) for voice, _ in parts], shares),
    }
    known = {name: array for name, array in mixed.items() if array is not None}
    return replace(made, arrays={**made.arrays, **known})


def _mixed(
    gains_db: Sequence[NDArray[np.float32] | None], shares: NDArray[np.float64]
) -> NDArray[np.float32] | None:
    """Mean of filters' gains, where those who have none count as flat."""
    size = max((0 if one is None else one.size for one in gains_db), default=0)
    if size == 0:
        return None
    table = [np.zeros(size) if one is None else one for one in gains_db]
    return np.asarray(shares @ np.stack(table), dtype=np.float32)

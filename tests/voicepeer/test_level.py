"""Levels as RFC 6465 computes them, for mono and stereo alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from av import AudioFrame

from voicepeer.level import LEVEL_MIN_DBOV, audio_level_dbov, level_dbov

pytestmark = pytest.mark.unit


def audio_frame(mono: np.ndarray[Any, np.dtype[np.int16]], layout: str) -> AudioFrame:
    channels = 2 if layout == "stereo" else 1
    return AudioFrame.from_ndarray(
        np.repeat(mono, channels).reshape(1, -1), format="s16", layout=layout
    )


@pytest.mark.parametrize("layout", ["mono", "stereo"])
@pytest.mark.parametrize(
    ("amplitude", "dbov"), [(0, -127), (1, -90), (328, -40), (32767, 0), (-32768, 0)]
)
def test_levels_are_those_of_rfc_6465_for_mono_and_stereo(
    layout: str, amplitude: int, dbov: int
) -> None:
    frame = audio_frame(np.full(960, amplitude, np.int16), layout)
    assert audio_level_dbov(frame) == dbov
    assert level_dbov(np.full(960, amplitude, np.int16)) == dbov


def test_the_level_of_noise_is_its_rms() -> None:
    chance = np.random.default_rng(3)
    for scale in (3.0, 300.0, 9000.0):
        noise = np.clip(chance.normal(0, scale, 960), -32767, 32767).astype(np.int16)
        rms = float(np.sqrt(np.mean((noise / 32767.0) ** 2)))
        assert audio_level_dbov(audio_frame(noise, "mono")) == round(20 * np.log10(rms))


def test_nothing_at_all_is_silent() -> None:
    assert level_dbov(np.zeros(0, np.int16)) == LEVEL_MIN_DBOV

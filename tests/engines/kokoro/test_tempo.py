from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.api import Pcm
from engines.kokoro.source import SAMPLE_RATE_HZ
from engines.kokoro.tempo import Shortener

pytestmark = pytest.mark.unit


def tone(seconds: float, hz: float = 150.0) -> Pcm:
    at = np.arange(round(seconds * SAMPLE_RATE_HZ)) / SAMPLE_RATE_HZ
    wave = sum(np.sin(2.0 * np.pi * hz * order * at) / order for order in range(1, 8))
    return np.asarray(0.2 * wave, dtype=np.float32)


def shortened(pcm: Pcm, speed: float, sizes: list[int] | None = None) -> Pcm:
    shortener = Shortener(speed)
    out, at = [], 0
    for size in sizes or [pcm.size]:
        out.append(shortener.push(pcm[at : at + size]))
        at += size
    out += [shortener.push(pcm[at:]), shortener.finish()]
    return np.concatenate(out)


@pytest.mark.parametrize("speed", [1.0, 1.1, 1.37, 1.6, 2.0])
@pytest.mark.parametrize("seconds", [0.0, 0.003, 0.05, 0.3, 1.7])
def test_length_is_exact(speed: float, seconds: float) -> None:
    assert shortened(tone(seconds), speed).size == round(tone(seconds).size / speed)


@pytest.mark.parametrize("hz", [80.0, 150.0, 310.0])
@pytest.mark.parametrize("speed", [1.2, 1.54])
def test_pitch_and_level_stay(hz: float, speed: float) -> None:
    before = tone(2.0, hz)
    after = shortened(before, speed)[4_000:-4_000]
    spectrum = np.abs(np.fft.rfft(after * np.hanning(after.size)))
    peak_hz = np.argmax(spectrum) * SAMPLE_RATE_HZ / after.size
    assert peak_hz == pytest.approx(hz, rel=0.02)
    assert np.std(after) == pytest.approx(np.std(before), rel=0.05)


def test_speed_one_changes_nothing() -> None:
    assert np.array_equal(shortened(tone(0.5), 1.0), tone(0.5))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 4_000), max_size=12), st.floats(1.01, 2.0))
def test_how_it_is_pushed_makes_no_difference(sizes: list[int], speed: float) -> None:
    pcm = tone(1.0)
    assert np.array_equal(shortened(pcm, speed, sizes), shortened(pcm, speed))


def test_what_was_used_is_forgotten() -> None:
    shortener = Shortener(1.5)
    for _ in range(50):
        shortener.push(tone(0.2))
    assert shortener._heard.size < SAMPLE_RATE_HZ


def test_it_cannot_lengthen() -> None:
    with pytest.raises(ValueError, match=r"0\.9"):
        Shortener(0.9)

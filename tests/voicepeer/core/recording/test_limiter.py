"""Nothing over the ceiling, and nothing else changed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.pcm import Pcm
from voicepeer.core.recording.limiter import CEILING, STEP_SAMPLES, Limiter

pytestmark = pytest.mark.unit


def limited(pcm: Pcm, sizes: list[int]) -> Pcm:
    limiter, parts, at = Limiter(), [], 0
    for size in sizes:
        parts.append(limiter.push(pcm[at : at + size]))
        at += size
    return np.concatenate([*parts, limiter.push(pcm[at:]), limiter.finish()])


def noise(seconds: float, level: float, seed: int = 1) -> Pcm:
    chance = np.random.default_rng(seed)
    return (level * chance.uniform(-1, 1, round(seconds * 48_000))).astype(np.float32)


@given(
    st.integers(0, 2_000),
    st.lists(st.integers(0, 1_000), max_size=6),
    st.floats(0.0, 20.0),
    st.integers(0, 100),
)
def test_the_length_stays_and_no_sample_is_over_the_ceiling(
    samples: int, sizes: list[int], level: float, seed: int
) -> None:
    pcm = noise(1.0, level, seed)[:samples]
    out = limited(pcm, sizes)
    assert out.shape == pcm.shape
    assert np.abs(out).max(initial=0.0) <= CEILING * (1 + 1e-5)


@given(st.lists(st.integers(1, 900), max_size=8))
def test_it_does_not_matter_in_which_pieces_it_comes(sizes: list[int]) -> None:
    pcm = noise(0.1, 3.0)
    np.testing.assert_array_equal(limited(pcm, sizes), limited(pcm, []))


def test_what_is_not_too_loud_is_left_as_it_is() -> None:
    pcm = noise(0.5, 0.8)
    np.testing.assert_array_equal(limited(pcm, [100]), pcm)


def test_a_peak_turns_down_what_is_around_it_and_no_more() -> None:
    pcm = noise(3.0, 0.1)
    pcm[48_000] = 2.0
    out = limited(pcm, [])
    assert out[48_000] == pytest.approx(CEILING, rel=0.02)
    before, after = 48_000 - 2 * STEP_SAMPLES, 48_000 + 48_000
    np.testing.assert_array_equal(out[:before], pcm[:before])
    np.testing.assert_allclose(out[after:], pcm[after:], rtol=1e-5)


def test_the_gain_never_jumps() -> None:
    pcm = np.full(48_000, 0.5, np.float32)
    pcm[20_000:30_000] = 4.0
    gain = limited(pcm, []) / pcm
    assert np.abs(np.diff(gain)).max() < 1.0 / STEP_SAMPLES

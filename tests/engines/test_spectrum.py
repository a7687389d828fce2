"""Shares of power in third octaves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.spectrum import BANDS_HZ, RATE_HZ, band_shares
from tests.clips import clip

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("band", [7, 10, 13, 17])
def test_a_tone_is_all_in_its_band(band: int) -> None:
    tone = np.sin(2.0 * np.pi * BANDS_HZ[band] * np.arange(RATE_HZ) / RATE_HZ)
    shares = band_shares(tone.astype(np.float32))
    assert shares.argmax() == band
    assert shares[band] > 0.6


def test_white_noise_has_power_by_the_width_of_bands() -> None:
    noise = np.random.default_rng(1).standard_normal(4 * RATE_HZ).astype(np.float32)
    wanted = BANDS_HZ / BANDS_HZ.sum()
    np.testing.assert_allclose(band_shares(noise)[4:], wanted[4:], rtol=0.15)


def test_pauses_do_not_count() -> None:
    pcm = clip("en_susan")
    paused = np.concatenate([pcm, 0.0001 * np.ones(2 * RATE_HZ, np.float32)])
    np.testing.assert_allclose(band_shares(paused), band_shares(pcm), atol=1e-3)


@given(st.integers(0, 3_000), st.integers(0, 2**32 - 1))
def test_shares_add_up_to_one_whatever_is_heard(size: int, seed: int) -> None:
    pcm = np.random.default_rng(seed).uniform(-1, 1, size).astype(np.float32)
    shares = band_shares(pcm)
    assert shares.shape == BANDS_HZ.shape
    assert shares.sum() == pytest.approx(1.0)
    assert (shares > 0.0).all()

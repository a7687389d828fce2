"""Channels of recordings as filters: what is measured, what is limited, what they do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engines.api import Pcm
from engines.kokoro import channel, tone
from engines.kokoro.channel import LIMITS_DB, channel_of, fir
from engines.kokoro.synth import CONTEXT_HALF_FRAMES, FRAME_SAMPLES
from engines.spectrum import BANDS_HZ, RATE_HZ, band_shares
from tests.clips import clip
from voicepeer import degrading

pytestmark = pytest.mark.unit


def response_db(taps: np.ndarray, at_hz: float) -> float:
    """Gain of a filter at 24 kHz."""
    turns = np.exp(-2j * np.pi * at_hz / 24_000 * np.arange(taps.size))
    return float(20.0 * np.log10(abs(np.sum(taps * turns))))


def power(pcm: Pcm) -> float:
    return float(np.mean(np.square(pcm, dtype=np.float64)))


def test_spectrum_is_shares_of_the_power() -> None:
    shares = band_shares(clip("en_susan"))
    assert shares.sum() == pytest.approx(1.0)
    assert BANDS_HZ[shares.argmax()] < 1_000.0


def test_level_and_pauses_do_not_matter() -> None:
    pcm = clip("en_susan")
    paused = np.concatenate([pcm * np.float32(0.1), np.zeros(RATE_HZ, np.float32)])
    np.testing.assert_allclose(band_shares(paused), band_shares(pcm), rtol=0.05, atol=1e-3)


def test_a_voice_in_its_own_channel_is_left_alone() -> None:
    found = channel_of(clip("en_susan") * np.float32(0.2), clip("en_susan"))
    assert found is not None
    assert np.abs(found).max() < 0.1


def test_a_telephone_lets_its_band_through_and_nothing_else() -> None:
    recorded = degrading.band_limited(clip("en_susan"), 300.0, 3_400.0)
    levels = channel_of(recorded, clip("en_susan"))
    assert levels is not None
    taps = fir(levels)
    through = response_db(taps, 1_000.0)
    assert response_db(taps, 500.0) == pytest.approx(through, abs=3.0)
    assert response_db(taps, 2_500.0) == pytest.approx(through, abs=3.0)
    assert response_db(taps, 6_000.0) < through - 20.0
    assert response_db(taps, 11_000.0) < through - 20.0
    assert response_db(taps, 120.0) < through - 15.0


def test_a_coloured_microphone_is_taken_over() -> None:
    random = np.random.default_rng(5)
    recorded = degrading.coloured(clip("de_Elli"), 4.0, random)
    levels = channel_of(recorded, clip("de_Elli"))
    assert levels is not None
    coloured = tone.filtered(clip("de_Elli", 24_000), fir(levels))
    at_16_khz = coloured[::1]
    wanted, plain = band_shares(recorded), band_shares(clip("de_Elli"))
    found = plain * 10.0 ** (levels / 10.0)
    away = np.abs(10.0 * np.log10(found / found.sum() / wanted))
    assert np.median(away) < 1.0
    assert at_16_khz.size == clip("de_Elli", 24_000).size


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.0, 25.0))
def test_power_is_kept_and_limits_hold_whatever_the_channel(seed: int, deviation_db: float) -> None:
    pcm = clip("en_susan")[: 2 * RATE_HZ]
    random = np.random.default_rng(seed)
    levels = channel_of(degrading.coloured(pcm, deviation_db, random), pcm)
    assert levels is not None
    assert np.ptp(levels) <= LIMITS_DB[1] - LIMITS_DB[0] + 1e-3
    assert np.sum(band_shares(pcm) * 10.0 ** (levels / 10.0)) == pytest.approx(1.0, rel=1e-3)


def test_too_little_speech_tells_of_no_channel() -> None:
    little = clip("en_susan")[: RATE_HZ // 4]
    assert channel_of(little, clip("en_susan")) is None
    assert channel_of(clip("en_susan"), little) is None


def test_silence_is_no_channel_but_makes_no_trouble() -> None:
    levels = channel_of(np.zeros(RATE_HZ, np.float32), clip("en_susan"))
    assert levels is not None
    assert np.isfinite(levels).all()


@given(arrays(np.float32, BANDS_HZ.size, elements=st.floats(-30.0, 9.0, width=32)))
def test_a_filter_has_the_gains_it_was_made_of(levels: np.ndarray) -> None:
    smooth = np.convolve(np.pad(levels, 2, mode="edge"), np.full(5, 0.2), "valid")
    smooth = smooth.astype(np.float32)
    taps = fir(smooth)
    assert taps.shape == (channel.TAPS,)
    for band in range(9, BANDS_HZ.size - 1):
        assert response_db(taps, float(BANDS_HZ[band])) == pytest.approx(smooth[band], abs=1.5)


def test_a_window_of_speech_has_what_a_filter_needs_before_it() -> None:
    longest = channel.TAPS + tone.TAPS - 1
    assert longest <= CONTEXT_HALF_FRAMES * FRAME_SAMPLES // 2

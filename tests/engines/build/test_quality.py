"""Figures of quality: what they see and what they leave alone."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Pcm
from engines.build.quality import (
    dnsmos,
    largest_step,
    log_mel,
    log_mel_error,
    spectral_cosine,
)
from tests.clips import clip

pytestmark = pytest.mark.unit

RATE_HZ = 16_000


@pytest.fixture(scope="module")
def speech() -> Pcm:
    return clip("en_susan")[: 4 * RATE_HZ]


def noisy(pcm: Pcm, level: float) -> Pcm:
    noise = np.random.default_rng(1).normal(size=pcm.size)
    return (pcm + level * noise).astype(np.float32)


def test_the_same_speech_has_no_error(speech: Pcm) -> None:
    assert log_mel_error(speech, speech, RATE_HZ) == 0.0
    assert spectral_cosine(speech, speech, RATE_HZ) == pytest.approx(1.0)


def test_more_noise_is_more_error(speech: Pcm) -> None:
    errors = [log_mel_error(noisy(speech, level), speech, RATE_HZ) for level in (0.001, 0.01, 0.1)]
    assert errors == sorted(errors)
    assert errors[0] < 0.05 < errors[2]
    assert spectral_cosine(noisy(speech, 0.1), speech, RATE_HZ) < 0.9


def test_a_shift_of_a_sample_hardly_counts(speech: Pcm) -> None:
    assert log_mel_error(np.roll(speech, 1), speech, RATE_HZ) < 0.01


def test_lengths_must_agree(speech: Pcm) -> None:
    with pytest.raises(ValueError, match="samples"):
        log_mel_error(speech[:-1], speech, RATE_HZ)


def test_a_tone_lies_in_its_band() -> None:
    at = np.arange(RATE_HZ)
    low, high = (
        np.sin(2 * np.pi * f0_hz * at / RATE_HZ).astype(np.float32) for f0_hz in (300.0, 3000.0)
    )
    peaks = [int(np.argmax(log_mel(tone, RATE_HZ).mean(axis=0))) for tone in (low, high)]
    assert peaks[0] < 20 < 40 < peaks[1]


def test_a_signal_shorter_than_a_frame_has_one() -> None:
    assert log_mel(np.zeros(10, np.float32), RATE_HZ).shape == (1, 80)


def test_a_planted_jump_is_found(speech: Pcm) -> None:
    borders = np.arange(800, speech.size - 800, 800)
    assert largest_step(speech, borders) < 3.0
    broken = speech.copy()
    broken[borders[np.argmax(np.abs(speech[borders]))] :] *= -1.0
    assert largest_step(broken, borders) > 3.0


def test_a_jump_elsewhere_is_not_a_border() -> None:
    pcm = np.zeros(2000, np.float32)
    pcm[700:] = 0.5
    assert largest_step(pcm, np.array([1200])) == 0.0
    assert largest_step(pcm, np.array([700])) > 100.0


@pytest.mark.engine
def test_dnsmos_tells_clean_from_noisy(speech: Pcm) -> None:
    clean, spoilt = dnsmos(speech, RATE_HZ), dnsmos(noisy(speech, 0.05), RATE_HZ)
    assert 2.5 < clean <= 5.0
    assert spoilt < clean - 0.5


@pytest.mark.engine
def test_dnsmos_takes_any_length_and_rate(speech: Pcm) -> None:
    assert 1.0 <= dnsmos(speech[:8000], 8_000) <= 5.0
    assert 1.0 <= dnsmos(np.tile(speech, 3), RATE_HZ) <= 5.0
    with pytest.raises(ValueError, match="no samples"):
        dnsmos(speech[:0], RATE_HZ)

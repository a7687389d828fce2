"""Spoilt recordings are spoilt by as much as was asked, and in nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from tests.clips import clip
from voicepeer import degrading
from voicepeer.core.pcm import Pcm

pytestmark = pytest.mark.unit

RATE_HZ = 16_000


def random(seed: int = 1) -> degrading.Random:
    return np.random.default_rng(seed)


def speech() -> Pcm:
    return clip("de_Elli")[: 4 * RATE_HZ]


@pytest.mark.parametrize("ratio_db", [3.0, 10.0, 25.0])
def test_noise_is_as_soft_as_was_asked(ratio_db: float) -> None:
    pcm = speech()
    added = degrading.noisy(pcm, ratio_db, random()) - pcm
    found = 20.0 * np.log10(degrading.rms(pcm) / degrading.rms(added))
    assert found == pytest.approx(ratio_db, abs=0.1)


@pytest.mark.parametrize("t60_s", [0.3, 0.8])
def test_a_room_falls_by_sixty_decibels_in_its_time(t60_s: float) -> None:
    click = np.zeros(2 * RATE_HZ, dtype=np.float32)
    click[0] = 1.0
    tail = np.square(degrading.reverberate(click, t60_s, 0.0, random()).astype(np.float64))
    energy = np.cumsum(tail[::-1])[::-1]
    # Schroeder's integral between 5 and 25 dB under the reverberation's start.
    level = 10.0 * np.log10(energy[60:] / energy[60] + 1e-12)
    first, last = np.argmax(level < -5.0), np.argmax(level < -25.0)
    assert 3.0 * (last - first) / RATE_HZ == pytest.approx(t60_s, rel=0.15)


def test_direct_sound_is_over_the_room_by_what_was_asked() -> None:
    click = np.zeros(RATE_HZ, dtype=np.float32)
    click[0] = 1.0
    heard = np.square(degrading.reverberate(click, 0.4, 6.0, random()).astype(np.float64))
    assert 10.0 * np.log10(heard[0] / heard[1:].sum()) == pytest.approx(6.0, abs=0.2)


def test_a_telephone_line_keeps_its_band_only() -> None:
    power = np.square(np.abs(np.fft.rfft(degrading.band_limited(speech(), 300.0, 3_400.0))))
    at_hz = np.fft.rfftfreq(speech().size, 1.0 / RATE_HZ)
    inside = power[(at_hz > 350.0) & (at_hz < 3_300.0)].sum()
    assert power[(at_hz < 150.0) | (at_hz > 4_500.0)].sum() < 1e-3 * inside


def test_every_way_keeps_length_and_level_and_follows_its_seed() -> None:
    pcm = speech()
    for heard, again, other in (
        [degrading.another_channel(pcm, random(seed)) for seed in (4, 4, 5)],
        [degrading.coloured(pcm, 3.0, random(seed)) for seed in (4, 4, 5)],
    ):
        assert heard.shape == pcm.shape
        assert heard.dtype == np.float32
        assert degrading.rms(heard) == pytest.approx(degrading.rms(pcm), rel=0.1)
        np.testing.assert_array_equal(heard, again)
        assert np.any(heard != other)


def test_a_shorter_sound_is_repeated() -> None:
    added = degrading.under(np.ones(8, np.float32), np.array([1.0, -1.0], np.float32), 0.0) - 1.0
    np.testing.assert_allclose(added, [1, -1] * 4, atol=1e-6)

"""Random voices: seeded, of both sexes, around the stock voices."""

from __future__ import annotations

import numpy as np
import pytest

from engines.kokoro.cloning import predicted_f0_hz
from engines.kokoro.train.drawing import F0_HZ, UNMOVED_SHARE, VoiceDrawer, f0_ratio
from engines.kokoro.voices import style_basis

pytestmark = pytest.mark.unit

DRAWER = VoiceDrawer()


def test_the_same_seed_draws_the_same_voices() -> None:
    one, same, other = (DRAWER.draw(np.random.default_rng(seed), 9) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.style, same.style)
    assert (one.sentence, one.speed, one.f0_hz) == (same.sentence, same.speed, same.f0_hz)
    assert not np.array_equal(one.style, other.style)


def test_voices_spread_about_as_widely_as_the_stock_voices() -> None:
    random = np.random.default_rng(3)
    points = style_basis().point(np.stack([DRAWER.style(random) for _ in range(600)]))
    deviation = points.std(axis=0)[:10]
    assert np.all((deviation > 0.5) & (deviation < 2.0))
    assert np.abs(points.mean(axis=0)[:10]).max() < 0.4


def test_both_sexes_are_drawn() -> None:
    random = np.random.default_rng(4)
    pitches = np.array([predicted_f0_hz(DRAWER.style(random)) for _ in range(300)])
    assert np.mean(pitches < 140.0) > 0.2
    assert np.mean(pitches > 180.0) > 0.2


def test_pitch_is_spread_over_the_human_range_and_sometimes_left_alone() -> None:
    random = np.random.default_rng(5)
    draws = [DRAWER.draw(random, 32) for _ in range(400)]
    moved = np.array([draw.f0_hz for draw in draws if draw.f0_hz is not None])
    assert 1.0 - len(moved) / len(draws) == pytest.approx(UNMOVED_SHARE, abs=0.08)
    assert moved.min() >= F0_HZ[0]
    assert moved.max() <= F0_HZ[1]
    assert {draw.sentence for draw in draws} == set(range(32))


def test_ratio_stays_within_limits_and_is_one_without_a_wish() -> None:
    assert f0_ratio(None, 100.0, (0.5, 2.0)) == 1.0
    assert f0_ratio(150.0, 0.0, (0.5, 2.0)) == 1.0
    assert f0_ratio(150.0, 100.0, (0.5, 2.0)) == pytest.approx(1.5)
    assert f0_ratio(900.0, 100.0, (0.5, 2.0)) == 2.0

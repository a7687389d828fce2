"""Slopes with their intervals: right on a line, cautious with noise, silent without data."""

from __future__ import annotations

import numpy as np
import pytest

from loadtests.trend import BLOCKS, MIN_POINTS, slope

pytestmark = pytest.mark.unit

MINUTE_S = np.arange(0.0, 600.0, 1.0)


def test_a_straight_line_is_found() -> None:
    found = slope(list(MINUTE_S), list(100.0 + 0.5 * MINUTE_S / 60))
    assert found is not None
    assert found.per_min == pytest.approx(0.5)
    assert found.low == pytest.approx(0.5, abs=1e-6)
    assert found.is_growth


def test_what_stays_as_it_is_does_not_grow() -> None:
    found = slope(list(MINUTE_S), [100.0] * MINUTE_S.size)
    assert found is not None
    assert found.per_min == pytest.approx(0.0, abs=1e-9)


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    chance = np.random.default_rng(1)
    hits = 0
    for _ in range(200):
        noise = chance.normal(0, 5, MINUTE_S.size)
        found = slope(list(MINUTE_S), list(50 + 0.3 * MINUTE_S / 60 + noise))
        assert found is not None
        hits += found.low <= 0.3 <= found.high
    assert 0.90 <= hits / 200 <= 0.99


def test_noise_that_lasts_makes_the_interval_wide() -> None:
    """Memory stays where it is for seconds, so its samples are no independent ones."""
    chance = np.random.default_rng(2)
    falls_for = 0
    for _ in range(200):
        lasting = np.repeat(chance.normal(0, 5, 30), 20)
        found = slope(list(MINUTE_S), list(lasting))
        assert found is not None
        falls_for += found.is_growth
    assert falls_for / 200 < 0.06


def test_noise_is_no_growth_and_a_leak_in_it_is() -> None:
    noise = np.random.default_rng(3).normal(0, 1, MINUTE_S.size)
    alone = slope(list(MINUTE_S), list(noise))
    leaking = slope(list(MINUTE_S), list(noise + MINUTE_S / 60))
    assert alone is not None
    assert leaking is not None
    assert leaking.is_growth
    assert leaking.low > alone.high


@pytest.mark.parametrize("count", range(MIN_POINTS))
def test_too_little_tells_nothing(count: int) -> None:
    assert slope([float(at) for at in range(count)], [1.0] * count) is None


def test_one_moment_tells_nothing() -> None:
    assert slope([3.0] * 50, list(np.arange(50.0))) is None


def test_fewer_samples_than_blocks_will_do() -> None:
    at_s = list(np.arange(0.0, 60.0, 60.0 / (BLOCKS - 4)))
    found = slope(at_s, [2.0 * at / 60 for at in at_s])
    assert found is not None
    assert found.per_min == pytest.approx(2.0)

"""Percentiles of what users met."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from loadtests.model.outcome import Outcome, percentile_ms, weighted_percentile_ms

pytestmark = pytest.mark.unit

VALUES_S = st.lists(st.floats(0.0, 10.0), min_size=1, max_size=50)


def test_percentiles_are_milliseconds_with_the_rest() -> None:
    assert percentile_ms([0.1, 0.2, 0.3], 50, 25.0) == 225.0
    assert percentile_ms([], 50) is None
    assert Outcome(1.0, 1, heard_after_s=[0.1]).first_audible_ms(95, 10.0) == 110.0


@given(values=VALUES_S, percent=st.sampled_from([5, 50, 95]))
def test_one_group_has_its_own_percentile(values: list[float], percent: int) -> None:
    # At a border between two values the rounding of sums decides which of them it is.
    assume(len(values) * percent % 100)
    found = weighted_percentile_ms([(3.0, values)], percent, 0.0)
    exact_ms = float(np.percentile(values, percent, method="inverted_cdf")) * 1000.0
    assert found == pytest.approx(exact_ms, abs=0.06)


def test_a_group_weighs_what_it_weighs_however_many_its_values() -> None:
    many, few = [0.1] * 1_000, [0.9]
    assert weighted_percentile_ms([(1.0, many), (3.0, few)], 50, 0.0) == 900.0
    assert weighted_percentile_ms([(3.0, many), (1.0, few)], 50, 0.0) == 100.0


def test_groups_without_weight_or_values_do_not_count() -> None:
    assert weighted_percentile_ms([(0.0, [0.9]), (1.0, [0.1]), (5.0, [])], 95, 5.0) == 105.0
    assert weighted_percentile_ms([(1.0, [])], 50, 0.0) is None


def test_underruns_are_told_by_speech_that_was_heard() -> None:
    assert Outcome(60.0, 1, underruns=3, spoken_s=90.0).underruns_per_minute == 2.0
    assert Outcome(60.0, 1).underruns_per_minute == 0.0
    assert Outcome(60.0, 1, engine_cores=0.5, media_cores=0.2).cores == pytest.approx(0.7)

"""The token bucket."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.allowance import Allowance

pytestmark = pytest.mark.unit


def test_a_burst_then_the_rate() -> None:
    allowance = Allowance(burst=3, per_s=2.0)
    assert [allowance.take(10.0) for _ in range(4)] == [True, True, True, False]
    assert not allowance.take(10.4)
    assert allowance.take(10.5)
    assert not allowance.take(10.5)


def test_rest_never_saves_more_than_the_burst() -> None:
    allowance = Allowance(burst=2, per_s=100.0)
    allowance.take(0.0)
    assert [allowance.take(1000.0) for _ in range(3)] == [True, True, False]


def test_a_clock_that_goes_back_gives_nothing() -> None:
    allowance = Allowance(burst=1, per_s=1.0)
    assert allowance.take(5.0)
    assert not allowance.take(1.0)


@given(st.lists(st.floats(0, 2), max_size=100), st.integers(1, 10), st.floats(0.1, 20))
def test_never_more_than_burst_and_rate_allow(
    pauses_s: list[float], burst: int, per_s: float
) -> None:
    allowance, now, taken = Allowance(burst, per_s), 0.0, 0
    for pause_s in pauses_s:
        now += pause_s
        taken += allowance.take(now)
    assert taken <= burst + now * per_s + 1e-6

"""Token buckets: rates, bursts, fairness to others, and a table that cannot grow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.limits import Limits, Rate

pytestmark = pytest.mark.unit


def limits(per_minute: float = 60, burst: float = 3, max_tracked: int = 100) -> Limits:
    return Limits({"sessions": Rate(per_minute, burst)}, max_tracked)


def test_a_burst_passes_and_the_next_one_waits() -> None:
    one = limits()
    assert [one.take("sessions", ("a",), 1, 0.0) for _ in range(4)] == [0, 0, 0, 1.0]
    assert one.take("sessions", ("a",), 1, 0.5) == pytest.approx(0.5)
    assert one.take("sessions", ("a",), 1, 1.0) == 0


def test_what_is_refused_costs_nothing() -> None:
    one = limits()
    for _ in range(10):
        one.take("sessions", ("a", "b"), 2, 0.0)
    assert one.take("sessions", ("b",), 1, 0.0) == 0


def test_one_name_leaves_the_others_alone() -> None:
    one = limits(burst=1)
    assert one.take("sessions", ("key a", "address x"), 1, 0.0) == 0
    assert one.take("sessions", ("key b", "address y"), 1, 0.0) == 0
    assert one.take("sessions", ("key b", "address x"), 1, 0.0) > 0


def test_more_than_a_burst_passes_once_and_is_paid_for() -> None:
    one = limits(per_minute=60, burst=3)
    assert one.take("sessions", ("a",), 10, 0.0) == 0
    assert one.take("sessions", ("a",), 1, 7.5) == pytest.approx(0.5)


def test_a_kind_without_a_rate_is_free() -> None:
    assert limits().take("clones", ("a",), 1e9, 0.0) == 0


def test_a_clock_that_goes_back_gives_nothing_away() -> None:
    one = limits(burst=1)
    one.take("sessions", ("a",), 1, 100.0)
    assert one.take("sessions", ("a",), 1, 50.0) > 0


@given(st.lists(st.text(max_size=3), max_size=200))
def test_the_table_is_bounded_whatever_is_asked(names: list[str]) -> None:
    one = limits(max_tracked=5)
    for at, name in enumerate(names):
        one.take("sessions", (name, f"{name}!"), 1, at / 10)
    assert len(one) <= 5


@given(st.lists(st.tuples(st.floats(0, 10), st.floats(0.1, 5)), max_size=60))
def test_no_more_than_the_rate_passes(asks: list[tuple[float, float]]) -> None:
    one, now, taken = limits(per_minute=60, burst=3), 0.0, 0.0
    for gap_s, cost in asks:
        now += gap_s
        if one.take("sessions", ("a",), cost, now) == 0:
            taken += cost
    # One ask may cost more than the burst and is paid for later.
    assert taken <= 3 + now + max((cost for _, cost in asks), default=0) + 1e-6

"""Token buckets: rates, bursts, fairness to others, and a table that cannot grow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.limits import DAY_S, LimitKind, LimitReached, Limits, Rate

pytestmark = pytest.mark.unit


def limits(*rates: Rate, max_tracked: int = 100) -> Limits:
    return Limits({"sessions": rates or (Rate(3, 3.0),)}, max_tracked)


def waits(one: Limits, names: tuple[str, ...], cost: float, now_s: float) -> int:
    """Seconds to wait, 0 where it was taken."""
    try:
        one.take("sessions", names, cost, now_s)
    except LimitReached as reached:
        return reached.retry_after_s
    return 0


def test_whoever_is_refused_is_told_what_and_when() -> None:
    one = limits(Rate(1, 3.0))
    one.take("sessions", ("a",), 1, 0.0)
    with pytest.raises(LimitReached, match="sessions: try again in 3 s"):
        one.take("sessions", ("a",), 1, 0.0)


def test_a_burst_passes_and_the_next_one_waits() -> None:
    one = limits()
    assert [waits(one, ("a",), 1, 0.0) for _ in range(4)] == [0, 0, 0, 1]
    assert waits(one, ("a",), 1, 0.5) == 1
    assert waits(one, ("a",), 1, 1.0) == 0


def test_waiting_as_long_as_told_is_enough() -> None:
    one = limits(Rate(7, 61.0))
    waits(one, ("a",), 7, 0.0)
    wait_s = waits(one, ("a",), 5, 3.0)
    assert wait_s > 0
    assert waits(one, ("a",), 5, 3.0 + wait_s) == 0


def test_a_quota_holds_beside_a_rate() -> None:
    one = limits(Rate(10), Rate(15, DAY_S))
    assert waits(one, ("a",), 10, 0.0) == 0
    assert waits(one, ("a",), 10, 60.0) > 3600
    assert waits(one, ("a",), 5, 60.0) == 0


def test_what_is_refused_costs_nothing() -> None:
    one = limits()
    for _ in range(10):
        waits(one, ("a", "b"), 2, 0.0)
    assert waits(one, ("b",), 1, 0.0) == 0


def test_one_name_leaves_the_others_alone() -> None:
    one = limits(Rate(1))
    assert waits(one, ("key a", "address x"), 1, 0.0) == 0
    assert waits(one, ("key b", "address y"), 1, 0.0) == 0
    assert waits(one, ("key b", "address x"), 1, 0.0) > 0


def test_more_than_a_bucket_passes_once_and_is_paid_for() -> None:
    one = limits()
    assert waits(one, ("a",), 10, 0.0) == 0
    assert waits(one, ("a",), 1, 3.0) == 1
    assert waits(one, ("a",), 1, 4.0) == 0


def test_a_kind_without_a_rate_is_free() -> None:
    limits().take("clones", ("a",), 1e9, 0.0)


def test_a_clock_that_goes_back_gives_nothing_away() -> None:
    one = limits(Rate(1))
    waits(one, ("a",), 1, 100.0)
    assert waits(one, ("a",), 1, 50.0) > 0
    assert waits(one, ("a",), 1, 150.0) > 0


@given(st.lists(st.text(max_size=3), max_size=200))
def test_the_table_is_bounded_whatever_is_asked(names: list[str]) -> None:
    one = limits(max_tracked=5)
    for at, name in enumerate(names):
        waits(one, (name, f"{name}!"), 1, at / 10)
    assert len(one) <= 5


@given(st.lists(st.tuples(st.floats(0, 10), st.floats(0.1, 5)), max_size=60))
def test_no_more_than_the_rate_passes(asks: list[tuple[float, float]]) -> None:
    one, now, taken = limits(), 0.0, 0.0
    for gap_s, cost in asks:
        now += gap_s
        if waits(one, ("a",), cost, now) == 0:
            taken += cost
    # One ask may cost more than the bucket holds and is paid for later.
    assert taken <= 3 + now + max((cost for _, cost in asks), default=0) + 1e-6


@pytest.mark.parametrize("kind", ["requests", "characters", "clones"])
def test_no_flood_of_addresses_gives_a_key_its_quota_back(kind: LimitKind) -> None:
    rates = {one: (Rate(1_000), Rate(10, DAY_S)) for one in ("requests", "characters", "clones")}
    one = Limits(rates, max_tracked=20)  # type: ignore[arg-type]
    one.take("characters", ("key a", "address x"), 10, 0.0)
    for at in range(200):
        one.take(kind, (f"address {at}",), 1, 1.0)
    with pytest.raises(LimitReached):
        one.take("characters", ("key a", "address y"), 5, 2.0)


def test_a_flood_of_one_limit_leaves_what_addresses_have_of_another() -> None:
    one = Limits({"requests": (Rate(9),), "failures": (Rate(1),)}, max_tracked=20)
    one.take("failures", ("address x",), 1, 0.0)
    for at in range(200):
        one.take("requests", (f"address {at}",), 1, 0.0)
    with pytest.raises(LimitReached):
        one.take("failures", ("address x",), 1, 1.0)


@pytest.mark.parametrize("cost", [150.0, 15_000.0, 1e9])
def test_a_debt_keeps_nobody_out_for_more_than_a_period(cost: float) -> None:
    one = Limits({"characters": (Rate(100, DAY_S),)})
    one.take("characters", ("key a",), cost, 0.0)
    with pytest.raises(LimitReached) as refused:
        one.take("characters", ("key a",), 1, 1.0)
    assert refused.value.retry_after_s <= DAY_S * 1.01
    with pytest.raises(LimitReached) as refused:
        one.take("characters", ("key a",), cost, 1.0)
    assert refused.value.retry_after_s <= 2 * DAY_S
    one.take("characters", ("key a",), 1, DAY_S * 1.01)

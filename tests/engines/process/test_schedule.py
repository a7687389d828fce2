"""Who speaks next, at literal times."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.process.schedule import Schedule

pytestmark = pytest.mark.unit

CHUNK_S = 0.08


def turns(schedule: Schedule, count: int, now: float, step_s: float = 0.0) -> list[int]:
    """The next turns, when each takes ``step_s``."""
    order = []
    for _ in range(count):
        stream = schedule.next(now)
        assert stream is not None
        now += step_s
        schedule.said(stream, CHUNK_S, now)
        order.append(stream)
    return order


def test_nobody_is_due_at_first() -> None:
    assert Schedule().next(0.0) is None
    assert len(Schedule()) == 0


def test_a_newcomer_goes_first() -> None:
    schedule = Schedule()
    schedule.add(1, credit=100)
    schedule.add(2, credit=100)
    turns(schedule, 20, now=0.0)
    schedule.add(3, credit=100)
    assert turns(schedule, 1, now=0.0) == [3]


def test_newcomers_go_in_order_of_arrival() -> None:
    schedule = Schedule()
    for stream in (5, 3, 4):
        schedule.add(stream, credit=1)
    assert turns(schedule, 3, now=0.0) == [5, 3, 4]


def test_equals_take_turns() -> None:
    schedule = Schedule()
    for stream in (1, 2, 3):
        schedule.add(stream, credit=100)
    assert turns(schedule, 9, now=0.0) == [1, 2, 3] * 3


def test_the_listener_who_runs_out_first_is_served_first() -> None:
    schedule = Schedule()
    schedule.add(1, credit=100)
    turns(schedule, 5, now=0.0)
    schedule.add(2, credit=100)
    # The second has to draw level with the first's 400 ms before that one gets more.
    assert turns(schedule, 5, now=0.0) == [2] * 5
    assert turns(schedule, 2, now=0.0) == [1, 2]


def test_a_hoarder_cannot_starve_a_listener() -> None:
    """Steps of 30 ms: the hoarder takes whatever it gets, the other plays in real time."""
    schedule, now, in_hand, waited = Schedule(), 0.0, 0.0, 0.0
    schedule.add(1, credit=10_000)
    schedule.add(2, credit=10_000)
    for _ in range(200):
        stream = schedule.next(now)
        assert stream is not None
        now += 0.03
        in_hand -= 0.03
        waited = max(waited, -in_hand)
        schedule.said(stream, CHUNK_S, now)
        in_hand = max(in_hand, 0.0) + (CHUNK_S if stream == 2 else 0.0)
    assert waited <= 0.06


def test_an_underrun_is_not_paid_back() -> None:
    schedule = Schedule()
    schedule.add(1, credit=100)
    schedule.add(2, credit=100)
    turns(schedule, 2, now=0.0)
    # Both have run dry an hour ago; neither is owed that hour.
    assert turns(schedule, 4, now=3600.0) == [1, 2, 1, 2]


def test_credit_is_the_limit() -> None:
    schedule = Schedule()
    schedule.add(1, credit=2)
    assert turns(schedule, 2, now=0.0) == [1, 1]
    assert schedule.next(0.0) is None
    schedule.grant(1, 1)
    assert turns(schedule, 1, now=0.0) == [1]
    assert schedule.next(0.0) is None


def test_the_gone_have_no_turn() -> None:
    schedule = Schedule()
    schedule.add(1, credit=5)
    schedule.remove(1)
    schedule.remove(1)
    schedule.grant(1, 5)
    assert schedule.next(0.0) is None
    assert len(schedule) == 0


@given(
    joins=st.lists(st.integers(0, 40), min_size=1, max_size=8),
    step_s=st.floats(0.0, 0.2),
)
def test_first_chunks_never_wait_for_more_than_the_newcomers_before(
    joins: list[int], step_s: float
) -> None:
    schedule, now, said = Schedule(), 0.0, dict.fromkeys(range(len(joins)), 0)
    for turn in range(50):
        for stream, at in enumerate(joins):
            if at == turn:
                schedule.add(stream, credit=1000)
        stream_due = schedule.next(now)
        silent = {s for s, at in enumerate(joins) if at <= turn and said[s] == 0}
        assert stream_due is None or not silent or stream_due in silent
        if stream_due is not None:
            now += step_s
            schedule.said(stream_due, CHUNK_S, now)
            said[stream_due] += 1


@given(count=st.integers(1, 8), step_s=st.floats(0.0, 0.2))
def test_streams_that_begin_together_stay_within_one_chunk(count: int, step_s: float) -> None:
    schedule, said = Schedule(), dict.fromkeys(range(count), 0)
    for stream in range(count):
        schedule.add(stream, credit=1000)
    for stream in turns(schedule, 10 * count, now=0.0, step_s=step_s):
        said[stream] += 1
        assert max(said.values()) - min(said.values()) <= 1

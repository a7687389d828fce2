"""Who speaks next, at literal times."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.process.schedule import (
    EASE_S,
    EXPECTED_S,
    LONGEST_RESERVE_S,
    PATIENCE_S,
    Schedule,
)

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
    schedule.add(1, credit=100, now=0.0)
    schedule.add(2, credit=100, now=0.0)
    turns(schedule, 20, now=0.0)
    schedule.add(3, credit=100, now=0.0)
    assert turns(schedule, 1, now=0.0) == [3]


def test_newcomers_go_in_order_of_arrival() -> None:
    schedule = Schedule()
    for stream in (5, 3, 4):
        schedule.add(stream, credit=1, now=0.0)
    assert turns(schedule, 3, now=0.0) == [5, 3, 4]


def test_equals_take_turns() -> None:
    schedule = Schedule()
    for stream in (1, 2, 3):
        schedule.add(stream, credit=100, now=0.0)
    assert turns(schedule, 9, now=0.0) == [1, 2, 3] * 3


def test_the_listener_who_runs_out_first_is_served_first() -> None:
    schedule = Schedule()
    schedule.add(1, credit=100, now=0.0)
    turns(schedule, 5, now=0.0)
    schedule.add(2, credit=100, now=0.0)
    # The second has to draw level with the first's 400 ms before that one gets more.
    assert turns(schedule, 5, now=0.0) == [2] * 5
    assert turns(schedule, 2, now=0.0) == [1, 2]


def test_a_hoarder_cannot_starve_a_listener() -> None:
    """Steps of 30 ms: the hoarder takes whatever it gets, the other plays in real time."""
    schedule, now, in_hand, waited = Schedule(), 0.0, 0.0, 0.0
    schedule.add(1, credit=10_000, now=0.0)
    schedule.add(2, credit=10_000, now=0.0)
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
    schedule.add(1, credit=100, now=0.0)
    schedule.add(2, credit=100, now=0.0)
    turns(schedule, 2, now=0.0)
    # Both have run dry an hour ago; neither is owed that hour.
    assert turns(schedule, 4, now=3600.0) == [1, 2, 1, 2]


def test_credit_is_the_limit() -> None:
    schedule = Schedule()
    schedule.add(1, credit=2, now=0.0)
    assert turns(schedule, 2, now=0.0) == [1, 1]
    assert schedule.next(0.0) is None
    schedule.grant(1, 1)
    assert turns(schedule, 1, now=0.0) == [1]
    assert schedule.next(0.0) is None


def test_the_gone_have_no_turn() -> None:
    schedule = Schedule()
    schedule.add(1, credit=5, now=0.0)
    schedule.remove(1)
    schedule.remove(1)
    schedule.grant(1, 5)
    assert schedule.next(0.0) is None
    assert len(schedule) == 0


def begin(schedule: Schedule, streams: int, now: float, first_s: float, later_s: float) -> float:
    """Begin so many streams at once; the longest that one of them starves."""
    plays_until: dict[int, float] = {}
    for name in range(streams):
        schedule.add(name, 1000, now)
    starved = 0.0
    for _ in range(20 * streams):
        stream = schedule.next(now)
        assert stream is not None
        now += later_s if stream in plays_until else first_s
        schedule.said(stream, CHUNK_S, now)
        starved = max(starved, now - plays_until.get(stream, now))
        plays_until[stream] = max(now, plays_until.get(stream, now)) + CHUNK_S
    return starved


@pytest.mark.parametrize("streams", [1, 2, 4, 6])
@pytest.mark.parametrize("first_s", [0.0, 0.01, 0.08, 0.1])
def test_streams_that_can_be_served_never_starve(streams: int, first_s: float) -> None:
    """To begin takes longer than a chunk lasts, to go on an eighth of it."""
    assert begin(Schedule(), streams, now=0.0, first_s=first_s, later_s=0.01) == 0.0


def test_whoever_would_starve_goes_before_a_newcomer() -> None:
    schedule = Schedule()
    schedule.add(1, credit=100, now=0.0)
    assert turns(schedule, 1, now=0.0, step_s=0.1) == [1]
    schedule.add(2, credit=100, now=0.1)
    # The newcomer takes 100 ms, what follows for it and then for this one as long, for all that
    # is known: 80 ms in hand are too few, and so are 290.
    assert turns(schedule, 5, now=0.1, step_s=0.01) == [1, 1, 1, 1, 2]


@pytest.mark.parametrize(("last_s", "begins"), [(0.34, True), (0.32, False)])
def test_a_newcomer_waits_until_all_others_can_be_served_after_it(
    last_s: float, *, begins: bool
) -> None:
    """A beginning of 50 ms, then 70 for its next chunks and for each of three others."""
    schedule = playing(0.3, 0.3, last_s)
    assert schedule.next(-0.07) == 1
    schedule.said(1, 0.0, 0.0)
    schedule.add(4, credit=100, now=0.0)
    assert (schedule.next(0.0) == 4) is begins


def test_a_beginning_that_takes_no_time_waits_for_nobody() -> None:
    schedule = Schedule()
    for stream in (1, 2, 3):
        schedule.add(stream, credit=100, now=0.0)
    assert turns(schedule, 3, now=0.0) == [1, 2, 3]


def test_one_slow_beginning_is_forgotten() -> None:
    schedule = Schedule()
    schedule.add(0, credit=1, now=0.0)
    turns(schedule, 1, now=0.0, step_s=3.0)
    for stream in range(1, 30):
        schedule.add(stream, credit=1, now=10.0)
        turns(schedule, 1, now=10.0, step_s=0.001)
    schedule.add(30, credit=2, now=20.0)
    turns(schedule, 1, now=20.0, step_s=0.001)
    schedule.add(31, credit=1, now=20.001)
    assert schedule.next(20.001) == 31


@given(
    joins=st.lists(st.integers(0, 40), min_size=1, max_size=8),
    step_s=st.floats(0.0, 0.2),
)
def test_a_newcomer_waits_for_its_elders_and_no_longer_than_patience(
    joins: list[int], step_s: float
) -> None:
    schedule, now, waiting, began_at = Schedule(), 0.0, dict[int, float](), -1.0
    for turn in range(80):
        for stream, at in enumerate(joins):
            if at == turn:
                schedule.add(stream, credit=1000, now=now)
                waiting[stream] = now
        if (due := schedule.next(now)) is None:
            continue
        if due in waiting:
            assert due == min(waiting, key=lambda one: waiting[one])
            del waiting[due]
            began_at = now + step_s
        elif waiting:
            assert now - max(began_at, min(waiting.values())) <= PATIENCE_S
        now += step_s
        schedule.said(due, CHUNK_S, now)


@given(count=st.integers(1, 8), step_s=st.floats(0.0, 0.2))
def test_streams_that_begin_together_stay_within_one_chunk(count: int, step_s: float) -> None:
    schedule = Schedule()
    for stream in range(count):
        schedule.add(stream, credit=1000, now=0.0)
    assert sorted(turns(schedule, count, now=0.0)) == list(range(count))
    said = dict.fromkeys(range(count), 0)
    for stream in turns(schedule, 10 * count, now=0.0, step_s=step_s):
        said[stream] += 1
        assert max(said.values()) - min(said.values()) <= 1


def test_the_third_begins_before_the_tenth_chunk_of_others_even_when_all_is_too_slow() -> None:
    schedule = Schedule()
    schedule.add(1, credit=1000, now=0.0)
    schedule.add(2, credit=1000, now=0.0)
    order = turns(schedule, 2, now=0.0, step_s=0.125)
    schedule.add(3, credit=1000, now=0.25)
    order += turns(schedule, 40, now=0.25, step_s=0.125)
    before = order[: order.index(3)]
    assert max(before.count(1), before.count(2)) < 10


def test_it_is_at_ease_with_nobody() -> None:
    assert Schedule().at_ease(0.0)


def test_a_newcomer_is_not_at_ease() -> None:
    schedule = Schedule()
    schedule.add(1, credit=100, now=0.0)
    assert not schedule.at_ease(0.0)


def test_who_has_enough_in_hand_is_at_ease_until_it_is_played() -> None:
    schedule = Schedule()
    schedule.add(1, credit=100, now=0.0)
    while not schedule.at_ease(0.0):
        turns(schedule, 1, now=0.0)
    in_hand_s = schedule._turns[1].in_hand_s
    assert in_hand_s >= EASE_S
    assert schedule.at_ease(in_hand_s - EASE_S - 0.01)
    assert not schedule.at_ease(in_hand_s - EASE_S + 0.01)


def test_who_may_not_speak_is_waited_for_by_nobody() -> None:
    schedule = Schedule()
    schedule.add(1, credit=1, now=0.0)
    turns(schedule, 1, now=0.0)
    assert schedule.at_ease(10.0)
    schedule.grant(1, 1)
    assert not schedule.at_ease(10.0)


def test_one_in_need_is_enough() -> None:
    schedule = Schedule()
    schedule.add(1, credit=100, now=0.0)
    turns(schedule, 20, now=0.0)
    assert schedule.at_ease(0.0)
    schedule.add(2, credit=100, now=0.0)
    assert not schedule.at_ease(0.0)


def playing(*in_hand_s: float) -> Schedule:
    """Streams from 1 on, each begun in 50 ms by now (0.0), whose listeners have so much in hand."""
    schedule = Schedule()
    for stream, left_s in enumerate(in_hand_s, start=1):
        schedule.add(stream, credit=100, now=-0.05)
        assert schedule.next(-0.05) == stream
        schedule.said(stream, left_s, 0.0)
    return schedule


def test_the_next_piece_of_who_has_enough_in_hand_waits_for_who_has_less() -> None:
    schedule = playing(0.6)
    schedule.add(2, credit=100, now=0.0, in_hand_s=1.5)
    assert schedule.next(0.0) == 1
    schedule.add(3, credit=100, now=0.0)
    assert schedule.next(0.0) == 3, "who hears nothing yet comes before both"


def test_the_next_piece_of_who_runs_out_first_comes_first() -> None:
    schedule = playing(0.6, 0.5)
    schedule.add(3, credit=100, now=0.0, in_hand_s=0.3)
    assert schedule.next(0.0) == 3


def test_to_begin_the_next_piece_is_known_to_take_longer_than_to_go_on() -> None:
    schedule = playing(0.6)
    schedule.add(2, credit=100, now=0.0, in_hand_s=0.64)
    assert schedule.next(0.0) == 2
    schedule = playing(0.6)
    schedule.add(2, credit=100, now=0.0, in_hand_s=0.66)
    assert schedule.next(0.0) == 1


def test_who_has_run_out_between_two_pieces_comes_before_a_newcomer() -> None:
    schedule = playing(2.0)
    schedule.add(2, credit=100, now=0.0)
    schedule.add(3, credit=100, now=0.0, in_hand_s=0.0)
    assert schedule.next(0.0) == 3


def test_what_was_in_hand_before_a_piece_counts_on_with_it() -> None:
    schedule = playing(0.6)
    schedule.add(2, credit=100, now=0.0, in_hand_s=0.55)
    assert turns(schedule, 1, now=0.0) == [2]
    assert schedule.next(0.0) == 1, "the other has 0.55 s and a chunk"


def test_who_still_hears_the_piece_before_lets_others_work() -> None:
    schedule = Schedule()
    schedule.add(1, credit=100, now=0.0, in_hand_s=EASE_S + 0.1)
    assert schedule.at_ease(0.0)
    assert not schedule.at_ease(0.2)


def ended(left_s: float, *others_s: float) -> Schedule:
    """The first of some streams has just ended, and its utterance goes on."""
    schedule = playing(left_s, *others_s)
    schedule.expect(1, 0.0)
    schedule.remove(1)
    return schedule


def test_a_piece_that_goes_on_with_an_utterance_is_waited_for_a_moment() -> None:
    schedule = ended(0.2, 1.0)
    assert schedule.pause_s(0.0) == pytest.approx(EXPECTED_S)
    assert schedule.pause_s(EXPECTED_S / 2) == pytest.approx(EXPECTED_S / 2)
    assert schedule.pause_s(EXPECTED_S) == 0.0
    assert ended(0.2).pause_s(0.0) > 0.0, "nor is there anybody else"


def test_nobody_is_waited_for_without_a_reason() -> None:
    assert playing(0.2, 1.0).pause_s(0.0) == 0.0
    assert Schedule().pause_s(0.0) == 0.0


def test_who_has_enough_in_hand_is_not_waited_for() -> None:
    assert ended(LONGEST_RESERVE_S + 0.01, 1.0).pause_s(0.0) == 0.0


def test_nobody_is_waited_for_while_another_has_less() -> None:
    assert ended(0.2, 0.15).pause_s(0.0) == 0.0
    assert ended(0.2, 0.2 + EXPECTED_S / 2).pause_s(0.0) == 0.0
    schedule = ended(0.2, 1.0)
    schedule.add(3, credit=100, now=0.0)
    assert schedule.pause_s(0.0) == 0.0, "a newcomer has nothing"


def test_once_the_next_piece_is_there_nobody_waits_for_it() -> None:
    schedule = ended(0.2, 1.0)
    schedule.add(3, credit=100, now=0.005, in_hand_s=0.195)
    assert schedule.pause_s(0.005) == 0.0
    assert schedule.next(0.005) == 3


@given(
    pieces=st.lists(st.integers(1, 12), min_size=2, max_size=6),
    step_s=st.floats(0.0, 0.03),
)
def test_a_listener_of_many_pieces_never_waits_while_all_can_be_served(
    pieces: list[int], step_s: float
) -> None:
    """Two listeners; steps of at most 30 ms for 80 ms each, and a piece follows the one before."""
    schedule, now, in_hand_s = Schedule(), 0.0, [0.0, 0.0]
    left, stream = [list(pieces), [sum(pieces)]], {0: 0, 1: 1}
    schedule.add(0, credit=left[0].pop(0), now=now)
    schedule.add(1, credit=left[1].pop(0), now=now)
    begun = [False, False]
    while (due := schedule.next(now)) is not None:
        who = stream[due]
        now += step_s
        dry = [one - step_s for one in in_hand_s]
        assert all(one > -0.001 for one, goes in zip(dry, begun, strict=True) if goes)
        in_hand_s = [max(0.0, one) for one in dry]
        schedule.said(due, CHUNK_S, now)
        in_hand_s[who] += CHUNK_S
        begun[who] = True
        if not schedule._turns[due].credit:
            schedule.remove(due)
            begun[who] = bool(left[who])
            if left[who]:
                stream[due + 2] = who
                schedule.add(due + 2, left[who].pop(0), now, in_hand_s[who])

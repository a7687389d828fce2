"""Connections: bounded, and taken from who has most and uses least."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.crowd import SHARED, Crowd, Crowded, Guest

pytestmark = pytest.mark.unit


class Visitors:
    """Guests of one crowd, and those that were put out."""

    def __init__(self, crowd: Crowd) -> None:
        self.crowd = crowd
        self.gone: list[Guest] = []

    def enter(self, address: str, *, used: bool = False) -> Guest:
        guest = Guest(address, lambda: self.gone.append(guest))
        self.crowd.enter(guest)
        if used:
            self.crowd.use(guest)
        return guest


def test_an_address_with_too_many_loses_its_own_longest_unused() -> None:
    there = Visitors(Crowd(10, 2))
    other = there.enter("b")
    first, second = there.enter("a"), there.enter("a")
    there.crowd.use(first)
    there.enter("a")
    assert there.gone == [second]
    there.crowd.rest(first)
    assert len(there.crowd) == 3
    there.enter("a")
    assert other not in there.gone


def test_where_all_places_are_taken_the_address_with_most_loses_one() -> None:
    there = Visitors(Crowd(4, 10))
    there.enter("b")
    many = [there.enter("a") for _ in range(3)]
    there.enter("c")
    assert there.gone == many[:1]


def test_what_is_in_use_is_never_taken() -> None:
    there = Visitors(Crowd(3, 10))
    for _ in range(2):
        there.enter("a", used=True)
    free = there.enter("b")
    last = there.enter("c")
    assert there.gone == [free]
    there.crowd.use(last)
    with pytest.raises(Crowded):
        there.enter("d")
    assert len(there.crowd) == 3


def test_of_requests_that_come_slowly_the_one_that_stands_still_goes_first() -> None:
    there = Visitors(Crowd(3, 10))
    slow, still, idle = (there.enter(SHARED) for _ in range(3))
    there.crowd.progress(idle)
    there.crowd.progress(slow)
    for gone in (still, idle, slow):
        there.enter(SHARED, used=True)
        assert there.gone[-1] is gone


def test_a_request_that_has_come_to_its_end_is_no_slow_one_again() -> None:
    there = Visitors(Crowd(2, 10))
    there.crowd.progress(there.enter("a", used=True))
    there.enter("a", used=True)
    with pytest.raises(Crowded):
        there.enter("b")


def test_an_answer_before_the_end_of_a_request_is_a_use() -> None:
    there = Visitors(Crowd(2, 10))
    first, second = there.enter("a"), there.enter("a")
    there.crowd.rest(first)
    there.enter("a")
    assert there.gone == [second]


def test_behind_a_proxy_only_the_whole_is_bounded() -> None:
    there = Visitors(Crowd(3, 1))
    guests = [there.enter(SHARED, used=True) for _ in range(3)]
    with pytest.raises(Crowded):
        there.enter(SHARED)
    there.crowd.leave(guests[0])
    there.enter(SHARED)
    assert there.gone == []


def test_whoever_has_left_is_not_there_whatever_is_told_of_it() -> None:
    there = Visitors(Crowd(1, 1))
    guest = there.enter("a", used=True)
    for _ in range(2):
        there.crowd.leave(guest)
    there.crowd.rest(guest)
    there.crowd.progress(guest)
    there.enter("b", used=True)
    assert there.gone == []
    assert len(there.crowd) == 1


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["enter", "use", "progress", "rest", "leave"]),
        st.sampled_from("abc"),
        st.integers(0, 9),
    ),
    max_size=60,
)


@given(STEPS)
def test_bounds_hold_whatever_happens(steps: list[tuple[str, str, int]]) -> None:
    there = Visitors(Crowd(5, 3))
    guests: list[Guest] = []
    for step, address, index in steps:
        if step == "enter":
            try:
                guests.append(there.enter(address))
            except Crowded:
                continue
        elif guests:
            getattr(there.crowd, step)(guests[index % len(guests)])
        inside = [one for one in guests if one in there.crowd._all]
        assert len(there.crowd) == len(inside) <= 5
        assert all(sum(one.address == at for one in inside) <= 3 for at in "abc")
        assert not {*map(id, there.gone)} & {*map(id, inside)}

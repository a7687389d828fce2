"""Places are shared among keys, and all had by a single one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.shares import AllTaken, OthersAreWaiting, Shares

pytestmark = pytest.mark.unit


def taken(shares: Shares, tenant: str) -> int:
    """How many places a key gets when it takes all that it can."""
    count = 0
    while True:
        try:
            shares.take(tenant)
        except (AllTaken, OthersAreWaiting):
            return count
        count += 1


def test_a_single_key_may_have_all_places() -> None:
    assert taken(Shares(8, shared=False), "a") == 8


@pytest.mark.parametrize(("places", "first"), [(4, 3), (8, 6), (16, 12)])
def test_one_of_several_leaves_a_quarter_to_others(places: int, first: int) -> None:
    shares = Shares(places)
    assert taken(shares, "a") == first
    assert taken(shares, "b") > 0


def test_who_is_refused_is_told_whether_others_could() -> None:
    shares = Shares(4)
    taken(shares, "a")
    with pytest.raises(OthersAreWaiting):
        shares.take("a")
    shares.take("b")
    with pytest.raises(AllTaken):
        shares.take("c")


@given(st.integers(4, 64), st.lists(st.booleans()))
def test_whatever_a_key_takes_there_is_a_place_for_another(places: int, steps: list[bool]) -> None:
    shares, having = Shares(places), 0
    for more in steps:
        if more:
            having += taken(shares, "a")
        elif having:
            shares.give_back("a")
            having -= 1
        assert shares.free == places - having
        shares.take("b")
        shares.give_back("b")

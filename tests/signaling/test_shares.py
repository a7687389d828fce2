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
    assert taken(Shares(8), "a") == 8


@pytest.mark.parametrize(("places", "first"), [(4, 3), (8, 6), (16, 12)])
def test_one_of_two_leaves_a_quarter_of_which_the_other_has_most(places: int, first: int) -> None:
    shares = Shares(places, 2)
    assert taken(shares, "a") == first
    assert taken(shares, "b") >= (places - first) // 2


@pytest.mark.parametrize("places", [3, 4, 8, 16, 64])
def test_two_of_several_leave_a_place_to_a_third(places: int) -> None:
    shares = Shares(places, 3)
    taken(shares, "a")
    taken(shares, "b")
    assert taken(shares, "c") > 0
    assert shares.free <= places // 32, "hardly any is kept for nobody"


def test_an_eighth_is_left_to_those_who_have_none_where_there_are_many_keys() -> None:
    shares = Shares(64, 100)
    for greedy in "abcdef":
        taken(shares, greedy)
    assert [taken(shares, one) for one in ("u", "v")] == [1, 1]


def test_who_is_refused_is_told_whether_others_could() -> None:
    shares = Shares(4, 3)
    taken(shares, "a")
    with pytest.raises(OthersAreWaiting):
        shares.take("a")
    shares.take("b")
    with pytest.raises(OthersAreWaiting):
        shares.take("b")
    shares.take("c")
    with pytest.raises(AllTaken):
        shares.take("c")


@given(st.integers(3, 64), st.integers(3, 40), st.lists(st.sampled_from("abAB")))
def test_whatever_two_keys_do_there_is_a_place_for_another(
    places: int, tenants: int, steps: list[str]
) -> None:
    """Small letters take all that they get, capital ones give one back."""
    shares, having = Shares(places, tenants), {"a": 0, "b": 0}
    for step in steps:
        if step in having:
            having[step] += taken(shares, step)
        elif having[step.lower()]:
            shares.give_back(step.lower())
            having[step.lower()] -= 1
        assert shares.free == places - sum(having.values())
        shares.take("c")
        shares.give_back("c")

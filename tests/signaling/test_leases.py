"""Which TURN credentials are good: bounded, ended by holder, by time and by newer ones."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.leases import Leases, TooManyLeases

pytestmark = pytest.mark.unit


def test_a_lease_is_due_when_its_time_has_come() -> None:
    leases = Leases()
    leases.grant("a", "ada", 10.0)
    leases.grant("b", "bob", 20.0)
    assert leases.due(9.9) == []
    assert leases.due(10.0) == ["a"]
    assert leases.due(20.0) == ["a", "b"], "until it is forgotten: taking it back may have failed"
    leases.forget("a")
    leases.forget("a")
    assert leases.due(20.0) == ["b"]
    assert ("a" in leases, "b" in leases, len(leases)) == (False, True, 1)


def test_what_a_holder_has_ends_with_them_and_nothing_else_does() -> None:
    leases = Leases()
    for name, holder in (("a1", "ada"), ("a2", "ada"), ("b", "bob")):
        leases.grant(name, holder, 100.0)
    leases.end("ada")
    leases.end("nobody")
    assert leases.due(0.0) == ["a1", "a2"]


def test_an_end_can_be_set_earlier_but_not_later() -> None:
    leases = Leases()
    leases.grant("a", "ada", 10.0)
    leases.end("ada", 50.0)
    assert leases.due(10.0) == ["a"]
    leases.end("ada", 5.0)
    leases.end("ada", 7.0)
    assert leases.due(5.0) == ["a"]


def test_one_holder_has_so_many_and_the_oldest_gives_way() -> None:
    leases = Leases(per_holder=2)
    for name in ("first", "second", "third"):
        leases.grant(name, "ada", 100.0)
    leases.grant("other", "bob", 100.0)
    assert leases.due(0.0) == ["first"]
    leases.grant("fourth", "ada", 100.0)
    assert set(leases.due(0.0)) == {"first", "second"}


def test_the_same_name_is_renewed() -> None:
    leases = Leases(total=1)
    leases.grant("a", "ada", 10.0)
    leases.grant("a", "ada", 30.0)
    assert len(leases) == 1
    assert leases.due(10.0) == []


def test_there_is_an_end_to_all_of_them() -> None:
    leases = Leases(total=2)
    leases.grant("a", "ada", 10.0)
    leases.grant("b", "bob", 10.0)
    with pytest.raises(TooManyLeases, match="2"):
        leases.grant("c", "eve", 10.0)
    leases.forget("a")
    leases.grant("c", "eve", 10.0)
    assert len(leases) == 2


NAMES = st.sampled_from("abcdefgh")
HOLDERS = st.sampled_from(["ada", "bob"])
TIMES = st.floats(0, 100)
STEPS = st.one_of(
    st.tuples(st.just("grant"), NAMES, HOLDERS, TIMES),
    st.tuples(st.just("end"), HOLDERS, TIMES),
    st.tuples(st.just("forget"), NAMES),
)


@given(st.lists(STEPS, max_size=40))
def test_bounds_hold_and_all_comes_to_its_end(steps: list[tuple[str, ...]]) -> None:
    leases = Leases(total=5, per_holder=3)
    for step in steps:
        match step:
            case ("grant", name, holder, until_s):
                try:
                    leases.grant(name, holder, float(until_s))
                except TooManyLeases:
                    assert len(leases) == 5
            case ("end", holder, until_s):
                leases.end(holder, float(until_s))
            case ("forget", name):
                leases.forget(name)
            case _:
                raise AssertionError(step)
        assert len(leases) <= 5
        assert len(leases) - len(leases.due(-1.0)) <= 2 * 3, "three good ones of each holder"
    everything = leases.due(math.inf)
    assert len(everything) == len(leases)
    for name in everything:
        leases.forget(name)
    assert len(leases) == 0

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
    assert leases.good(9.9) == ["a", "b"]
    assert leases.due(10.0) == ["a"]
    assert leases.good(10.0) == ["b"]
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


def test_one_can_end_alone() -> None:
    leases = Leases()
    leases.grant("a1", "ada", 100.0)
    leases.grant("a2", "ada", 100.0)
    leases.end_one("a1")
    leases.end_one("a1")
    leases.end_one("nobody's")
    assert leases.due(0.0) == ["a1"]


def test_an_end_can_be_set_earlier_but_not_later() -> None:
    leases = Leases()
    leases.grant("a", "ada", 10.0)
    leases.end("ada", 50.0)
    assert leases.due(10.0) == ["a"]
    leases.end("ada", 5.0)
    leases.end("ada", 7.0)
    assert leases.due(5.0) == ["a"]


def test_one_holder_has_so_many_and_the_oldest_gives_way() -> None:
    leases = Leases()
    given = [
        leases.grant(name, "ada", 100.0, tenant=tenant, at_most=2)
        for name, tenant in (("first", "acme"), ("second", None), ("third", "acme"))
    ]
    leases.grant("other", "bob", 100.0, at_most=2)
    assert given == [[], [], ["first"]]
    assert leases.due(0.0) == ["first"]
    assert leases.grant("fourth", "ada", 100.0, at_most=2) == ["second"]
    assert leases.grant("only", "ada", 100.0, at_most=1) == ["third", "fourth"]


def test_the_same_name_is_renewed() -> None:
    leases = Leases(total=1)
    leases.grant("a", "ada", 10.0, tenant="acme")
    assert leases.grant("a", "ada", 30.0, tenant="acme") == []
    assert len(leases) == 1
    assert leases.due(10.0) == []


def test_whose_key_has_all_that_it_may_have_gives_up_the_oldest() -> None:
    leases = Leases(total=3)
    for name, holder in (("b1", "acme/bob"), ("a1", "acme/ada"), ("a2", "acme/ada")):
        assert leases.grant(name, holder, 10.0, tenant="acme") == []
    assert leases.grant("a3", "acme/ada", 10.0, tenant="acme") == ["a1"], "their own, while any"
    assert leases.grant("e1", "acme/eve", 10.0, tenant="acme") == ["b1"], "or else their key's"
    assert leases.due(0.0) == ["b1", "a1"]


def test_one_key_cannot_take_the_places_of_another() -> None:
    leases = Leases(total=100, tenants=3)
    for number in range(1_000):
        leases.grant(f"e{number}", f"eve/{number}", 10.0, tenant="eve")
    assert len(leases.good(0.0)) == 75, "three quarters"
    for number in range(1_000):
        leases.grant(f"b{number}", f"bob/{number}", 10.0, tenant="bob")
    assert leases.grant("a", "ada", 10.0, tenant="ada") == []
    assert "a" in leases.good(0.0)
    assert len(leases.good(0.0)) <= 100


def test_sessions_have_theirs_whatever_the_keys_have() -> None:
    leases = Leases(total=1)
    leases.grant("a", "ada", 10.0, tenant="acme")
    assert leases.grant("s", "session", 10.0) == []
    assert leases.good(0.0) == ["a", "s"]


def test_where_there_is_nothing_to_give_up_there_are_too_many() -> None:
    leases = Leases(total=1, tenants=1)
    leases.grant("a", "ada", 10.0, tenant="acme")
    with pytest.raises(TooManyLeases, match="1"):
        leases.grant("e", "eve", 10.0, tenant="evil")
    leases.end("ada")
    leases.grant("e", "eve", 10.0, tenant="evil")
    assert leases.good(0.0) == ["e"]


NAMES = st.sampled_from("abcdefgh")
HOLDERS = st.sampled_from(["ada", "bob"])
TENANTS = st.sampled_from(["acme", "evil", None])
TIMES = st.floats(0, 100)
STEPS = st.one_of(
    st.tuples(st.just("grant"), NAMES, HOLDERS, TENANTS, TIMES),
    st.tuples(st.just("end"), HOLDERS, st.one_of(TIMES, st.just(-math.inf))),
    st.tuples(st.just("end_one"), NAMES, TIMES),
    st.tuples(st.just("forget"), NAMES),
)


@given(st.lists(STEPS, max_size=40))
def test_bounds_hold_and_all_comes_to_its_end(steps: list[tuple[str, ...]]) -> None:
    leases = Leases(total=3, tenants=2)
    shared: dict[str, str | None] = {}
    for step in steps:
        match step:
            case ("grant", name, holder, tenant, until_s):
                try:
                    ended = leases.grant(name, holder, float(until_s), tenant=tenant, at_most=3)
                    assert set(ended) <= set(leases.due(-1.0))
                    shared[name] = tenant
                except TooManyLeases:
                    assert tenant is not None
            case ("end", holder, until_s):
                leases.end(holder, float(until_s))
            case ("end_one", name, until_s):
                leases.end_one(name, float(until_s))
            case ("forget", name):
                leases.forget(name)
            case _:
                raise AssertionError(step)
        good = leases.good(-1.0)
        assert len(good) <= 2 * 3, "three good ones of each holder"
        assert sum(shared[name] is not None for name in good) <= 3
    everything = leases.due(math.inf)
    assert len(everything) == len(leases)
    for name in everything:
        leases.forget(name)
    assert len(leases) == 0
    assert (leases._of_holder, leases._of_tenant, leases._shared) == ({}, {}, {})

"""Whoever comes is let in to wait, at the cost of those who hold most places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.lobby import Lobby, Waiting

pytestmark = pytest.mark.unit


def came(lobby: Lobby, addresses: str) -> list[str]:
    """Let one wait from each address; those who were put out, by address and number."""
    out: list[str] = []
    for number, address in enumerate(addresses):
        name = f"{address}{number}"
        lobby.enter(Waiting(address, lambda name=name: out.append(name)))  # type: ignore[misc]
    return out


def test_nobody_is_put_out_while_there_are_places() -> None:
    lobby = Lobby(3)
    assert came(lobby, "aaa") == []
    assert len(lobby) == 3


def test_who_has_most_places_gives_one_up_and_the_oldest_first() -> None:
    assert came(Lobby(3), "baaab") == ["a1", "a2"]


def test_among_equals_the_one_goes_that_has_waited_longest() -> None:
    assert came(Lobby(2), "abc") == ["a0"]


def test_who_has_left_is_not_put_out() -> None:
    lobby, out = Lobby(1), list[str]()
    first = Waiting("a", lambda: out.append("first"))
    lobby.enter(first)
    lobby.leave(first)
    lobby.leave(first)
    came(lobby, "b")
    assert out == []


@given(st.text("abc", max_size=40), st.integers(1, 5))
def test_places_are_bounded_and_the_last_always_waits(addresses: str, places: int) -> None:
    lobby = Lobby(places)
    out = came(lobby, addresses)
    assert len(lobby) == min(places, len(addresses)) == len(addresses) - len(out)
    assert f"{addresses[-1:]}{len(addresses) - 1}" not in out


@given(st.integers(1, 200))
def test_a_flood_from_one_address_costs_no_other_a_place(flood: int) -> None:
    out = came(Lobby(8), "xyz" + "a" * flood)
    assert {name[0] for name in out} <= {"a"}

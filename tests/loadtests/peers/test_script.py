from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtests.peers.catalogue import OURS, PEERS
from loadtests.peers.figures import ENOUGH
from loadtests.peers.script import SCRIPT, interleaved, order

pytestmark = pytest.mark.unit

_NAMES = st.lists(st.text(min_size=1), unique=True)


def test_ours_are_called_between_the_others() -> None:
    assert interleaved(["a", "b", "c"], ["x", "y"]) == ["a", "x", "b", "y", "c"]


@given(_NAMES, _NAMES)
def test_everybody_is_called_once_and_in_order(others: list[str], ours: list[str]) -> None:
    others = [f"other {name}" for name in others]
    together = interleaved(others, ours)
    assert Counter(together) == Counter([*others, *ours])
    assert [name for name in together if name in others] == others
    assert [name for name in together if name in ours] == ours


@given(_NAMES, st.integers(0, 12), st.integers())
def test_each_round_has_everybody_with_the_same_neighbours(
    names: list[str], rounds: int, seed: int
) -> None:
    turns = order(names, rounds, seed)
    assert len(turns) == (rounds if names else 0)
    circle = {*pairwise([*names, *names[:1]])}
    for turn in turns:
        assert Counter(turn) == Counter(names)
        assert {*pairwise([*turn, turn[0]])} == circle


def test_nobody_is_first_twice_before_everybody_was() -> None:
    names = list("abcdefg")
    firsts = [turn[0] for turn in order(names, len(names), seed=3)]
    assert sorted(firsts) == names
    assert firsts != names


def test_a_seed_repeats_the_turns() -> None:
    names = list("abcdefg")
    assert order(names, 9, seed=5) == order(names, 9, seed=5)
    assert order(names, 9, seed=5) != order(names, 9, seed=6)


def test_the_rounds_of_a_full_run_are_enough_for_a_95th_percentile() -> None:
    assert 5 * len(SCRIPT.lines) >= ENOUGH


def test_half_of_the_watched_time_is_speech() -> None:
    words = sum(line.words for line in SCRIPT.watched)
    assert words / 2.9 == pytest.approx(SCRIPT.slots_s / 2, rel=0.15)


def test_the_script_has_texts_of_several_lengths_some_cut_off() -> None:
    assert sorted({line.words for line in SCRIPT.lines}) == [2, 10, 17, 32]
    assert SCRIPT.cut
    assert all(line.slot_s for line in SCRIPT.lossy)


def test_the_compared_have_names_of_their_own_and_pinned_packages() -> None:
    names = [one.name for one in (*OURS, *PEERS)]
    assert len(set(names)) == len(names)
    for peer in PEERS:
        lines = peer.requirements.read_text().splitlines()
        packages = [line for line in lines if line and not line.startswith("#")]
        assert packages
        assert all("==" in package for package in packages), peer.name

"""Who is kept out of a room, by time alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.rooms.exclusions import MAX_MARKS, Exclusions

pytestmark = pytest.mark.unit


def test_a_mark_keeps_out_until_its_end() -> None:
    kept = Exclusions(10.0)
    kept.add(["name Bob"], 5.0)
    assert kept.remaining_s(["name Bob"], 5.0) == 10.0
    assert kept.remaining_s(["name Bob"], 14.0) == 1.0
    assert kept.remaining_s(["name Bob"], 15.0) == 0.0
    assert kept.remaining_s(["name Eve"], 5.0) == 0.0


def test_one_of_several_marks_is_enough() -> None:
    kept = Exclusions(10.0)
    kept.add(["session 1", "name Bob"], 0.0)
    assert kept.remaining_s(["session 2", "name Bob"], 4.0) == 6.0
    assert kept.remaining_s([], 4.0) == 0.0


def test_who_is_put_out_again_stays_out_for_longer() -> None:
    kept = Exclusions(10.0)
    kept.add(["a"], 0.0)
    kept.add(["a"], 8.0)
    kept.expire(10.0)
    assert kept.remaining_s(["a"], 10.0) == 8.0


def test_what_has_ended_is_forgotten() -> None:
    kept = Exclusions(10.0)
    kept.add(["a"], 0.0)
    kept.add(["b"], 5.0)
    assert len(kept) == 2
    kept.expire(10.0)
    assert len(kept) == 1
    kept.add(["c"], 20.0)
    assert len(kept) == 1


def test_the_table_cannot_grow() -> None:
    kept = Exclusions()
    for n in range(MAX_MARKS + 5):
        kept.add([f"user {n}"], 1.0)
    assert len(kept) == MAX_MARKS
    assert kept.remaining_s(["user 4"], 1.0) == 0.0
    assert kept.remaining_s(["user 5"], 1.0) == kept.lasts_s


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0.0, 5.0))), st.floats(0.0, 10.0))
def test_it_is_as_if_every_mark_had_a_clock(steps: list[tuple[str, float]], lasts_s: float) -> None:
    kept, now, since = Exclusions(lasts_s), 0.0, dict[str, float]()
    for mark, wait_s in steps:
        now += wait_s
        kept.add([mark], now)
        since[mark] = now
        for one, at in since.items():
            left_s = max(0.0, at + lasts_s - now)
            assert kept.remaining_s([one], now) == pytest.approx(left_s)

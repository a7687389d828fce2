"""Times between packets, by their numbers and moments."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtests.arrivals import Arrivals

pytestmark = pytest.mark.unit

MS = 1_000_000


def header(sequence: int, ssrc: int = 7) -> bytes:
    return b"\x80\x6f" + sequence.to_bytes(2, "big") + bytes(4) + ssrc.to_bytes(4, "big")


def test_packets_that_follow_each_other_have_a_time_between_them() -> None:
    arrivals = Arrivals()
    for sequence, at_ms in ((5, 0), (6, 20), (7, 45)):
        arrivals.take(header(sequence), at_ms * MS)
    assert arrivals.drain() == [20.0, 25.0]
    assert arrivals.drain() == []


def test_the_time_goes_on_where_it_was_drained() -> None:
    arrivals = Arrivals()
    arrivals.take(header(1), 0)
    arrivals.drain()
    arrivals.take(header(2), 21 * MS)
    assert arrivals.drain() == [21.0]


@pytest.mark.parametrize("next_sequence", [7, 5, 4], ids=["lost", "twice", "overtaken"])
def test_around_a_hole_nobody_knows_when_packets_left(next_sequence: int) -> None:
    arrivals = Arrivals()
    arrivals.take(header(5), 0)
    arrivals.take(header(next_sequence), 40 * MS)
    assert arrivals.drain() == []


def test_numbers_begin_again_after_the_last_one() -> None:
    arrivals = Arrivals()
    arrivals.take(header(65_535), 0)
    arrivals.take(header(0), 20 * MS)
    assert arrivals.drain() == [20.0]


def test_streams_are_told_apart() -> None:
    arrivals = Arrivals()
    for sequence, ssrc, at_ms in ((1, 7, 0), (2, 8, 3), (2, 7, 20), (3, 8, 23)):
        arrivals.take(header(sequence, ssrc), at_ms * MS)
    assert arrivals.drain() == [20.0, 20.0]


def test_packets_without_a_moment_are_counted() -> None:
    arrivals = Arrivals()
    arrivals.take(header(1), None)
    assert arrivals.unstamped == 1
    assert arrivals.drain() == []


def test_nothing_is_lost_unless_it_is_wanted() -> None:
    arrivals = Arrivals()
    assert not any(arrivals.loses() for _ in range(1000))
    arrivals.loss = 0.25
    assert sum(arrivals.loses() for _ in range(4000)) == pytest.approx(1000, abs=150)


def test_the_same_seed_loses_the_same() -> None:
    def lost(seed: int) -> list[bool]:
        arrivals = Arrivals(loss=0.5, chance=random.Random(seed))
        return [arrivals.loses() for _ in range(64)]

    assert lost(3) == lost(3) != lost(4)


@given(st.lists(st.integers(0, 10_000_000), min_size=2, max_size=50))
def test_times_between_packets_add_up(steps_ns: list[int]) -> None:
    arrivals, at_ns = Arrivals(), 0
    for sequence, step_ns in enumerate(steps_ns, start=65_520):
        at_ns += step_ns
        arrivals.take(header(sequence % 65_536), at_ns)
    assert sum(arrivals.drain()) == pytest.approx((at_ns - steps_ns[0]) / MS)

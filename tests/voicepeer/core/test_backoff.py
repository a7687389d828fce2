"""Waits before coming back: longer each time, not all alike, and not for ever."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.backoff import Backoff

pytestmark = pytest.mark.unit


def test_without_chance_they_double_up_to_the_longest() -> None:
    backoff = Backoff(0.5, 3.0, 60.0, now=100.0, jitter=0.0)
    assert [backoff.wait_s(100.0) for _ in range(5)] == [0.5, 1.0, 2.0, 3.0, 3.0]


@given(
    st.integers(0, 2**32),
    st.floats(0.01, 1.0),
    st.floats(1.0, 30.0),
    st.floats(0.0, 1.0),
)
def test_chance_only_takes_from_them_and_no_more_than_its_share(
    seed: int, first_s: float, longest_s: float, jitter: float
) -> None:
    backoff = Backoff(first_s, longest_s, 60.0, now=0.0, jitter=jitter, seed=seed)
    most_s = first_s
    for _ in range(8):
        wait_s = backoff.wait_s(0.0)
        assert wait_s is not None
        assert most_s * (1 - jitter) * 0.999 <= wait_s <= most_s
        most_s = min(2 * most_s, longest_s)


def test_those_who_were_lost_together_do_not_come_back_together() -> None:
    waits = {Backoff(0.5, 8.0, 60.0, now=0.0, seed=seed).wait_s(0.0) for seed in range(50)}
    assert len(waits) == 50
    assert waits == {Backoff(0.5, 8.0, 60.0, now=0.0, seed=seed).wait_s(0.0) for seed in range(50)}


def test_it_ends() -> None:
    backoff = Backoff(0.5, 8.0, 60.0, now=10.0)
    assert backoff.wait_s(70.0) is not None
    assert backoff.wait_s(70.1) is None

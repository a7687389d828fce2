"""Closed forms against values that are known otherwise, and against each other."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtests.model.queueing import (
    binomial,
    erlang_b,
    erlang_c,
    mg1_wait_s,
    mm1_wait_s,
    mmc_wait_s,
    talkers_beyond,
    users_for_streams,
)

pytestmark = pytest.mark.unit

LOADS = st.floats(0.01, 0.95)


def test_waiting_before_one_server_is_known_from_textbooks() -> None:
    # 8 a second, 0.1 s each: 0.8 / (10 - 8) s.
    assert mm1_wait_s(8.0, 0.1) == pytest.approx(0.4)


@given(load=LOADS)
def test_constant_service_halves_the_wait(load: float) -> None:
    assert mg1_wait_s(load, 1.0, 0.0) == pytest.approx(mm1_wait_s(load, 1.0) / 2.0)


@given(load=LOADS)
def test_one_of_several_servers_is_one_server(load: float) -> None:
    assert mmc_wait_s(1, load, 1.0) == pytest.approx(mm1_wait_s(load, 1.0))
    assert erlang_c(1, load) == pytest.approx(load)


def test_erlangs_tables() -> None:
    # Values of the usual tables: 10 lines, 5 erlangs block 1.84 %; 3 servers, 2 erlangs 0.444.
    assert erlang_b(10, 5.0) == pytest.approx(0.0184, abs=5e-5)
    assert erlang_c(3, 2.0) == pytest.approx(4.0 / 9.0)


@given(servers=st.integers(1, 50), load=LOADS)
def test_one_queue_for_all_servers_waits_less_than_one_each(servers: int, load: float) -> None:
    pooled = mmc_wait_s(servers, servers * load, 1.0)
    assert pooled <= mm1_wait_s(load, 1.0) + 1e-12


@pytest.mark.parametrize("load", [1.0, 1.5, -0.1])
def test_what_is_never_served_is_no_number(load: float) -> None:
    with pytest.raises(ValueError, match="never served"):
        mm1_wait_s(load, 1.0)
    with pytest.raises(ValueError, match="never served"):
        mmc_wait_s(2, 2.0 * load, 1.0)


@given(trials=st.integers(0, 60), share=st.floats(0.0, 1.0))
def test_a_binomial_distribution_sums_to_one_and_has_its_mean(trials: int, share: float) -> None:
    shares = [binomial(trials, share, count) for count in range(trials + 1)]
    assert sum(shares) == pytest.approx(1.0)
    mean = sum(count * one for count, one in enumerate(shares))
    assert mean == pytest.approx(trials * share, abs=1e-9)


def test_a_binomial_distribution_of_many_is_that_of_poisson() -> None:
    of_many = binomial(100_000, 1e-4, 12)
    assert of_many == pytest.approx(math.exp(-10.0) * 10.0**12 / math.factorial(12), rel=1e-3)


def test_talkers_at_once_are_counted() -> None:
    assert talkers_beyond(3, 0.5, 2) == pytest.approx(1.0 / 8.0)
    assert talkers_beyond(3, 0.5, 3) == 0.0


@given(
    streams=st.integers(1, 200), talk=st.floats(0.05, 1.0), beyond=st.sampled_from([0.001, 0.01])
)
def test_users_of_streams_fit_and_one_more_does_not(
    streams: int, talk: float, beyond: float
) -> None:
    users = users_for_streams(streams, talk, beyond)
    assert users >= streams
    assert talkers_beyond(users, talk, streams) <= beyond
    assert talkers_beyond(users + 1, talk, streams) > beyond


def test_the_more_streams_the_better_they_are_shared() -> None:
    shared = [users_for_streams(streams, 0.25, 0.01) / streams for streams in (4, 16, 64, 256)]
    assert shared == sorted(shared)
    assert shared[-1] < 4.0


@pytest.mark.parametrize("talk", [0.0, 1.1, -1.0])
def test_there_is_no_limit_where_nobody_talks(talk: float) -> None:
    with pytest.raises(ValueError, match="share of talk"):
        users_for_streams(4, talk, 0.01)

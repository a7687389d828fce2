"""How many replicas there have to be, and what that depends on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtests.model import cluster
from loadtests.model.cluster import Ability, Goal, GoalNeverMet, _shares
from loadtests.model.outcome import Outcome
from loadtests.model.replica import Plant
from tests.loadtests.model.made import parts

pytestmark = pytest.mark.unit

GOAL = Goal(p95_ms=300.0)


def outcome(users: int, wait_ms: float) -> Outcome:
    """Everybody waits as long."""
    return Outcome(
        60.0,
        users,
        texts=100,
        heard_after_s=[wait_ms / 1000.0] * 100,
        spoken_s=600.0,
        engine_cores=0.1 * users,
    )


def able(most: int = 20, step_ms: float = 20.0) -> Ability:
    """Each user more costs all others so much time."""
    outcomes = {users: outcome(users, 100.0 + step_ms * users) for users in range(1, most + 1)}
    return Ability(outcomes, 0.0, GOAL)


def test_a_replica_serves_as_many_as_meet_the_goal_and_all_fewer() -> None:
    assert able().users == 10
    gap = {**able().outcomes, 4: outcome(4, 900.0)}
    assert Ability(gap, 0.0, GOAL).users == 3
    assert Ability({1: outcome(1, 900.0)}, 0.0, GOAL).users == 0


@pytest.mark.parametrize(
    "spoiled",
    [{"underruns": 10}, {"media_cores": 0.8}, {"refused": 1}, {"heard_after_s": []}],
)
def test_a_goal_has_several_sides(spoiled: dict[str, object]) -> None:
    good = outcome(1, 100.0)
    assert GOAL.met(good, 0.0)
    assert not GOAL.met(replace(good, **spoiled), 0.0)  # type: ignore[arg-type]


def test_what_is_not_simulated_counts() -> None:
    assert not GOAL.met(outcome(1, 290.0), 20.0)


@pytest.mark.parametrize(("users", "replicas"), [(1, 1), (10, 1), (11, 2), (100_000, 10_000)])
def test_sessions_that_go_to_the_emptiest_need_no_room_to_spare(users: int, replicas: int) -> None:
    found = cluster.cluster(users, "least", able())
    assert found.replicas == replicas
    assert found.refused_share == 0.0
    assert found.p95_ms is not None
    assert found.p95_ms <= GOAL.p95_ms


@pytest.mark.parametrize("users", [100, 1_000, 100_000])
def test_sessions_that_go_anywhere_need_more_replicas(users: int) -> None:
    found = cluster.cluster(users, "random", able())
    assert found.replicas > users / 10
    assert found.p95_ms is not None
    assert found.p95_ms <= GOAL.p95_ms
    assert found.refused_share <= cluster.MOST_REFUSED
    assert found.crowded_share <= cluster.MOST_CROWDED
    one_less = cluster._met(users, "random", found.replicas - 1, able())
    assert not cluster._good(one_less, GOAL)


def test_who_finds_a_full_replica_is_refused() -> None:
    crowded = cluster._met(1_000, "random", 60, able(most=20))
    # The share of a Poisson distribution of mean 16.7 that lies beyond 20.
    assert crowded.refused_share == pytest.approx(0.03, abs=0.005)


def test_nobody_is_crowded_where_sessions_go_to_the_emptiest() -> None:
    assert cluster.cluster(1_234, "least", able()).crowded_share == 0.0


def test_who_is_crowded_is_counted() -> None:
    # A user is beside as many others as a replica has on average, 10: in 54 % ten or more.
    crowded = cluster._met(10_000, "random", 1_000, able(most=30))
    assert crowded.crowded_share == pytest.approx(0.54, abs=0.02)


def test_most_users_are_where_most_users_are() -> None:
    """A user sees a fuller replica than a replica is on average (the inspection paradox)."""
    found = cluster._met(1_000, "random", 200, able())
    assert found.users_per_replica == 5.0
    assert found.p50_ms is not None
    assert found.p50_ms > 100.0 + 20.0 * 5.0


@given(users=st.integers(1, 2_000), replicas=st.integers(1, 300))
def test_every_user_is_somewhere(users: int, replicas: int) -> None:
    shares = _shares(users, "least", replicas, 20)
    assert sum(shares.values()) == pytest.approx(1.0)
    assert sum(n * share for n, share in shares.items()) * replicas == pytest.approx(users)
    assert sum(_shares(users, "random", replicas, 20).values()) == pytest.approx(1.0)


def test_a_goal_that_nobody_can_meet_is_said() -> None:
    hopeless = Ability({1: outcome(1, 900.0)}, 0.0, GOAL)
    with pytest.raises(GoalNeverMet, match="one user alone"):
        cluster.cluster(100, "least", hopeless)


def test_a_replica_is_simulated_until_it_is_hopeless() -> None:
    goal = Goal(p95_ms=120.0)
    found = cluster.ability(parts(), 0.5, Plant.of(parts()), goal, 0.0, 30.0, seed=1)
    assert list(found.outcomes) == list(range(1, found.most + 1))
    assert 1 <= found.users < found.most
    last = found.outcomes[found.most].first_audible_ms(95)
    assert last is not None
    assert last > cluster.HOPELESS * goal.p95_ms


def test_a_service_whose_network_is_too_much_takes_no_more() -> None:
    heavy = replace(Plant.of(parts()), cores=64.0, session_cores=0.2)
    found = cluster.ability(parts(), 0.1, heavy, Goal(p95_ms=10_000.0), 0.0, 30.0, seed=1)
    assert found.most == 5
    assert found.users == 3


def test_engines_with_one_queue_serve_more_than_each_with_its_own() -> None:
    made, goal = parts(), Goal(p95_ms=150.0)
    plant = replace(Plant.of(made), degrades=False)
    alone = cluster.ability(made, 0.5, plant, goal, 0.0, 60.0, seed=1).users
    together = cluster.pooled_users(made, 0.5, plant, goal, 0.0, 60.0, seed=1, engines=4)
    assert alone >= 1
    assert together > 4 * alone

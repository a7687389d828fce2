"""Many replicas behind a load balancer: how many there have to be, and what their users meet.

Users of one replica have nothing to do with those of another, so one is simulated at each number of
users that it may have; how many it does have is the balancer's doing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from engines.progress import Progress, no_progress
from loadtests.model.outcome import Outcome, weighted_percentile_ms
from loadtests.model.parts import Parts
from loadtests.model.queueing import binomial
from loadtests.model.replica import Plant
from loadtests.model.trial import simulate
from voicepeer.core.errors import VoicePeerError

Balancer: TypeAlias = Literal["least", "random"]
"""A new session goes to the replica with the fewest, or to any: by turns or by hash, while old
ones end at random, comes to the same."""

BALANCERS: tuple[Balancer, ...] = get_args(Balancer)

MOST_USERS = 200
"""Of one replica; who needs more has a machine that this model knows nothing of."""

HOPELESS = 2.0
"""A replica whose users wait so many times as long as they may is given no more of them."""

MOST_REFUSED = 0.001
"""Share of the sessions that find a replica with as many as it may have."""

MOST_CROWDED = 0.05
"""Share of the users in replicas with more of them than are served well there: who has bad luck has
it for all of a call, which no percentile over all texts shows."""


class GoalNeverMet(VoicePeerError):
    """However many replicas there are, users meet something worse; the message says why."""

    code = "goal_never_met"


@dataclass(frozen=True, slots=True)
class Goal:
    """What users may meet."""

    p95_ms: float
    underruns_per_minute: float = 0.5
    """Of speech that is heard."""
    loop_cores: float = 0.7
    """Of the service's own process, which has one: beyond it packets leave unevenly."""

    def met(self, outcome: Outcome, rest_ms: float) -> bool:
        """Whether a replica with these users is good enough."""
        p95_ms = outcome.first_audible_ms(95, rest_ms)
        return (
            p95_ms is not None
            and p95_ms <= self.p95_ms
            and outcome.underruns_per_minute <= self.underruns_per_minute
            and outcome.media_cores <= self.loop_cores
            and outcome.refused == 0
        )


@dataclass(frozen=True, slots=True)
class Ability:
    """What one replica can do: its outcomes by number of users, from 1 on without a gap."""

    outcomes: Mapping[int, Outcome]
    rest_ms: float
    goal: Goal

    @property
    def users(self) -> int:
        """How many it serves well, and as well with any fewer; 0 where even one is too many."""
        good = 0
        while good + 1 in self.outcomes and self.goal.met(self.outcomes[good + 1], self.rest_ms):
            good += 1
        return good

    @property
    def most(self) -> int:
        """With how many it is known what happens; more are refused."""
        return max(self.outcomes)


@dataclass(frozen=True, slots=True)
class Cluster:
    """Replicas for a number of users, and what these meet."""

    users: int
    balancer: Balancer
    replicas: int
    p50_ms: float | None
    p95_ms: float | None
    underruns_per_minute: float
    cores_used: float
    refused_share: float
    crowded_share: float

    @property
    def users_per_replica(self) -> float:
        """In the mean."""
        return self.users / self.replicas


def ability(
    parts: Parts,
    talk: float,
    plant: Plant,
    goal: Goal,
    rest_ms: float,
    seconds: float,
    seed: int,
    progress: Progress = no_progress,
) -> Ability:
    """Simulate a replica with one user, two, and so on, until it is hopeless."""
    outcomes: dict[int, Outcome] = {}
    for users in range(1, MOST_USERS + 1):
        progress(f"a replica with {users} users", users / MOST_USERS)
        outcomes[users] = simulate(parts, users, talk, plant, seconds, seed)
        p95_ms = outcomes[users].first_audible_ms(95, rest_ms)
        if p95_ms is None or p95_ms > HOPELESS * goal.p95_ms:
            break
        if outcomes[users].media_cores > 1.0:
            break
    return Ability(outcomes, rest_ms, goal)


def pooled_users(
    parts: Parts,
    talk: float,
    plant: Plant,
    goal: Goal,
    rest_ms: float,
    seconds: float,
    seed: int,
    engines: int,
) -> int:
    """How many users so many engines serve that share one queue, with cores for each of them.

    No service has that; it tells what is lost by giving each engine users of its own.
    """
    together = replace(
        plant,
        cores=engines * plant.cores,
        engines=engines,
        max_streams=engines * plant.max_streams,
    )
    # Their network's work is in as many processes.
    wider = replace(goal, loop_cores=engines * goal.loop_cores)
    good = 0
    while good < MOST_USERS:
        users = good + engines
        # As many texts as of one engine, so as certain a percentile.
        outcome = simulate(parts, users, talk, together, seconds / engines, seed)
        if not wider.met(outcome, rest_ms):
            break
        good = users
    return good


def cluster(users: int, balancer: Balancer, ability: Ability) -> Cluster:
    """The fewest replicas with which the goal is met.

    Raises:
        GoalNeverMet: it is not met with one user a replica either.
    """
    if ability.users == 0:
        raise GoalNeverMet("no number of replicas is enough: even one user alone waits longer")
    fewest = math.ceil(users / ability.users)
    if balancer == "least":
        return _met(users, balancer, fewest, ability)
    too_few, enough = fewest - 1, fewest
    while not _good(_met(users, balancer, enough, ability), ability.goal):
        if enough >= 4 * users:
            raise GoalNeverMet(
                "no number of replicas is enough where sessions go to any: give the goal more room"
            )
        too_few, enough = enough, 2 * enough
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if _good(_met(users, balancer, middle, ability), ability.goal):
            enough = middle
        else:
            too_few = middle
    return _met(users, balancer, enough, ability)


def _good(cluster: Cluster, goal: Goal) -> bool:
    return (
        cluster.p95_ms is not None
        and cluster.p95_ms <= goal.p95_ms
        and cluster.underruns_per_minute <= goal.underruns_per_minute
        and cluster.refused_share <= MOST_REFUSED
        and cluster.crowded_share <= MOST_CROWDED
    )


def _met(users: int, balancer: Balancer, replicas: int, ability: Ability) -> Cluster:
    """What users of so many replicas meet, who find themselves in full ones more often."""
    shares = _shares(users, balancer, replicas, ability.most)
    there = {count: count * share for count, share in shares.items() if count}
    known = {count: ability.outcomes[count] for count in there}
    weight = sum(there.values())
    groups = [(there[count], outcome.heard_after_s) for count, outcome in known.items()]
    underruns = sum(there[n] * outcome.underruns_per_minute for n, outcome in known.items())
    cores = sum(replicas * shares[count] * outcome.cores for count, outcome in known.items())
    return Cluster(
        users,
        balancer,
        replicas,
        weighted_percentile_ms(groups, 50, ability.rest_ms),
        weighted_percentile_ms(groups, 95, ability.rest_ms),
        round(underruns / weight, 3),
        round(cores, 1),
        round(max(0.0, 1.0 - replicas * weight / users), 6),
        round(sum(there[n] for n in known if n > ability.users) / weight, 6),
    )


def _shares(users: int, balancer: Balancer, replicas: int, most: int) -> dict[int, float]:
    """Share of the replicas that have so many users; those beyond ``most`` are refused."""
    if balancer == "least":
        fewer, left = divmod(users, replicas)
        shares = {fewer: 1.0 - left / replicas, fewer + 1: left / replicas}
        return {count: share for count, share in shares.items() if share > 0.0}
    each = 1.0 / replicas
    shares = {count: binomial(users, each, count) for count in range(min(most, users) + 1)}
    shares[most] = shares.get(most, 0.0) + max(0.0, 1.0 - sum(shares.values()))
    return shares

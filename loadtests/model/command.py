"""``python -m loadtests model``: what users cost, and how many replicas serve how many."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from engines.progress import Progress, no_progress
from loadtests.commands.options import MOST_MINUTES, check_between
from loadtests.figures_report import REPORTS
from loadtests.model import cluster, cost, measured, tables, trial
from loadtests.model.cluster import BALANCERS, Ability, Cluster, Goal, GoalNeverMet
from loadtests.model.cost import Bill, Gpu, Habits
from loadtests.model.outcome import Outcome
from loadtests.model.parts import Parts, read_parts
from loadtests.model.replica import Plant
from voicepeer import console
from voicepeer.core.errors import ConfigInvalid

BUSY = 0.7
"""A core that is busy for more of the time has users who wait."""

MOST_POOLED = 16
MOST_SECONDS = 86_400.0
MOST_SEED = 2**32 - 1
MOST_USERS = 1_000_000_000
MOST_STREAMS = 10_000
"""Of a GPU; a sum over all of them is made a few dozen times."""

_NO_GPU = "no GPU was measured: give what one of yours does with --gpu-streams"
_NO_BENCH = "nothing to hold the engine's turns against: give a report of its bench with --bench"
_NO_CURVE = "nothing to hold the simulation against: give reports of runs with --curve"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.add_argument(
        "--parts",
        type=Path,
        default=REPORTS / "parts.json",
        metavar="FILE",
        help="what `python -m loadtests parts --json` printed (%(default)s)",
    )
    parser.add_argument(
        "--curve",
        type=Path,
        nargs="*",
        default=[],
        metavar="PATH",
        help="reports of runs, or folders of them, to hold the simulation against",
    )
    parser.add_argument(
        "--bench",
        type=Path,
        metavar="FILE",
        help="what `voicepeer bench engine --json` printed, to hold the engine's turns against",
    )
    parser.add_argument(
        "--users", type=int, nargs="+", default=[100, 1_000, 10_000, 100_000], metavar="N"
    )
    parser.add_argument(
        "--talk", type=float, default=0.25, help="share in which users are spoken to (%(default)s)"
    )
    parser.add_argument(
        "--mic", type=float, default=0.25, help="share in which they speak (%(default)s)"
    )
    parser.add_argument(
        "--call-minutes", type=float, default=5.0, help="length of a call (%(default)s)"
    )
    parser.add_argument(
        "--p95-ms", type=float, help="first audible p95 to keep; three times that of one user"
    )
    parser.add_argument(
        "--pooled",
        type=int,
        nargs="*",
        default=[],
        metavar="N",
        help="also tell what so many engines with one queue would serve",
    )
    parser.add_argument("--gpu-streams", type=int, help="what one GPU of yours speaks at once")
    parser.add_argument(
        "--seconds",
        type=float,
        default=trial.SIMULATED_S,
        help="simulated of each replica (%(default)s)",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Compute and print."""
    with console.Progress() as progress:
        figures = figures_of(arguments, progress)
    if arguments.json:
        console.result_json(figures)
    else:
        tables.show(figures)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    check_between("--talk", arguments.talk, 0.01, 1)
    check_between("--mic", arguments.mic, 0, 1)
    check_between("--call-minutes", arguments.call_minutes, 0.1, MOST_MINUTES)
    check_between("--seconds", arguments.seconds, 10, MOST_SECONDS)
    check_between("--seed", arguments.seed, 0, MOST_SEED)
    for users in arguments.users:
        check_between("--users", users, 1, MOST_USERS)
    for engines in arguments.pooled:
        check_between("--pooled", engines, 2, MOST_POOLED)
    if arguments.p95_ms is not None:
        check_between("--p95-ms", arguments.p95_ms, 1, 60_000)
    if arguments.gpu_streams is not None:
        check_between("--gpu-streams", arguments.gpu_streams, 1, MOST_STREAMS)


def figures_of(arguments: argparse.Namespace, progress: Progress = no_progress) -> dict[str, Any]:
    """What ``--json`` prints.

    Raises:
        ConfigInvalid: an option is out of range, a file is none, or nobody says anything.
    """
    _check(arguments)
    parts = read_parts(arguments.parts)
    habits = Habits(arguments.talk, arguments.mic, arguments.call_minutes)
    rest_ms = trial.rest_ms(parts, seed=arguments.seed)
    plant = Plant.of(parts, mic=arguments.mic)
    first = trial.simulate(parts, 1, arguments.talk, plant, arguments.seconds, arguments.seed)
    alone_ms = first.first_audible_ms(95, rest_ms)
    if alone_ms is None:
        # Otherwise it would look as if no goal could be met.
        raise ConfigInvalid("one user alone says nothing in so short a time: give more --seconds")
    goal = Goal(arguments.p95_ms or 3.0 * alone_ms)
    able = cluster.ability(
        parts, arguments.talk, plant, goal, rest_ms, arguments.seconds, arguments.seed, progress
    )
    bill = cost.bill(parts, habits)
    notes: dict[str, str] = {}
    return {
        "talk": arguments.talk,
        "mic": arguments.mic,
        "goal": {
            "p95_ms": round(goal.p95_ms, 1),
            "underruns_per_minute": goal.underruns_per_minute,
        },
        "rest_ms": round(rest_ms, 1),
        "cost": _cost(bill, parts, able.users),
        "gpu": _gpu(arguments, bill, notes),
        "check": _trial(arguments, parts, notes, progress),
        "streams": _streams(arguments, parts, notes),
        "replica": _replica(able, parts.cores),
        "pooled": _pooled(arguments, parts, plant, able, progress),
        "clusters": _clusters(arguments.users, able, parts.cores, notes),
        "notes": notes,
    }


def _cost(bill: Bill, parts: Parts, users: int) -> dict[str, Any]:
    return {
        "items": [{"what": item.what, "cores": round(item.cores, 5)} for item in bill.items],
        "cores_per_user": round(bill.cores, 4),
        "users_per_core": round(bill.users_per_core(), 1),
        "users_per_core_at_70": round(bill.users_per_core(BUSY), 1),
        "users_per_machine_at_70": round(parts.cores * bill.users_per_core(BUSY), 1),
        "memory_mb": round(bill.memory_mb(users), 1),
        "session_mb": bill.session_mb,
        "rtf": round(parts.engine.real_time_factor, 4),
    }


def _gpu(
    arguments: argparse.Namespace, bill: Bill, notes: dict[str, str]
) -> dict[str, float] | None:
    if arguments.gpu_streams is None:
        notes["gpu"] = _NO_GPU
        return None
    gpu = Gpu(arguments.gpu_streams)
    return {
        "streams": gpu.streams,
        "users": gpu.users(arguments.talk),
        "cores_beside": round(gpu.cores_beside(bill, arguments.talk), 1),
    }


def _trial(
    arguments: argparse.Namespace, parts: Parts, notes: dict[str, str], progress: Progress
) -> dict[str, Any] | None:
    if not arguments.curve:
        notes["check"] = _NO_CURVE
        return None
    points = measured.read_curve(arguments.curve)
    compared = []
    for index, point in enumerate(points):
        progress("the measured curve", index / len(points))
        compared.append(trial.compare(parts, point, arguments.seed))
    return {
        "tolerance": trial.TOLERANCE,
        "slack_ms": trial.SLACK_MS,
        "right": sum(one.right for one in compared),
        "of": len(compared),
        "points": [msgspec.to_builtins(one) for one in compared],
    }


def _streams(
    arguments: argparse.Namespace, parts: Parts, notes: dict[str, str]
) -> dict[str, Any] | None:
    if arguments.bench is None:
        notes["streams"] = _NO_BENCH
        return None
    compared = trial.compare_streams(parts, measured.read_streams(arguments.bench))
    return {
        "right": sum(one.right for one in compared),
        "of": len(compared),
        "points": [msgspec.to_builtins(one) for one in compared],
    }


def _pooled(
    arguments: argparse.Namespace, parts: Parts, plant: Plant, able: Ability, progress: Progress
) -> list[dict[str, float]]:
    found = []
    for engines in arguments.pooled:
        progress(f"{engines} engines with one queue", 0.0)
        users = cluster.pooled_users(
            *(parts, arguments.talk, plant, able.goal, able.rest_ms),
            *(arguments.seconds, arguments.seed, engines),
        )
        found.append(
            {"engines": engines, "users": users, "users_per_engine": round(users / engines, 2)}
        )
    return found


def _replica(able: Ability, cores: int) -> dict[str, Any]:
    return {
        "cores": cores,
        "users": able.users,
        "by_users": [
            {"users": users, **_outcome(outcome, able.rest_ms)}
            for users, outcome in sorted(able.outcomes.items())
        ],
    }


def _outcome(outcome: Outcome, rest_ms: float) -> dict[str, Any]:
    return {
        "first_audible_ms": {
            "p50": outcome.first_audible_ms(50, rest_ms),
            "p95": outcome.first_audible_ms(95, rest_ms),
        },
        "underruns_per_minute": round(outcome.underruns_per_minute, 3),
        "engine_busy": round(outcome.engine_busy, 3),
        "cores": round(outcome.cores, 2),
        "refused": outcome.refused,
    }


def _clusters(
    users: Sequence[int], able: Ability, cores: int, notes: dict[str, str]
) -> list[dict[str, Any]]:
    found = []
    for count in users:
        for balancer in BALANCERS:
            try:
                found.append(_cluster(cluster.cluster(count, balancer, able), cores))
            except GoalNeverMet as error:
                # What was found of the parts, the curve and the other balancer is worth
                # something without it.
                notes["clusters"] = str(error)
    return found


def _cluster(found: Cluster, cores: int) -> dict[str, Any]:
    return {
        "users": found.users,
        "balancer": found.balancer,
        "replicas": found.replicas,
        "cores": found.replicas * cores,
        "cores_used": found.cores_used,
        "users_per_replica": round(found.users_per_replica, 2),
        "first_audible_ms": {"p50": found.p50_ms, "p95": found.p95_ms},
        "underruns_per_minute": found.underruns_per_minute,
        "refused_share": found.refused_share,
        "crowded_share": found.crowded_share,
    }

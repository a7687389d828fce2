"""``python -m loadtests ramp``: how many users until what breaks."""

from __future__ import annotations

import argparse
from typing import Any

from loadtests.commands.options import (
    MOST_USERS,
    add_output,
    add_target,
    check_between,
    measured,
)
from voicepeer import console

BREAKS = 1
"""Exit code where even the first step exceeds a limit."""

_COLUMNS = ("users", "talk", "utterances", "underruns", "frames_lost", "errors")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--users",
        type=int,
        nargs="+",
        default=[1, 2, 4, 8, 10, 16],
        help="of the steps; those of one stay for the next (%(default)s)",
    )
    parser.add_argument(
        "--talk", type=float, nargs="+", default=[0.25], help="shares of the time (%(default)s)"
    )
    parser.add_argument("--step-s", type=float, default=40.0, help="measured (%(default)s)")
    parser.add_argument("--settle-s", type=float, default=6.0, help="before that (%(default)s)")
    parser.add_argument(
        "--p95-ms", type=float, default=600.0, help="limit of first audible (%(default)s)"
    )
    parser.add_argument(
        "--through", action="store_true", help="go on after a limit, for a whole curve"
    )
    add_target(parser)
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measure and print."""
    from loadtests.limits import Limits
    from loadtests.ramp import Ramp, measure

    for users in arguments.users:
        check_between("--users", users, 1, MOST_USERS)
    for share in arguments.talk:
        check_between("--talk", share, 0.01, 1)
    check_between("--step-s", arguments.step_s, 2, 3600)
    check_between("--settle-s", arguments.settle_s, 0, 3600)
    check_between("--p95-ms", arguments.p95_ms, 1, 60_000)
    wanted = Ramp(
        sorted(set(arguments.users)),
        sorted(set(arguments.talk)),
        arguments.step_s,
        arguments.settle_s,
        Limits(first_audible_ms=arguments.p95_ms),
        arguments.through,
        arguments.report,
    )
    figures = measured(arguments, measure, wanted, _show)
    return BREAKS if any(one["last_good_users"] is None for one in figures["breaks"]) else 0


def _show(figures: dict[str, Any]) -> None:
    rows = [
        [
            *(str(one[name]) for name in _COLUMNS),
            str(one["cpu_cores"]),
            str(one["network_cores"]),
            str(one["first_audible_ms"]["p50"]),
            str(one["first_audible_ms"]["p95"]),
            str(one["inter_departure_ms"]["p99"]),
            "yes" if one["tester_ok"] else "NO",
        ]
        for one in figures["steps"]
    ]
    head = [name.upper() for name in _COLUMNS]
    console.table(
        rows, [*head, "CORES", "NETWORK", "AUDIBLE MS p50", "p95", "PACKETS MS p99", "TESTER OK"]
    )
    for one in figures["breaks"]:
        console.result(
            f"{one['talk']:.0%} talk breaks with {one['users']} users: {'; '.join(one['exceeded'])}"
        )
    for name, reason in figures["notes"].items():
        console.result(f"note: {name}: {reason}")

"""``python -m loadtests run``: what a number of users get, and what they cost."""

from __future__ import annotations

import argparse
from typing import Any

from loadtests.commands.options import (
    add_output,
    add_target,
    check_between,
    check_load,
    measured,
)
from voicepeer import console


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--users", type=int, default=10, help="at once (%(default)s)")
    parser.add_argument(
        "--talk",
        type=float,
        default=0.25,
        help="share of the time that each is spoken to, up to 1 (%(default)s)",
    )
    parser.add_argument("--minutes", type=float, default=5.0, help="measured (%(default)s)")
    parser.add_argument(
        "--single-s", type=float, default=60.0, help="one user alone before (%(default)s)"
    )
    parser.add_argument("--warm-up-s", type=float, default=30.0, help="not measured (%(default)s)")
    add_target(parser)
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measure and print."""
    from loadtests.conversation import Conversation, measure

    check_load(arguments)
    check_between("--single-s", arguments.single_s, 1, 3600)
    check_between("--warm-up-s", arguments.warm_up_s, 0, 3600)
    wanted = Conversation(
        arguments.users,
        arguments.talk,
        arguments.minutes * 60,
        arguments.single_s,
        arguments.warm_up_s,
        arguments.report,
    )
    measured(arguments, measure, wanted, show)
    return 0


def show(figures: dict[str, Any]) -> None:
    """Print the figures for a person."""
    show_window(figures, {"one user, first audible ms": figures["single_first_audible_ms"]})


def show_window(figures: dict[str, Any], beside: dict[str, dict[str, Any]]) -> None:
    """Print the figures of a stretch of time, with more lines of percentiles."""
    spreads = {
        f"{figures['users']} users, first audible ms": figures["first_audible_ms"],
        **beside,
        "between packets ms": figures["inter_departure_ms"],
        **{f"{name} ms": spread for name, spread in figures["timed_ms"].items()},
    }
    rows = [
        [name, str(one["n"]), *(str(one[at]) for at in ("p50", "p95", "p99", "max"))]
        for name, one in spreads.items()
    ]
    console.table(rows, ["FIGURE", "N", "p50", "p95", "p99", "max"])
    for name in ("utterances", "spoken_share", "underruns", "frames_lost", "errors"):
        console.result(f"{name}: {figures[name]}")
    for code, count in figures["error_codes"].items():
        console.result(f"error {code}: {count}")
    console.result(
        f"service: {figures['cpu_cores']} cores, {figures['network_cores']} of them beside the "
        f"models, {figures['rss_mb']} MB, {figures['rss_slope_mb_per_min']} MB a minute more"
    )
    for index, tester in enumerate(figures["testers"]):
        late = tester["late_ms"]["p99"]
        console.result(f"tester {index}: {tester['cpu_cores']} cores, late by {late} ms (p99)")
    for name, reason in figures["notes"].items():
        console.result(f"note: {name}: {reason}")

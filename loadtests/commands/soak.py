"""``python -m loadtests soak``: whether anything grows when all goes on for long."""

from __future__ import annotations

import argparse
from typing import Any

from loadtests.commands.options import (
    add_output,
    add_target,
    check_load,
    measured,
)
from voicepeer import console

GROWS = 1
"""Exit code where something does."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--users", type=int, default=3, help="at once (%(default)s)")
    parser.add_argument("--talk", type=float, default=0.25, help="share of the time (%(default)s)")
    parser.add_argument("--minutes", type=float, default=60.0, help="(%(default)s)")
    add_target(parser)
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measure until the time is over or Ctrl-C is pressed, and print; 1 where something grows."""
    from loadtests.soak import Soak, measure

    check_load(arguments)
    wanted = Soak(arguments.users, arguments.talk, arguments.minutes * 60, arguments.report)
    figures = measured(arguments, measure, wanted, _show)
    return GROWS if figures["leaks"] else 0


def _show(figures: dict[str, Any]) -> None:
    from loadtests.page import growth

    console.table(
        [
            [name, *("-" if found is None else f"{found[at]:g}" for at in ("slope", "low", "high"))]
            for name, found in figures["slopes_per_hour"].items()
        ],
        ["GROWS PER HOUR", "", "95 % FROM", "TO"],
    )
    first = figures["first_audible_ms"]
    console.result(
        f"{figures['utterances']} texts in {figures['minutes']} minutes, first audible "
        f"{first['p50']} ms p50, {first['p95']} ms p95; {figures['underruns']} underruns, "
        f"{figures['errors']} errors"
    )
    for code, count in figures["error_codes"].items():
        console.result(f"error {code}: {count}")
    console.result(growth(figures))
    for name, reason in figures["notes"].items():
        console.result(f"note: {name}: {reason}")

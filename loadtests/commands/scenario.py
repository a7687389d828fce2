"""``python -m loadtests scenario``: users of one kind for a while."""

from __future__ import annotations

import argparse

from loadtests.commands.options import (
    add_output,
    add_target,
    check_load,
    measured,
)
from loadtests.commands.run import show_window
from loadtests.wire import KINDS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("kind", choices=KINDS, help="what the users do")
    parser.add_argument("--users", type=int, default=4, help="at once (%(default)s)")
    parser.add_argument("--talk", type=float, default=0.25, help="share of the time (%(default)s)")
    parser.add_argument("--minutes", type=float, default=1.0, help="measured (%(default)s)")
    add_target(parser)
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measure and print."""
    from loadtests.scenario import Scenario, measure

    check_load(arguments)
    wanted = Scenario(
        arguments.kind,
        arguments.users,
        arguments.talk,
        arguments.minutes * 60,
        arguments.report,
    )
    measured(arguments, measure, wanted, lambda figures: show_window(figures, {}))
    return 0

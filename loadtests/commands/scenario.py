"""``python -m loadtests scenario``: users of one kind for a while."""

from __future__ import annotations

import argparse
import asyncio

from loadtests.commands.options import (
    MOST_MINUTES,
    MOST_USERS,
    add_output,
    add_target,
    check_between,
    setting_from,
)
from loadtests.commands.run import show_window
from loadtests.wire import KINDS
from voicepeer import console


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

    check_between("--users", arguments.users, 1, MOST_USERS)
    check_between("--talk", arguments.talk, 0.01, 1)
    check_between("--minutes", arguments.minutes, 0.05, MOST_MINUTES)
    wanted = Scenario(
        arguments.kind,
        arguments.users,
        arguments.talk,
        arguments.minutes * 60,
        arguments.report,
    )
    setting = setting_from(arguments)
    with console.Progress() as progress:
        figures = asyncio.run(measure(setting, wanted, progress))
    if arguments.json:
        console.result_json(figures)
    else:
        show_window(figures, {})
    return 0

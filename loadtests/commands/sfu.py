"""``python -m loadtests sfu``: the bench of rooms, by the names of the load tests' reports."""

from __future__ import annotations

import argparse

from loadtests.commands.options import check_between
from voicepeer import console
from voicepeer.core.errors import ConfigInvalid

_MOST = 17
"""A connection brings 16 voices."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--participants", type=int, default=10, help="who all talk at once (%(default)s)"
    )
    parser.add_argument("--seconds", type=float, default=20.0, help="of talk (%(default)s)")
    parser.add_argument(
        "--against-janus",
        action=argparse.BooleanOptionalAction,
        help="in a VideoRoom of Janus, too; by default where one is installed",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Measure and print."""
    from voicepeer.benches import janus_server, rooms
    from voicepeer.commands.bench_rooms import show

    check_between("--participants", arguments.participants, 2, _MOST)
    check_between("--seconds", arguments.seconds, 1, 600)
    janus = arguments.against_janus
    if janus and not janus_server.installed():
        raise ConfigInvalid("--against-janus takes a Janus: apt-get install janus")
    with console.Progress() as progress:
        figures = rooms.run(
            arguments.participants,
            arguments.seconds,
            progress,
            against_janus=janus_server.installed() if janus is None else janus,
        )
    if arguments.json:
        console.result_json(figures)
    else:
        show(figures)
    return 0

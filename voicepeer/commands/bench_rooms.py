"""``voicepeer bench rooms``: what it costs that everybody in a room hears everybody else."""

from __future__ import annotations

import argparse
from typing import Any

from voicepeer import console
from voicepeer.commands.options import Commands, add_command, add_json
from voicepeer.core.errors import ConfigInvalid

_EXAMPLE = "voicepeer bench rooms --participants 10 --against janus"
_MOST_PARTICIPANTS = 17
"""Each of them hears 16 others, which is as many as one connection brings."""


def configure(actions: Commands) -> None:
    """Add the command."""
    parser = add_command(
        actions, "rooms", "processor time and delay of forwarding, beside that of others", _EXAMPLE
    )
    parser.add_argument(
        "--participants", type=int, default=10, help="who all talk at once (default %(default)s)"
    )
    parser.add_argument("--seconds", type=float, default=20.0, help="of talk (default %(default)s)")
    parser.add_argument(
        "--against",
        choices=["janus"],
        help="measure this as well, in a VideoRoom of the installed Janus",
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Measure and print."""
    from voicepeer.benches import janus_server, rooms

    if not 2 <= arguments.participants <= _MOST_PARTICIPANTS:
        raise ConfigInvalid(f"--participants is 2 to {_MOST_PARTICIPANTS}")
    if arguments.seconds < 1:
        raise ConfigInvalid("--seconds is 1 or more")
    against_janus = arguments.against == "janus"
    if against_janus and not janus_server.installed():
        raise ConfigInvalid("--against janus takes a Janus: apt-get install janus")
    with console.Progress() as progress:
        figures = rooms.run(
            arguments.participants, arguments.seconds, progress, against_janus=against_janus
        )
    if arguments.json:
        console.result_json(figures)
    else:
        _print(figures)
    return 0


def _print(figures: dict[str, Any]) -> None:
    rooms = {
        "forwarded": figures,
        "Janus": figures["janus"],
        "MediaRelay": figures["mediarelay"],
    }
    names = "participants", "forwarded_streams", "delivered", "cpu_ms_per_stream_s"
    rows = [[how, *(str(one[name]) for name in names)] for how, one in rooms.items() if one]
    console.table(rows, ["HOW", "PARTICIPANTS", "STREAMS", "DELIVERED", "CPU MS PER STREAM-S"])
    delay = figures["added_latency_ms"]
    console.result(f"from client to client: p50 {delay['p50']} ms, p99 {delay['p99']} ms")
    console.result(f"of MediaRelay's processor time: {figures['ratios']['mediarelay']}")
    if figures["janus"]:
        console.result(f"of Janus's processor time: {figures['ratios']['janus']}")
    for name in ("cpu_ms_per_stream_s", "janus"):
        if reason := figures["notes"].get(name):
            console.result(f"note: {reason}")

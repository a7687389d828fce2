"""``voicepeer bench rooms``: what it costs that everybody in a room hears everybody else."""

from __future__ import annotations

import argparse
from typing import Any

from voicepeer import console
from voicepeer.commands.options import Commands, add_command, add_json
from voicepeer.core.errors import ConfigInvalid

_EXAMPLE = "voicepeer bench rooms --participants 10 --against janus"
_MOST_VOICES = 16
"""As many as one connection brings."""
_MOST_PARTICIPANTS = 200
"""Of whom few speak."""


def configure(actions: Commands) -> None:
    """Add the command."""
    parser = add_command(
        actions, "rooms", "processor time and delay of forwarding, beside that of others", _EXAMPLE
    )
    parser.add_argument(
        "--participants", type=int, default=10, help="who all talk at once (default %(default)s)"
    )
    parser.add_argument(
        "--speakers",
        type=int,
        help="so many of them talk, and all hear as many at once; a large room, by itself",
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

    if arguments.seconds < 1:
        raise ConfigInvalid("--seconds is 1 or more")
    if arguments.speakers is not None:
        return _run_large(arguments)
    if not 2 <= arguments.participants <= _MOST_VOICES + 1:
        raise ConfigInvalid(f"--participants is 2 to {_MOST_VOICES + 1}, or give --speakers")
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
        show(figures)
    return 0


def _run_large(arguments: argparse.Namespace) -> int:
    from voicepeer.benches import large_rooms

    participants, speakers = arguments.participants, arguments.speakers
    if arguments.against is not None:
        raise ConfigInvalid("--against is for rooms in which all talk: leave out --speakers")
    if not 2 <= speakers <= _MOST_VOICES:
        raise ConfigInvalid(f"--speakers is 2 to {_MOST_VOICES}")
    if not speakers < participants <= _MOST_PARTICIPANTS:
        raise ConfigInvalid(f"--participants is more than --speakers, to {_MOST_PARTICIPANTS}")
    with console.Progress() as progress:
        figures = large_rooms.run(participants, speakers, arguments.seconds, progress)
    if arguments.json:
        console.result_json(figures)
        return 0
    names = "participants", "speakers", "forwarded_streams", "delivered", "cpu_cores"
    console.table([[str(figures[name]) for name in names]], [name.upper() for name in names])
    delay, join = figures["added_latency_ms"], figures["join_ms"]
    console.result(f"from client to client: p50 {delay['p50']} ms, p99 {delay['p99']} ms")
    console.result(f"to join, with both connections: p50 {join['p50']} ms, p99 {join['p99']} ms")
    console.result(f"processor time: {figures['cpu_ms_per_stream_s']} ms per stream-second")
    if reason := figures["notes"].get("cpu_ms_per_stream_s"):
        console.result(f"note: {reason}")
    return 0


def show(figures: dict[str, Any]) -> None:
    """Print the figures of a room in which all talk, for a person."""
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

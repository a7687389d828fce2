"""``voicepeer bench barge-in`` and ``connections``: what calls do besides sounding well."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from voicepeer import console
from voicepeer.commands.options import Commands, add_command, add_json
from voicepeer.core.errors import ConfigInvalid

_BARGE_IN_EXAMPLE = "voicepeer bench barge-in --clips recordings --rounds 20"
_CONNECTIONS_EXAMPLE = "voicepeer bench connections --count 1000"


def configure(actions: Commands) -> None:
    """Add both to ``voicepeer bench``."""
    barge_in = add_command(
        actions,
        "barge-in",
        "whether our echo interrupts us, and how soon somebody else does",
        _BARGE_IN_EXAMPLE,
    )
    barge_in.add_argument(
        "--clips", type=Path, required=True, help="folder of recordings, one speaker each (.wav)"
    )
    barge_in.add_argument("--rounds", type=int, default=20, help="per room (default %(default)s)")
    add_json(barge_in)
    barge_in.set_defaults(run=run_barge_in)
    connections = add_command(
        actions,
        "connections",
        "what is left of clients that leave or are killed",
        _CONNECTIONS_EXAMPLE,
    )
    connections.add_argument(
        "--count", type=int, default=1_000, help="connections in all (default %(default)s)"
    )
    add_json(connections)
    connections.set_defaults(run=run_connections)


def run_barge_in(arguments: argparse.Namespace) -> int:
    """Let echoes and speakers interrupt, and print how that went."""
    from voicepeer.benches import barge_in

    if arguments.rounds < 1:
        raise ConfigInvalid("--rounds is 1 or more")
    with console.Progress() as progress:
        figures = barge_in.run(arguments.clips, arguments.rounds, progress)
    if arguments.json:
        console.result_json(figures)
        return 0
    headphones = {"gain_db": "none", "rt60_s": "headphones", **figures["headphones"]}
    rows = [
        [
            *(str(row[name]) for name in ("gain_db", "rt60_s", "false", "missed")),
            *(str(row["noticed_ms"][name]) for name in ("p50", "p95", "max")),
        ]
        for row in (*figures["paths"], headphones)
    ]
    console.result(f"{figures['speakers']} speakers, {figures['rounds']} rounds a row")
    console.table(rows, ["ECHO DB", "RT60 S", "FALSE", "MISSED", "NOTICED MS p50", "p95", "max"])
    return 0


def run_connections(arguments: argparse.Namespace) -> int:
    """Open and close connections, and print what is left of them."""
    from voicepeer.benches import connections

    if arguments.count < 1:
        raise ConfigInvalid("--count is 1 or more")
    with console.Progress() as progress:
        figures = connections.run(arguments.count, progress)
    if arguments.json:
        console.result_json(figures)
    else:
        _print_connections(figures)
    return 0


def _print_connections(figures: dict[str, Any]) -> None:
    killed = sum(figures["killed"].values())
    flat = "nothing is left" if figures["flat"] else "SOMETHING IS LEFT"
    console.result(f"{figures['count']} connections, {killed} of them killed: {flat}")
    if figures["failed"]:
        console.result(f"{figures['failed']} did not get as far as they should: is it busy here?")
    rows = [
        [str(sample[name]) for name in ("connections", "rss_mb", "fds", "threads", "tasks")]
        for sample in (figures["after_warm_up"], figures["after_all"])
    ]
    console.table(rows, ["AFTER", "MEMORY MB", "DESCRIPTORS", "THREADS", "TASKS"])
    console.result(f"memory per connection: {figures['rss_kb_per_connection']} kB")
    console.result(
        f"freed within {figures['left_freed_s']['max']} s of leaving, "
        f"{figures['killed_freed_s']['max']} s of being killed"
    )

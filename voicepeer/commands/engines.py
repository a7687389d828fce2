"""``voicepeer engines``: which models there are, and making their engine files."""

from __future__ import annotations

import argparse

from voicepeer import console
from voicepeer.commands.options import Commands, add_command, add_json, config_from


def configure(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "engines",
        help="list the models",
        description="The speech, encoder and voice activity models this version knows.",
        epilog="example:\n  voicepeer engines list",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    listed = add_command(
        actions, "list", "all models, and what they lack", "voicepeer engines list"
    )
    add_json(listed)
    listed.set_defaults(run=_list)


def _list(arguments: argparse.Namespace) -> int:
    from engines import registry

    config_from(arguments, quiet=True)
    found = registry.describe()
    if arguments.json:
        console.result_json(
            [
                {
                    "kind": one.kind,
                    "name": one.name,
                    "summary": one.summary,
                    "usable": not one.missing,
                    "missing": list(one.missing),
                    "remedy": one.remedy,
                }
                for one in found
            ]
        )
    else:
        rows = [[one.kind, one.name, one.remedy or "usable", one.summary] for one in found]
        console.table(rows, ["KIND", "NAME", "STATE", "WHAT"])
    return 0

"""``python -m loadtests``: finds the command, runs it, and ends with its exit code.

A command is a module with ``add_arguments(parser)`` and ``run(arguments) -> int``; only the one
that is asked for is imported.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol, cast

from loadtests.interruption import end_as_by_ctrl_c
from voicepeer import cli


class Entry(NamedTuple):
    """A command that is not imported yet."""

    module: str
    help: str
    example: str


class Command(Protocol):
    """What the module of a command has."""

    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


COMMANDS: Final = MappingProxyType(
    {
        "run": Entry(
            "loadtests.commands.run",
            "some users for some minutes, beside the figures of one alone",
            "--users 10 --talk 0.25 --minutes 5 --json",
        ),
        "ramp": Entry(
            "loadtests.commands.ramp",
            "more and more users until a limit is exceeded",
            "--users 1 2 4 8 16 --talk 0.25 --step-s 40 --report report",
        ),
        "scenario": Entry(
            "loadtests.commands.scenario",
            "users of one kind: bursts, barge-in, rooms, uploads, reconnects, lossy links",
            "storm --users 4 --minutes 1",
        ),
        "soak": Entry(
            "loadtests.commands.soak",
            "a mix of all for long, and whether anything grows",
            "--minutes 60 --report report",
        ),
        "sfu": Entry(
            "loadtests.commands.sfu",
            "what forwarding costs in a room, beside MediaRelay and Janus",
            "--participants 10 --json",
        ),
        "peers": Entry(
            "loadtests.peers.command",
            "the same call against what else there is",
            "--json",
        ),
        "parts": Entry(
            "loadtests.model.parts_command",
            "what each part of the service takes, for the model",
            "--json",
        ),
        "model": Entry(
            "loadtests.model.command",
            "what users cost, and how many replicas serve how many",
            "--users 100 1000 10000 --json",
        ),
        "figures": Entry(
            "loadtests.figures",
            "the table of figures in the README, from reports",
            "--reports loadtests/reports --check",
        ),
        "record": Entry(
            "loadtests.record",
            "run a command and keep what it prints as a report",
            "run -- python -m loadtests run --users 10 --json",
        ),
    }
)


def build_parser(wanted: str | None = None) -> argparse.ArgumentParser:
    """The parser of all commands, of which only the wanted one knows its options."""
    parser = argparse.ArgumentParser(
        prog="python -m loadtests",
        description="Many real peers against a running service, over the public wire only.",
        epilog="'python -m loadtests COMMAND --help' shows what a command takes, with an example.",
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, entry in COMMANDS.items():
        command = commands.add_parser(
            name,
            help=entry.help,
            description=f"{entry.help[0].upper()}{entry.help[1:]}.",
            epilog=f"example:\n  python -m loadtests {name} {entry.example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name == wanted:
            module = cast(Command, importlib.import_module(entry.module))
            command.add_argument("--debug", action="store_true", help="show tracebacks")
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    words = sys.argv[1:] if argv is None else list(argv)
    wanted = next((word for word in words if not word.startswith("-")), None)
    arguments = build_parser(wanted).parse_args(words)
    return cli.run_guarded(arguments.run, arguments)


if __name__ == "__main__":
    end_as_by_ctrl_c()
    sys.exit(main())

"""The command line: finds the command, runs it, and turns errors into one line and an exit code.

Exit codes: 0 done, 1 it failed, 2 it was asked for wrongly, 130 interrupted from the keyboard.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import cast

from engines.api import EngineError
from voicepeer import __version__, console
from voicepeer.commands import (
    bench,
    bot,
    clone,
    demo,
    doctor,
    engines,
    evaluate,
    recording,
    say,
    serve,
    turn_config,
    voices,
)
from voicepeer.core.errors import ConfigInvalid, VoiceNotFound, VoicePeerError

COMMANDS = (
    *(serve, demo, clone, say, bot, voices, recording),
    *(engines, bench, evaluate, doctor, turn_config),
)

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands; building it loads no model and opens no file."""
    parser = argparse.ArgumentParser(
        prog="voicepeer",
        description="A WebRTC peer that says any text in a voice it has just heard.",
        epilog="'voicepeer COMMAND --help' shows what a command takes, with an example.",
    )
    parser.add_argument("--version", action="version", version=f"voicepeer {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.configure(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    arguments = build_parser().parse_args(argv)
    return run_guarded(cast(Callable[[argparse.Namespace], int], arguments.run), arguments)


def run_guarded(run: Callable[[argparse.Namespace], int], arguments: argparse.Namespace) -> int:
    """What ``run`` makes of ``arguments``, which have ``debug``; an error is a line and a code."""
    try:
        return run(arguments)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader has gone, as `| head` does; Python would complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FAILED
    except Exception as error:  # the edge of the process
        return _explain(error, arguments.debug)


def _explain(error: Exception, debug: bool) -> int:
    if debug:
        traceback.print_exception(error)
    if isinstance(error, VoicePeerError | EngineError):
        # Whoever calls it over HTTP has another way to look.
        hint = " (`voicepeer voices list`)" if isinstance(error, VoiceNotFound) else ""
        console.note(f"voicepeer: {error}{hint}")
    elif isinstance(error, OSError):
        console.note(f"voicepeer: {error.strerror or error}: {error.filename or 'no file'}")
    else:
        console.note(
            f"voicepeer: internal error ({type(error).__name__}): "
            "run again with --debug and report what it shows"
        )
    return EXIT_USAGE if isinstance(error, ConfigInvalid) else EXIT_FAILED


if __name__ == "__main__":
    sys.exit(main())

"""``voicepeer serve``: run the service until it is told to stop."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from voicepeer import console
from voicepeer.commands.options import (
    Commands,
    add_command,
    add_database,
    add_engine,
    add_json,
    add_setting,
    config_from,
)

if TYPE_CHECKING:
    from voicepeer.service import ServiceState


def configure(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "serve",
        "run the service: signaling, demo page, models",
        "voicepeer serve --port 8080",
    )
    add_setting(parser, "--host", "server.host", "address to listen on (127.0.0.1)", "ADDRESS")
    add_setting(parser, "--port", "server.port", "port to listen on (8080); 0 is any", "PORT")
    add_setting(
        parser,
        "--media-processes",
        "server.media_processes",
        "processes that calls are spread over (1)",
        "N",
    )
    add_setting(parser, "--log-format", "log.format", "text or json", "FORMAT")
    parser.add_argument(
        "--stop-on-eof",
        action="store_true",
        help="stop when standard input ends, so that the service ends with who started it",
    )
    add_engine(parser)
    add_database(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve; 0 after SIGTERM, 130 after Ctrl-C."""
    import asyncio
    import signal

    from voicepeer.service import serve

    settings = config_from(arguments)
    announce = _announce_json if arguments.json else _announce
    stopped_by = asyncio.run(serve(settings, announce, arguments.stop_on_eof))
    return 130 if stopped_by is signal.SIGINT else 0


def _announce(state: ServiceState) -> None:
    if state.name == "listening":
        console.note(f"listening on {state.url}; loading models …")
    else:
        how = f"{state.engine}, {state.provider}, {state.precision}"
        console.note(f"ready after {state.load_s:.1f} s ({how}): open {state.url}")


def _announce_json(state: ServiceState) -> None:
    console.result_json(asdict(state))

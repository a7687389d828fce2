"""``python -m loadtests parts``: measures what the model is fed with."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import replace
from random import Random

import msgspec

from loadtests import texts
from loadtests.commands.options import check_between, setting_from
from loadtests.model.parts import Parts
from voicepeer import console
from voicepeer.commands.options import add_engine, add_settings, config_from


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.add_argument("--texts", type=int, default=12, help="that are said (%(default)s)")
    parser.add_argument("--rounds", type=int, default=4, help="of each of them (%(default)s)")
    parser.add_argument("--users", type=int, default=4, help="of the service (%(default)s)")
    parser.add_argument(
        "--phase-s",
        type=float,
        default=10.0,
        help="measured of each thing that users do (%(default)s)",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the texts (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    add_engine(parser)
    add_settings(parser)
    # It is always a service of its own, which takes no other recordings.
    parser.set_defaults(url=None, voices=None)


def run(arguments: argparse.Namespace) -> int:
    """Measure and print."""
    from loadtests.model.measuring import measure
    from loadtests.model.service_meter import Effort
    from voicepeer.wiring import host_spec

    check_between("--texts", arguments.texts, 3, 100)
    check_between("--rounds", arguments.rounds, 1, 100)
    check_between("--users", arguments.users, 1, 16)
    check_between("--phase-s", arguments.phase_s, 1, 600)
    effort = Effort(arguments.users, arguments.phase_s)
    said = [texts.turn(Random(arguments.seed + index)) for index in range(arguments.texts)]
    spec = host_spec(config_from(arguments, quiet=True))
    if spec.speech == "fake":
        spec = replace(spec, encoder="fake", vad="fake")
    options = setting_from(arguments).service_arguments
    with console.Progress() as progress:
        parts = asyncio.run(measure(spec, options, said, arguments.rounds, effort, progress))
    if arguments.json:
        console.result_json(msgspec.to_builtins(parts))
    else:
        _print(parts)
    return 0


def _print(parts: Parts) -> None:
    engine, media, enrolment = parts.engine, parts.media, parts.enrolment
    how = f"{engine.engine}, {engine.provider}, {engine.precision}"
    console.result(f"{how}; {parts.cores} cores")
    console.table(
        [
            ["real-time factor of the engine", f"{engine.real_time_factor:.3f}"],
            ["cores that it keeps busy", f"{engine.cores:.2f}"],
            ["its memory, MB", f"{engine.rss_mb:.0f}"],
            ["a service without sessions, ms of a core a second", f"{media.idle_ms:.2f}"],
            ["a silent session, ms of a core a second", f"{media.silent_ms:.2f}"],
            ["more while its caller speaks", f"{media.heard_ms:.2f}"],
            ["and in the process that listens", f"{media.listening_ms:.2f}"],
            ["more while it is spoken to", f"{media.speaking_ms:.2f}"],
            ["a session's memory, MB", f"{media.session_mb:.2f}"],
            ["the service's memory, MB", f"{media.service_mb:.0f}"],
            ["to learn a voice, s of a core", f"{enrolment.cpu_s:.2f}"],
        ],
        ["PART", "FIGURE"],
    )

"""``voicepeer bench media``: what the media path does on a bad network and on this machine."""

from __future__ import annotations

import argparse
import contextlib
import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from voicepeer import console
from voicepeer.commands.options import Commands, add_command, add_engine, add_json, config_from
from voicepeer.core.errors import ConfigInvalid

_EXAMPLE = "voicepeer bench media --only loss,faults --seconds 10"


def configure(actions: Commands) -> None:
    """Add the command."""
    parser = add_command(
        actions, "media", "loss, even departures, interruptions, faults, cost of a stream", _EXAMPLE
    )
    parser.add_argument("--only", default="", help="parts to measure, with commas between them")
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="of the bad network (default %(default)s)"
    )
    parser.add_argument(
        "--rounds", type=int, default=200, help="of interruptions (default %(default)s)"
    )
    add_engine(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Measure and print."""
    settings = config_from(arguments, quiet=True)

    from voicepeer import wiring
    from voicepeer.benches import media

    parts = _parts(arguments.only, media.PARTS)
    if arguments.seconds < 1 or arguments.rounds < 1:
        raise ConfigInvalid("--seconds and --rounds are 1 or more")
    with console.Progress() as progress, _quiet(not arguments.debug):
        figures = media.run(
            parts, wiring.host_spec(settings), arguments.seconds, arguments.rounds, progress
        )
    if arguments.json:
        console.result_json(figures)
    else:
        for part in parts:
            _PRINT[part](figures[part])
        console.result(f"load of the machine at the end: {figures['load']}")
    return 0


@contextlib.contextmanager
def _quiet(wanted: bool) -> Iterator[None]:
    """Faults are made on purpose, and each would be reported with its traceback."""
    ours = logging.getLogger("voicepeer")
    before = ours.level
    try:
        if wanted:
            ours.setLevel(logging.CRITICAL)
        yield
    finally:
        ours.setLevel(before)


def _parts(only: str, known: tuple[str, ...]) -> tuple[str, ...]:
    asked = tuple(part.strip() for part in only.split(",") if part.strip())
    if unknown := set(asked) - set(known):
        raise ConfigInvalid(f"--only takes {', '.join(known)}, not {', '.join(sorted(unknown))}")
    return asked or known


def _print_loss(figures: dict[str, Any]) -> None:
    header = ["WAY", "SENT", "LOST", "MISSING BEYOND", "DELAY MS p50", "p99", "GAP MS", "BACK MS"]
    rows = [
        [
            name,
            str(way["frames_sent"]),
            str(way["lost_on_the_way"]),
            str(way["missing_beyond_lost"]),
            str(way["delay_ms"]["p50"]),
            str(way["delay_ms"]["p99"]),
            str(way["longest_gap_ms"]),
            str(way["back_after_burst_ms"]),
        ]
        for name, way in figures.items()
    ]
    console.table(rows, header)


def _print_departures(figures: dict[str, Any]) -> None:
    apart = figures["inter_departure_ms"]
    console.result(
        f"{figures['streams']} streams beside an engine that takes "
        f"{figures['engine_cpu_cores']} cores: packets {apart['p50']} ms apart, "
        f"p99 {apart['p99']} ms, at most {apart['max']} ms"
    )


def _print_interruptions(figures: dict[str, Any]) -> None:
    silent = figures["cancel_to_silence_ms"]
    console.result(
        f"{figures['rounds']} interruptions: {figures['wrong_samples']} wrong samples, silent "
        f"after {silent['p50']} ms, at most {silent['max']} ms"
    )


def _print_faults(rows: list[dict[str, Any]]) -> None:
    names = ["fault", "outcome", "then", "heard_ms", "underruns", "repaired"]
    console.table(
        [[str(row[name]) for name in names] for row in rows],
        [name.replace("_", " ").upper() for name in names],
    )


def _print_cost(figures: dict[str, Any]) -> None:
    console.result(
        f"a second of one of {figures['streams']} streams: {figures['ours_ms']} ms of processor "
        f"time, stock aiortc {figures['stock_ms']} ms, ratio {figures['ratio']}"
    )


_PRINT: Mapping[str, Callable[[Any], None]] = {
    "loss": _print_loss,
    "departures": _print_departures,
    "interruptions": _print_interruptions,
    "faults": _print_faults,
    "cost": _print_cost,
}

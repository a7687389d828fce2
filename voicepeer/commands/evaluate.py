"""``voicepeer eval``: how well voices are cloned, over many speakers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from voicepeer import console
from voicepeer.commands.options import Commands, add_command, add_json, config_from

_EXAMPLE = "voicepeer eval clone --speakers speakers.txt --limit 10"
_COLUMNS = ("cosine", "ceiling", "stock", "dnsmos", "f0_semitones", "rank")


def configure(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "eval",
        help="measure how well voices are cloned",
        description="Quality over many speakers, on speech and sentences that no fit has seen.",
        epilog=f"example:\n  {_EXAMPLE}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(metavar="WHAT", required=True)
    clone = add_command(
        actions, "clone", "clone speakers and compare them with the result", _EXAMPLE
    )
    clone.add_argument(
        "--speakers", type=Path, required=True, help="a clip's name or path a line, # comments"
    )
    clone.add_argument("--limit", type=int, help="only the first so many")
    clone.add_argument("--refine", type=float, default=0.0, help="seconds of refinement a voice")
    clone.add_argument("--report", type=Path, metavar="DIR", help="also write files to hear there")
    add_json(clone)
    clone.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Evaluate and print."""
    config_from(arguments, quiet=True)

    from voicepeer import evaluation

    with console.Progress() as progress:
        figures = evaluation.run(
            arguments.speakers, arguments.limit, arguments.refine, arguments.report, progress
        )
    if arguments.json:
        console.result_json(figures)
    else:
        _print(figures)
    return 0


def _print(figures: dict[str, Any]) -> None:
    rows = [
        [one["name"], *(_shown(one.get(column)) for column in _COLUMNS)]
        for one in figures["speakers"]
    ]
    console.table(rows, ["SPEAKER", *(column.upper() for column in _COLUMNS)])
    for name, value in figures["mean"].items():
        console.result(f"mean {name}: {_shown(value)}")
    for name, reason in figures.get("notes", {}).items():
        console.result(f"note: {name}: {reason}")


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"

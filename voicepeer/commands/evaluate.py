"""``voicepeer eval``: how well voices are cloned, and what emotions do."""

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
        help="measure how well voices are cloned, and what emotions do",
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
    clone.add_argument(
        "--refine",
        type=float,
        default=0.0,
        help="seconds of two cores to make each voice better with (0)",
    )
    clone.add_argument("--report", type=Path, metavar="DIR", help="also write files to hear there")
    add_json(clone)
    clone.set_defaults(run=run)
    emotions = add_command(
        actions,
        "emotions",
        "measure what each emotion changes against neutral speech",
        "voicepeer eval emotions --strength 0.7",
    )
    emotions.add_argument("--voices", nargs="+", help="stock voices that speak English")
    emotions.add_argument("--emotions", nargs="+", help="only these")
    emotions.add_argument("--strength", type=float, default=1.0, help="of the emotions, 0 to 1 (1)")
    emotions.add_argument("--report", type=Path, metavar="DIR", help="also write files to hear")
    add_json(emotions)
    emotions.set_defaults(run=run_emotions)


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


def run_emotions(arguments: argparse.Namespace) -> int:
    """Evaluate emotions and print."""
    config_from(arguments, quiet=True)

    from voicepeer import emotion_evaluation

    voices = arguments.voices or emotion_evaluation.VOICES
    with console.Progress() as progress:
        figures = emotion_evaluation.run(
            voices,
            arguments.strength,
            arguments.report,
            progress,
            arguments.emotions or emotion_evaluation.EMOTIONS,
        )
    if arguments.json:
        console.result_json(figures)
    else:
        _print_emotions(figures)
    return 0


def _print_emotions(figures: dict[str, Any]) -> None:
    columns = ("duration", "f0_semitones", "spread", "voiced", "level_db", "words", "dnsmos")
    rows = [
        [one["emotion"], *(_shown(one[column]) for column in columns)]
        for one in figures["emotions"]
    ]
    console.table(rows, ["EMOTION", *(column.upper() for column in columns)])
    for name, reason in figures["notes"].items():
        console.result(f"note: {name}: {reason}")


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

"""``voicepeer bench``: what a speech engine and the service can do on this machine."""

from __future__ import annotations

import argparse
from typing import Any

from voicepeer import console
from voicepeer.commands import bench_calls, bench_media, bench_rooms
from voicepeer.commands.options import Commands, add_command, add_engine, add_json, config_from

_EXAMPLE = "voicepeer bench engine --engine kokoro"


def configure(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "bench",
        help="measure a speech engine or the service",
        description="Measurements on this machine; nothing else should be running.",
        epilog=f"example:\n  {_EXAMPLE}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(metavar="WHAT", required=True)
    engine = add_command(actions, "engine", "first audio, real-time factor, streams", _EXAMPLE)
    engine.add_argument(
        "--against", choices=["kokoro-onnx"], help="measure that package in the same run, too"
    )
    add_engine(engine)
    add_json(engine)
    engine.set_defaults(run=run)
    bench_calls.configure(actions)
    bench_media.configure(actions)
    bench_rooms.configure(actions)


def run(arguments: argparse.Namespace) -> int:
    """Measure and print."""
    settings = config_from(arguments, quiet=True)

    from engines import bench
    from voicepeer.wiring import engine_options

    with console.Progress() as progress:
        figures = bench.run(
            settings.engine.speech, engine_options(settings), arguments.against, progress
        )
    if arguments.json:
        console.result_json(figures)
    else:
        _print(figures)
    return 0


def _print(figures: dict[str, Any]) -> None:
    how = f"{figures['engine']}, {figures['provider']}, {figures['precision']}"
    console.result(
        f"{how}: front {figures['front_ms']} ms, first chunk "
        f"{figures['first_chunk_ms']} ms, {figures['peak_rss_mb']} MB"
    )
    texts = [[str(one["words"]), *_percentiles(one), str(one["rtf"])] for one in figures["texts"]]
    console.table(texts, ["WORDS", "FIRST AUDIBLE MS p50", "p95", "RTF"])
    streams = [
        [str(one["n"]), *_percentiles(one), str(one["underruns"]), str(one["longest_gap_ms"])]
        for one in figures["streams"]
    ]
    console.table(
        streams, ["STREAMS", "FIRST AUDIBLE MS p50", "p95", "UNDERRUNS", "LONGEST GAP MS"]
    )
    console.result(f"a killed engine spoke again after {figures['restart_ms']} ms")
    if against := figures.get("against"):
        ratios = ", ".join(
            f"{words} words {ratio}" for words, ratio in against["first_audible_ratio"].items()
        )
        console.result(f"to {against['name']}: first audible {ratios}; rtf {against['rtf_ratio']}")
    for name, reason in figures.get("notes", {}).items():
        console.result(f"note: {name}: {reason}")


def _percentiles(row: dict[str, Any]) -> tuple[str, str]:
    return str(row["first_audible_ms"]["p50"]), str(row["first_audible_ms"]["p95"])

"""``python -m loadtests peers``: the same call against what a user would pick instead."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from loadtests.commands.options import MOST_MINUTES, check_between
from loadtests.files import check_folder, write_text
from loadtests.peers.catalogue import OURS, PEERS
from voicepeer import console
from voicepeer.core.errors import ConfigInvalid

DEFAULT_FOLDER: Final = Path(".cache/peers")
"""Below the project, where nothing is committed."""

REPORT_FILE: Final = "peers.json"
MOST_ROUNDS: Final = 1_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    names = ", ".join(peer.name for peer in PEERS)
    parser.add_argument(
        "--install", action="store_true", help="bring the peers that are not there, and end"
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=DEFAULT_FOLDER,
        help="where they are or shall be (default %(default)s); takes 4 GB",
    )
    parser.add_argument(
        "--only", metavar="NAME", nargs="+", help=f"compare with these only: {names}"
    )
    parser.add_argument(
        "--rounds", type=int, default=5, help="calls of each, of 4 texts (default %(default)s)"
    )
    parser.add_argument(
        "--minutes",
        type=float,
        default=10.0,
        help="no round begins that would end later than this (default %(default)s)",
    )
    parser.add_argument(
        "--quick", action="store_true", help="one round: too few for a 95th percentile"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the turns and of what is lost")
    parser.add_argument(
        "--report", metavar="DIR", type=Path, help=f"write {REPORT_FILE} into this folder, too"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Install or compare."""
    from loadtests.peers import install

    peers = _chosen(arguments.only)
    if arguments.install:
        install.install(arguments.folder, peers, console.note)
        return 0
    _check(arguments)

    from loadtests.peers import bench, figures

    plan = bench.Plan(
        arguments.folder,
        rounds=1 if arguments.quick else arguments.rounds,
        seconds=arguments.minutes * 60,
        seed=arguments.seed,
    )
    with console.Progress() as progress:
        compared = asyncio.run(bench.compare(OURS, peers, plan, progress))
    result = figures.report(compared)
    if arguments.report is not None:
        write_text(arguments.report / REPORT_FILE, json.dumps(result, indent=1) + "\n")
    if arguments.json:
        console.result_json(result)
    else:
        print_report(result)
    return 0


def _chosen(names: Sequence[str] | None) -> list[Any]:
    known = {peer.name: peer for peer in PEERS}
    if unknown := set(names or ()) - set(known):
        raise ConfigInvalid(f"--only takes {', '.join(known)}, not {', '.join(sorted(unknown))}")
    return [known[name] for name in dict.fromkeys(names or known)]


def _check(arguments: argparse.Namespace) -> None:
    check_between("--rounds", arguments.rounds, 1, MOST_ROUNDS)
    check_between("--minutes", arguments.minutes, 0.05, MOST_MINUTES)
    if arguments.report is not None:
        check_folder(arguments.report)


def print_report(result: Mapping[str, Any]) -> None:
    """Tables for a person."""
    header = "PEER", "FIRST AUDIBLE p50", "p95", "RTF", "CPU", "MB", "CANCEL", "GLITCHES"
    console.table([_row(run) for run in result["runs"]], header)
    texts = [text["text"] for text in result["runs"][0]["texts"]]
    console.result("")
    console.table(
        [
            [run["peer"], *(_shown(text["first_audible_ms"]["p50"]) for text in run["texts"])]
            for run in result["runs"]
        ],
        ["FIRST AUDIBLE MS p50", *(text.upper() for text in texts)],
    )
    console.result("")
    for kind, goals in (("ratios", result["goals"]), ("floors", {})):
        for name, shares in result[kind].items():
            for ours, values in _by_ours(result["ours"], shares):
                told = ", ".join(_verdict(what, values[what], goals) for what in result["goals"])
                console.result(f"{ours} to {name}: {told}")
    for what, reason in result["notes"].items():
        console.result(f"note: {what}: {reason}")
    for run in result["runs"]:
        for what, reason in run["notes"].items():
            console.result(f"note: {run['peer']}: {what}: {reason}")


def _row(run: Mapping[str, Any]) -> list[str]:
    flaws = [run[name] for name in ("glitches", "stalls", "holes")]
    values = (
        run["first_audible_ms"]["p50"],
        run["first_audible_ms"]["p95"],
        run["rtf"],
        run["cpu_per_session"],
        run["memory_mb"],
        run["cancel_to_silence_ms"]["p50"],
        None if None in flaws else sum(flaws),
    )
    return [run["peer"], *map(_shown, values)]


def _by_ours(ours: Sequence[str], shares: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    first, *further = ours
    return [(first, shares), *((name, shares[name]) for name in further)]


def _verdict(what: str, value: float | None, goals: Mapping[str, float]) -> str:
    """A ratio, and whether it is as it should be where there is a goal for it."""
    if value is None:
        return f"{what} ?"
    if what not in goals:
        return f"{what} {value:g}"
    return f"{what} {value:g} ({'ok' if value <= goals[what] else 'MISSED'}, goal {goals[what]:g})"


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"

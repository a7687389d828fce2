"""``voicepeer engines``: which models there are, and making their engine files."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from voicepeer import config, console
from voicepeer.commands.options import Commands, add_command, add_engine, add_json, config_from
from voicepeer.core.errors import ConfigInvalid

if TYPE_CHECKING:
    from engines.build.manifest import Manifest


def configure(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "engines",
        help="list the models; build and verify engine files",
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
    build = add_command(
        actions,
        "build",
        "make engine files, verify them, and only then use them",
        "voicepeer engines build --engine kokoro --precision bf16 --provider openvino",
    )
    verify = add_command(
        actions,
        "verify",
        "check the engine files in use: their hashes, and how they sound here",
        "voicepeer engines verify --engine kokoro",
    )
    for parser, run in ((build, _build), (verify, _verify)):
        add_engine(parser)
        add_json(parser)
        parser.set_defaults(run=run)


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


def _build(arguments: argparse.Namespace) -> int:
    return _make(arguments, "build")


def _verify(arguments: argparse.Namespace) -> int:
    return _make(arguments, "verify")


def _make(arguments: argparse.Namespace, what: str) -> int:
    """Build or verify, and print the record of the files."""
    from engines.build.builder import building

    engine = config_from(arguments, quiet=True).engine
    try:
        make: Callable[..., Manifest] = getattr(building(engine.speech), what)
    except ValueError as error:
        raise ConfigInvalid(f"{error} (engine.speech)") from error
    with console.Progress() as progress:
        made = make(
            provider=engine.provider,
            precision=engine.precision,
            cache=Path(engine.cache_dir) if engine.cache_dir else config.cache_dir(),
            weights=Path(engine.weights) if engine.weights else None,
            progress=progress,
        )
    if arguments.json:
        console.result_json(asdict(made))
    else:
        console.table([[name, f"{value:.4g}"] for name, value in made.figures.items()])
        console.note(
            f"{len(made.files)} files of {made.engine} ({made.recipe}) are in order, "
            f"verified with {made.verified_with}"
        )
    return 0

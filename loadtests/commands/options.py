"""Options that several commands share."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from loadtests.files import check_folder
from loadtests.stage import Setting
from voicepeer import console
from voicepeer.audio import read_reference
from voicepeer.commands.options import add_engine, add_settings, settings_as_arguments
from voicepeer.core.errors import AudioRejected, ConfigInvalid

Wanted = TypeVar("Wanted")

MOST_USERS = 200
MOST_MINUTES = 24 * 60.0
MOST_RECORDINGS = 100
"""Each tester holds all of them, a minute of one in 12 MB."""


def add_target(parser: argparse.ArgumentParser) -> None:
    """Which service is measured, and the seed of all that its users do."""
    parser.add_argument(
        "--url",
        help="a service that runs already; its token comes by the environment, VOICEPEER_TOKEN",
    )
    parser.add_argument(
        "--voices",
        metavar="FOLDER",
        type=Path,
        help="recordings of speakers (.wav) to learn from; by default the service's own voices",
    )
    parser.add_argument("--seed", type=int, default=1, help="of all that users do (%(default)s)")
    add_engine(parser)
    add_settings(parser)


def add_output(parser: argparse.ArgumentParser) -> None:
    """Where figures go."""
    parser.add_argument("--report", metavar="DIR", type=Path, help="also write a page there")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def setting_from(arguments: argparse.Namespace) -> Setting:
    """What these options lead to.

    Raises:
        ConfigInvalid: they contradict each other, or there is no recording.
    """
    service_arguments = settings_as_arguments(arguments)
    # --debug is for us as well, so a service elsewhere is no reason against it.
    if arguments.url is not None and any(one != "--debug" for one in service_arguments):
        raise ConfigInvalid("--url names a service that has its settings already")
    if "--set=engine.speech=fake" in service_arguments:
        fakes = ("--set=engine.encoder=fake", "--set=engine.vad=fake")
        service_arguments = [*fakes, *service_arguments]
    return Setting(
        url=arguments.url,
        service_arguments=service_arguments,
        voices=_voices(arguments.voices),
        seed=arguments.seed,
        debug=arguments.debug,
    )


def _voices(folder: Path | None) -> list[Path]:
    if folder is None:
        return []
    found = sorted(folder.glob("*.wav"))
    if not found:
        raise ConfigInvalid(f"there are no recordings (.wav) in {folder}")
    if len(found) > MOST_RECORDINGS:
        raise ConfigInvalid(f"{folder} has {len(found)} recordings: {MOST_RECORDINGS} are the most")
    for file in found:
        _check_recording(file)
    return found


def _check_recording(file: Path) -> None:
    """A tester that cannot read it would end without a word that anybody sees."""
    try:
        read_reference(file)
    except AudioRejected as error:
        raise ConfigInvalid(f"not all in {file.parent} are recordings: {error}") from error


def check_between(name: str, value: float, least: float, most: float) -> None:
    """Raises ``ConfigInvalid`` for an option that is out of range."""
    if not least <= value <= most:
        raise ConfigInvalid(f"{name} is {least:g} to {most:g}")


def check_load(arguments: argparse.Namespace) -> None:
    """Raises ``ConfigInvalid`` for users, their talk or minutes that are out of range."""
    check_between("--users", arguments.users, 1, MOST_USERS)
    check_between("--talk", arguments.talk, 0.01, 1)
    check_between("--minutes", arguments.minutes, 0.05, MOST_MINUTES)


def measured(
    arguments: argparse.Namespace,
    measure: Callable[[Setting, Wanted, console.Progress], Awaitable[dict[str, Any]]],
    wanted: Wanted,
    show: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    """Measure with a progress, and print the figures as JSON or by ``show``.

    Raises:
        ConfigInvalid: see ``setting_from``.
        CannotWrite: there would be no place for the report; told before all is measured.
    """
    setting = setting_from(arguments)
    if arguments.report is not None:
        check_folder(arguments.report)

    async def figures_of(progress: console.Progress) -> dict[str, Any]:
        return await measure(setting, wanted, progress)

    with console.Progress() as progress:
        figures = asyncio.run(figures_of(progress))
    if arguments.json:
        console.result_json(figures)
    else:
        show(figures)
    return figures

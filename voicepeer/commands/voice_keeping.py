"""``voicepeer voices backup``, ``restore``, ``reference`` and ``rekey``."""

from __future__ import annotations

import argparse
import time
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voicepeer import console
from voicepeer.commands.options import Commands, add_command, config_from, finish_stored
from voicepeer.core.errors import CannotWrite

if TYPE_CHECKING:
    from voicepeer.backup import Told

EXAMPLES = {
    "backup": "voicepeer voices backup voices.backup",
    "restore": "voicepeer voices restore voices.backup",
    "reference": "voicepeer voices reference Ada ada.wav",
    "rekey": "voicepeer voices rekey",
}


def configure(actions: Commands) -> None:
    """Add the actions to those of ``voicepeer voices``."""
    for name, run, help_text in (
        ("backup", _backup, "write all saved voices, consents and references to one file"),
        ("restore", _restore, "put a backup in the place of what is kept"),
    ):
        parser = _action(actions, name, help_text, run)
        parser.add_argument("file", type=Path, help="the backup")
        parser.add_argument("--force", action="store_true", help="replace what is there already")
        if name == "restore":
            parser.add_argument(
                "--beside-service",
                action="store_true",
                help="while a service runs, whose calls may lose their voices by that",
            )
    reference = _action(
        actions, "reference", "write the speech that a voice was made from, if kept", _reference
    )
    reference.add_argument("voice", help="id or name")
    reference.add_argument("file", type=Path, help="WAV file to write")
    _action(
        actions,
        "rekey",
        "seal all references with the first key of VOICEPEER_REFERENCE_KEYS; may be interrupted",
        _rekey,
    )


def _action(actions: Commands, name: str, help_text: str, run: Any) -> argparse.ArgumentParser:  # noqa: ANN401
    parser: argparse.ArgumentParser = add_command(actions, name, help_text, EXAMPLES[name])
    finish_stored(parser, run)
    return parser


def _backup(arguments: argparse.Namespace) -> int:
    from voicepeer import backup
    from voicepeer.commands.auditing import note_backup
    from voicepeer.stores import open_stores

    settings = config_from(arguments, quiet=True)
    with closing(open_stores(settings)) as stores, console.Progress() as progress:
        head = backup.backup(
            stores, arguments.file, time.time(), arguments.force, _told(progress, "backing up")
        )
    note_backup(settings, "export")
    if arguments.json:
        console.result_json(_facts(arguments.file, head))
    else:
        console.note(
            f"wrote {arguments.file}: {head.voices} voices, {head.consents} consents, "
            f"{head.references} references; whoever has it can speak in all of them"
        )
    return 0


def _restore(arguments: argparse.Namespace) -> int:
    from voicepeer import backup
    from voicepeer.commands.auditing import note_backup
    from voicepeer.stores import open_stores

    settings = config_from(arguments, quiet=True)
    with closing(open_stores(settings)) as stores, console.Progress() as progress:
        head = backup.restore(
            arguments.file,
            stores,
            time.time(),
            arguments.force,
            _told(progress, "restoring"),
            arguments.beside_service,
        )
        there = len(stores.voices.summaries(time.time()))
    note_backup(settings, "import")
    if arguments.json:
        console.result_json(_facts(arguments.file, head) | {"voices_now": there})
    else:
        console.note(f"restored {arguments.file}: there are {there} voices in {stores.name}")
        if there < head.voices:
            console.note(f"{head.voices - there} were left out: their consent was withdrawn since")
    return 0


def _facts(file: Path, head: Any) -> dict[str, Any]:  # noqa: ANN401 - imported where needed
    return {
        "file": str(file),
        "voices": head.voices,
        "consents": head.consents,
        "references": head.references,
        "bytes": head.size_bytes,
        "sha256": head.sha256,
    }


def _reference(arguments: argparse.Namespace) -> int:
    from engines import atomic
    from voicepeer import targets
    from voicepeer.commands.auditing import note_on_command_line
    from voicepeer.reference_keeper import open_keeper
    from voicepeer.stores import open_stores

    settings = config_from(arguments, quiet=True)
    with closing(open_stores(settings)) as stores:
        targets.check(arguments.file, stores.path)
        record = stores.voices.find(arguments.voice, time.time())
        audio = open_keeper(stores.references).wav(record.voice_id)
    try:
        with atomic.writing(arguments.file) as file:
            file.write(audio)
    except OSError as error:
        raise CannotWrite(f"{arguments.file} cannot be written: {error.strerror}") from error
    note_on_command_line(settings, "export", record)
    if arguments.json:
        console.result_json({"voice_id": record.voice_id, "file": str(arguments.file)})
    else:
        console.note(f"wrote {arguments.file}, the speech of {record.name!r}, for anyone to hear")
    return 0


def _rekey(arguments: argparse.Namespace) -> int:
    from voicepeer.reference_keeper import open_keeper
    from voicepeer.stores import open_stores

    settings = config_from(arguments, quiet=True)
    with closing(open_stores(settings)) as stores, console.Progress() as progress:
        keeper = open_keeper(stores.references)
        done = keeper.rekey(_told(progress, "sealing anew"))
    rest = "all others can be thrown away now" if not done.refused else "keep the others for now"
    if arguments.json:
        console.result_json(asdict(done) | {"key_id": keeper.keys.current})
    else:
        console.note(
            f"{done.changed} references were sealed anew with the key {keeper.keys.current!r}, "
            f"{done.current} had it already: {rest}"
        )
    for reason in done.refused:
        console.note(reason)
    return 1 if done.refused else 0


def _told(progress: console.Progress, what: str) -> Told:
    return lambda done, of: progress(what, done / of if of else 1.0)

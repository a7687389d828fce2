"""``voicepeer voices``: what is kept of whom, and how to move or remove it."""

from __future__ import annotations

import argparse
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voicepeer import console
from voicepeer.commands import voice_keeping
from voicepeer.commands.options import (
    Commands,
    a_name,
    add_command,
    add_engine,
    add_owner,
    config_from,
    finish_stored,
)

if TYPE_CHECKING:
    from voicepeer.audit import AuditEvent
    from voicepeer.stores import Stores, Voices
    from voicepeer.voice_store import VoiceRecord

_EXAMPLES = {
    "list": "voicepeer voices list",
    "show": "voicepeer voices show Ada",
    "delete": "voicepeer voices delete Ada",
    "export": "voicepeer voices export Ada ada.voice",
    "import": "voicepeer voices import ada.voice",
    "give": "voicepeer voices give Ada acme",
    "mix": "voicepeer voices mix Both Ada=0.6 af_heart=0.4",
}


def configure(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "voices",
        help="list, show, delete, export, give, import, mix, back up or restore saved voices",
        description="Saved voices, each with the consent it was made under.",
        epilog=f"example:\n  {_EXAMPLES['list']}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    _action(actions, "list", "all saved voices", _list)
    _action(actions, "show", "one voice, its consent and origin", _show)
    _action(actions, "delete", "remove a voice for good", _delete)
    export = _action(actions, "export", "write a voice and its consent to a file", _export)
    export.add_argument("file", type=Path, help="file to write")
    give = _action(actions, "give", "make a voice another key's", _give)
    give.add_argument("owner", help="name of the API key, as in the audit log")
    imported = add_command(actions, "import", "take in an exported voice", _EXAMPLES["import"])
    imported.add_argument("file", type=Path, help="file that 'export' wrote")
    add_owner(imported)
    imported.add_argument("--replace", action="store_true", help="replace the voice if it is here")
    finish_stored(imported, _import)
    mixed = add_command(actions, "mix", "make a voice of others by weights", _EXAMPLES["mix"])
    mixed.add_argument("name", type=a_name, help="what to call it")
    mixed.add_argument("parts", nargs="+", metavar="VOICE=WEIGHT", help="saved or stock voices")
    add_engine(mixed)
    finish_stored(mixed, _mix)
    voice_keeping.configure(actions)


def _action(actions: Commands, name: str, help_text: str, run: Any) -> argparse.ArgumentParser:  # noqa: ANN401
    parser: argparse.ArgumentParser = add_command(actions, name, help_text, _EXAMPLES[name])
    if name != "list":
        parser.add_argument("voice", help="id or name")
    finish_stored(parser, run)
    return parser


def _stores(arguments: argparse.Namespace) -> Stores:
    from voicepeer.stores import open_stores

    return open_stores(config_from(arguments, quiet=True))


def _store(arguments: argparse.Namespace) -> Voices:
    return _stores(arguments).voices


def _list(arguments: argparse.Namespace) -> int:
    records = _store(arguments).records(time.time())
    if arguments.json:
        console.result_json([describe(record) for record in records])
    elif records:
        rows = [
            [record.voice_id, record.name or "-", record.voice.engine, _until(record.expires)]
            for record in records
        ]
        console.table(rows, ["ID", "NAME", "ENGINE", "KEPT"])
    else:
        console.note("no saved voices: make one with 'voicepeer clone'")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    record = _store(arguments).find(arguments.voice, time.time())
    facts = describe(record)
    if arguments.json:
        console.result_json(facts)
    else:
        console.table(
            [[name, "-" if value is None else str(value)] for name, value in facts.items()]
        )
    return 0


def _delete(arguments: argparse.Namespace) -> int:
    store = _store(arguments)
    record = store.find(arguments.voice, time.time())
    store.delete(record.voice_id)
    _note(arguments, "delete", record)
    if arguments.json:
        console.result_json({"deleted": record.voice_id})
    else:
        console.note(f"deleted {record.voice_id} ({record.name})")
    return 0


def _export(arguments: argparse.Namespace) -> int:
    from voicepeer import targets, voice_file

    stores = _stores(arguments)
    targets.check(arguments.file, stores.path)
    record = stores.voices.find(arguments.voice, time.time())
    voice_file.write(arguments.file, record)
    _note(arguments, "export", record)
    if arguments.json:
        console.result_json({"exported": record.voice_id, "file": str(arguments.file)})
    else:
        console.note(f"wrote {arguments.file}; whoever has it can speak as {record.name!r}")
    return 0


def _give(arguments: argparse.Namespace) -> int:
    store = _store(arguments)
    record = store.find(arguments.voice, time.time())
    store.give(record.voice_id, arguments.owner)
    if arguments.json:
        console.result_json({"voice_id": record.voice_id, "owner": arguments.owner})
    else:
        console.note(f"{record.voice_id} ({record.name}) belongs to {arguments.owner} now")
    return 0


def _import(arguments: argparse.Namespace) -> int:
    from voicepeer import voice_file
    from voicepeer.consent_store import owned_copy

    record, consent = owned_copy(voice_file.read(arguments.file), arguments.owner)
    _stores(arguments).consents.take_in(record, consent, arguments.replace)
    _note(arguments, "import", record)
    if arguments.json:
        console.result_json(describe(record))
    else:
        console.note(f"imported {record.voice_id} ({record.name})")
    made_by, ours = record.voice.engine, config_from(arguments, quiet=True).engine.speech
    if made_by != ours:
        console.note(
            f"it is a voice of the engine {made_by!r}: only that one speaks with it, and the "
            f"settings name {ours!r} (engine.speech)"
        )
    return 0


def _mix(arguments: argparse.Namespace) -> int:
    from voicepeer import blend
    from voicepeer.commands import models

    weights = blend.read_weights(arguments.parts)
    engine = models.load_speech(config_from(arguments, quiet=True))
    store = _store(arguments)
    record = blend.mix(arguments.name, weights, engine, store, time.time())
    store.put(record)
    if arguments.json:
        console.result_json(describe(record))
    else:
        console.result(record.voice_id)
        console.note(f"saved {record.name!r}, a {record.source}")
    return 0


def _note(arguments: argparse.Namespace, event: AuditEvent, record: VoiceRecord) -> None:
    from voicepeer.commands.auditing import note_on_command_line

    note_on_command_line(config_from(arguments, quiet=True), event, record)


def describe(record: VoiceRecord) -> dict[str, Any]:
    """What a person or a program may want to know of a voice, without the voice itself."""
    return {
        "voice_id": record.voice_id,
        "name": record.name,
        "engine": record.voice.engine,
        "engine_version": record.voice.engine_version,
        "created": _when(record.created),
        "expires": None if record.expires is None else _when(record.expires),
        "quality": record.quality,
        "source": record.source,
        "owner": record.owner,
        "consent": record.consent.statement,
        "consent_by": record.consent.who,
        "consent_when": _when(record.consent.when),
        "consent_version": record.consent.version,
        "consent_id": record.consent.consent_id,
        "voice_bytes": len(record.voice.to_bytes()),
    }


def _when(unix_s: float) -> str:
    return datetime.fromtimestamp(unix_s, UTC).isoformat(timespec="seconds")


def _until(expires: float | None) -> str:
    return "for good" if expires is None else f"until {_when(expires)}"

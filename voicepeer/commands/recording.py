"""``voicepeer recording``: recordings of rooms, to be listed, mixed and deleted."""

from __future__ import annotations

import argparse
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voicepeer import config, console
from voicepeer.commands.options import (
    Commands,
    add_command,
    add_json,
    add_setting,
    config_from,
)
from voicepeer.core.errors import ConfigInvalid, RecordingNotFound

if TYPE_CHECKING:
    from voicepeer.recording_store import Recorded, RecordingStore

_EXAMPLES = {
    "list": "voicepeer recording list --folder recordings",
    "mix": "voicepeer recording mix recordings/20261130T061500-9f86d081884c",
    "delete": "voicepeer recording delete 20261130T061500-9f86d081884c --folder recordings",
}


def configure(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "recording",
        help="list, mix or delete recordings of rooms",
        description="Recordings of rooms, each a folder with a track of everybody who agreed.",
        epilog=f"example:\n  {_EXAMPLES['list']}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    _finish(add_command(actions, "list", "all recordings", _EXAMPLES["list"]), _list)
    mixed = add_command(
        actions, "mix", "make one WAV of all tracks, and captions", _EXAMPLES["mix"]
    )
    mixed.add_argument("recording", help="its folder, or its id in the folder of recordings")
    mixed.add_argument("--again", action="store_true", help="also if there is a mix already")
    _finish(mixed, _mix)
    deleted = add_command(actions, "delete", "remove a recording for good", _EXAMPLES["delete"])
    deleted.add_argument("recording", metavar="ID", help="as 'list' shows it")
    deleted.add_argument(
        "--participant",
        metavar="ID",
        help="remove the tracks of this participant only, by their id in 'list', and mixes, which "
        "have them in them",
    )
    _finish(deleted, _delete)


def _finish(parser: argparse.ArgumentParser, run: Any) -> None:  # noqa: ANN401
    add_setting(parser, "--folder", "recording.folder", "folder of recordings", "FOLDER")
    add_json(parser)
    parser.set_defaults(run=run)


def _store(arguments: argparse.Namespace) -> RecordingStore:
    from voicepeer.recording_store import RecordingStore

    folder = config.recordings_folder(config_from(arguments, quiet=True))
    if folder is None:
        raise ConfigInvalid("name the folder of recordings: --folder, or recording.folder")
    return RecordingStore(folder)


def _list(arguments: argparse.Namespace) -> int:
    found = [describe(one, time.time()) for one in _store(arguments).records()]
    if arguments.json:
        console.result_json(found)
    elif found:
        names = ("recording_id", "room", "begun", "state", "length_s", "tracks", "bytes")
        rows = [["-" if one[name] is None else str(one[name]) for name in names] for one in found]
        for row, one in zip(rows, found, strict=True):
            row.append(" ".join(one["participants"]) or "-")
        heads = ["ID", "ROOM", "BEGUN", "STATE", "SECONDS", "TRACKS", "BYTES", "PARTICIPANTS"]
        console.table(rows, heads)
    else:
        console.note("no recordings: a client with the right to manage begins one (docs/rooms.md)")
    return 0


def _mix(arguments: argparse.Namespace) -> int:
    from voicepeer.recording_mix import mix
    from voicepeer.recording_store import recorded

    folder = Path(arguments.recording)
    if not folder.is_dir():
        folder = _store(arguments).find(arguments.recording).folder
    if recorded(folder).goes_on(time.time()):
        raise RecordingNotFound(f"{folder.name} goes on still: mix it when it has ended")
    with console.Progress() as progress:
        made = mix(folder, progress, again=arguments.again)
    if arguments.json:
        console.result_json(
            {
                "wav": str(made.wav),
                "captions": str(made.captions),
                "length_s": round(made.length_s, 3),
                "tracks": made.tracks,
                "cues": made.cues,
                "resumed_s": made.resumed_s,
            }
        )
    else:
        console.result(f"{made.wav}: {made.length_s:.1f} s, {made.tracks} tracks")
        console.result(f"{made.captions}: {made.cues} captions")
    return 0


def _delete(arguments: argparse.Namespace) -> int:
    from voicepeer.commands.auditing import note_recording_deleted

    store, recording_id, participant = _store(arguments), arguments.recording, arguments.participant
    if participant is None:
        store.delete(recording_id)
        tracks = None
    else:
        tracks = store.delete_participant(recording_id, participant, time.time())
    note_recording_deleted(config_from(arguments, quiet=True), recording_id, participant or "")
    if arguments.json:
        console.result_json({"deleted": recording_id, "participant": participant, "tracks": tracks})
    elif tracks is None:
        console.note(f"deleted {recording_id}")
    else:
        console.note(f"deleted {tracks} tracks of {participant} from {recording_id}")
    return 0


def describe(one: Recorded, now_s: float) -> dict[str, Any]:
    """What a person or a program may want to know of a recording."""
    manifest = one.manifest
    state = "ended" if one.has_ended else "going on" if one.goes_on(now_s) else "interrupted"
    begun = None if manifest is None else datetime.fromtimestamp(manifest.begun_s, UTC)
    length_s = None if manifest is None else manifest.length_s
    return {
        "recording_id": one.recording_id,
        "tenant": None if manifest is None else manifest.tenant,
        "room": None if manifest is None else manifest.room,
        "begun": None if begun is None else begun.isoformat(timespec="seconds"),
        "state": state,
        "end": None if manifest is None else manifest.end,
        "length_s": None if length_s is None else round(length_s, 1),
        "tracks": 0 if manifest is None else len(manifest.tracks),
        "participants": sorted(
            {track.participant for track in manifest.tracks} if manifest else ()
        ),
        "bytes": one.size,
    }

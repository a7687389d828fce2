"""``voicepeer clone``: a recording in, a saved voice out."""

from __future__ import annotations

import argparse
import getpass
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from voicepeer import console
from voicepeer.commands.options import (
    Commands,
    a_name,
    add_command,
    add_database,
    add_engine,
    add_json,
    add_owner,
    config_from,
)
from voicepeer.core.errors import ConfigInvalid

if TYPE_CHECKING:
    from voicepeer.offline import Cloned

_QUESTION = (
    "Whose voice is this, and do they agree that it is cloned?\n"
    "Write their statement, such as 'I am Ada Lovelace and agree that my voice is cloned':\n> "
)


def configure(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "clone",
        "make a saved voice from a recording of at least three seconds of speech",
        "voicepeer clone me.wav --name Ada --consent 'I am Ada and agree to be cloned.'",
    )
    parser.add_argument("recording", type=Path, help="WAV, MP3, FLAC, OGG, M4A or WebM")
    parser.add_argument("--name", required=True, type=a_name, help="what to call the voice")
    parser.add_argument(
        "--consent",
        metavar="STATEMENT",
        help="the speaker's statement, kept with the voice; asked for on a terminal",
    )
    parser.add_argument(
        "--refine",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="of two cores, to make the voice better with (0)",
    )
    parser.add_argument(
        "--match-channel",
        action=argparse.BooleanOptionalAction,
        help="let the voice sound like the recording, its microphone and line included",
    )
    parser.add_argument(
        "--speaker", type=a_name, help="who consents, if it is not the user of this machine"
    )
    add_owner(parser)
    add_engine(parser)
    add_database(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Clone and save."""
    settings = config_from(arguments, quiet=True)
    statement = _statement(arguments.consent)

    from voicepeer.commands import models
    from voicepeer.commands.auditing import note_on_command_line
    from voicepeer.consent_store import Consent, new_consent_id
    from voicepeer.offline import clone
    from voicepeer.reference_keeper import keeper_of
    from voicepeer.stores import open_stores

    with closing(open_stores(settings)) as stores:
        keeper = keeper_of(settings, stores.references)
        engine = models.load_speech(settings)
        ears = models.load_ears(settings, engine)
        consent = Consent(
            consent_id=new_consent_id(),
            name=arguments.speaker or getpass.getuser(),
            statement=statement,
            given=time.time(),
            owner=arguments.owner,
            kind="clone",
            language="und",
        )
        asked = arguments.match_channel
        cloned = clone(
            arguments.recording,
            arguments.name,
            consent.record,
            engine,
            ears,
            refine_s=arguments.refine,
            match_channel=settings.voices.match_channel if asked is None else asked,
        )
        record = replace(cloned.record, owner=arguments.owner)
        stores.consents.put(consent)
        stores.voices.put(record, consented=True)
        if keeper is not None:
            keeper.keep(record.voice_id, cloned.reference)
    note_on_command_line(settings, "clone", record)
    _report(cloned, arguments.json)
    return 0


def _statement(given: str | None) -> str:
    if given is None and sys.stdin.isatty():
        given = input(_QUESTION)
    if not (given or "").strip():
        raise ConfigInvalid(
            "cloning a voice needs its speaker's consent: give their statement with --consent"
        )
    return str(given).strip()


def _report(cloned: Cloned, as_json: bool) -> None:
    record, quality = cloned.record, cloned.quality
    for remark in (*cloned.notes, *cloned.suitability.warnings):
        console.note(f"note: {remark}")
    if as_json:
        console.result_json(
            {
                "voice_id": record.voice_id,
                "name": record.name,
                "engine": record.voice.engine,
                "speech_s": round(cloned.speech_s, 2),
                "quality": round(quality.score, 3),
                "snr_db": None if quality.snr_db is None else round(quality.snr_db, 1),
                "hint": quality.hint,
                "clone_ms": round(cloned.enrol_ms, 1),
                "notes": list(cloned.notes),
                "warnings": list(cloned.suitability.warnings),
                "aspects": {
                    one.name: {
                        "value": None if one.value is None else round(one.value, 3),
                        "score": round(one.score, 3),
                    }
                    for one in cloned.suitability.aspects
                },
            }
        )
    else:
        console.result(record.voice_id)
        console.note(
            f"saved {record.name!r} from {cloned.speech_s:.1f} s of speech, quality "
            f"{quality.score:.2f}; hear it: voicepeer say --voice {record.voice_id} 'Hello.'"
        )

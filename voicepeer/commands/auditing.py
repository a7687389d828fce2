"""What the command line does to voices and recordings stands in the audit log, too."""

from __future__ import annotations

from contextlib import closing

from voicepeer import wiring
from voicepeer.audit import AuditEvent
from voicepeer.config import Config
from voicepeer.voice_store import VoiceRecord

COMMAND_LINE = "command line"
"""In place of a key."""


def note_on_command_line(settings: Config, event: AuditEvent, record: VoiceRecord) -> None:
    """Write a line of the audit log, if there is one.

    Raises:
        ConfigInvalid: it cannot be written.
    """
    with closing(wiring.audit(settings)) as audit:
        audit.record(
            event,
            key_id=COMMAND_LINE,
            voice_id=record.voice_id,
            consent_id=record.consent.consent_id,
        )


def note_backup(settings: Config, event: AuditEvent) -> None:
    """Write that all voices were backed up or restored; raises as above."""
    with closing(wiring.audit(settings)) as audit:
        audit.record(event, key_id=COMMAND_LINE, reason="backup")


def note_recording_deleted(settings: Config, recording_id: str, participant: str) -> None:
    """Write that a recording, or what there was of one participant, is gone; raises as above."""
    with closing(wiring.audit(settings)) as audit:
        audit.record(
            "recording.delete",
            key_id=COMMAND_LINE,
            recording_id=recording_id,
            participant_id=participant,
        )

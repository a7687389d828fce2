"""What the command line does to voices stands in the audit log, too."""

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

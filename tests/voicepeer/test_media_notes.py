"""What shows how a service keeps up is the same at the entry as where it was noted."""

from __future__ import annotations

import pytest

from voicepeer import media_frames
from voicepeer.core.degradation.vitals import Notes, Vitals
from voicepeer.media_frames import Noted
from voicepeer.media_notes import NotesForEntry, take_note

pytestmark = pytest.mark.unit


def note_all(notes: Notes, times: int) -> None:
    for number in range(times):
        notes.first_audible(100.0 + number, 1.0)
        notes.ended(1.0, failed=number % 4 == 0)
        notes.embedded(20.0 + number, 1.0)


def test_notes_of_several_processes_come_together_at_the_entry() -> None:
    alone, together = Vitals(), Vitals()
    sent: list[bytes] = []
    media = NotesForEntry(lambda noted: sent.append(media_frames.pack(noted)))
    note_all(alone, 16)
    note_all(media, 8)
    assert alone.read(2.0).first_audible_ms == 115.0
    for frame in sent:
        noted = media_frames.unpack_to_entry(frame[4:])
        assert isinstance(noted, Noted)
        take_note(noted, together, 1.0)
    assert together.read(2.0).first_audible_ms == 107.0
    assert together.read(2.0).error_share == alone.read(2.0).error_share == 0.25
    assert together.read(2.0).embedding_ms == 23.0
    # By the clock of the entry, whatever those of others say.
    assert together.read(60.0).first_audible_ms is None

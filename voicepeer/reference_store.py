"""Sealed reference audio, in the same SQLite file as its voice, with which it goes."""

from __future__ import annotations

from pathlib import Path

from voicepeer.core.errors import ClientError
from voicepeer.database import connection, empty_log, reading
from voicepeer.reference_seal import SealedReference
from voicepeer.voice_store import not_found


class ReferenceNotFound(ClientError):
    """No reference audio is kept of this voice."""

    code = "reference_not_found"

    def __init__(self, voice_id: str) -> None:
        super().__init__(f"no reference audio is kept of the voice {voice_id[:64]!r}")


class ReferenceStore:
    """The synchronous store, as ``VoiceStore``; raises ``VoiceStoreUnusable``."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, reference: SealedReference) -> None:
        """Keep it, in place of an earlier one; raises ``VoiceNotFound`` without its voice."""
        query = (
            "INSERT OR REPLACE INTO reference_audio SELECT ?, ?, ? "
            "WHERE EXISTS (SELECT 1 FROM voices WHERE voice_id = ?)"
        )
        values = (reference.voice_id, reference.key_id, reference.sealed, reference.voice_id)
        with connection(self.path) as opened, opened:
            if not opened.execute(query, values).rowcount:
                raise not_found(reference.voice_id)

    def get(self, voice_id: str) -> SealedReference:
        """The one of a voice; raises ``ReferenceNotFound``."""
        query = "SELECT key_id, sealed FROM reference_audio WHERE voice_id = ?"
        with reading(self.path) as opened:
            for key_id, sealed in opened.execute(query, (voice_id,)):
                return SealedReference(voice_id, key_id, sealed)
        raise ReferenceNotFound(voice_id)

    def swap(self, before: SealedReference, after: SealedReference) -> bool:
        """Put one in place of another of the same voice, if that is still there."""
        query = (
            "UPDATE reference_audio SET key_id = ?, sealed = ? WHERE voice_id = ? AND sealed = ?"
        )
        values = (after.key_id, after.sealed, before.voice_id, before.sealed)
        with connection(self.path) as opened, opened:
            return opened.execute(query, values).rowcount > 0

    def drop(self, voice_id: str) -> bool:
        """Delete the one of a voice, its bytes too, and leave the voice; whether there was one."""
        with connection(self.path) as opened:
            with opened:
                query = "DELETE FROM reference_audio WHERE voice_id = ?"
                gone = opened.execute(query, (voice_id,)).rowcount > 0
            if gone:
                empty_log(opened)
            return gone

    def voice_ids(self) -> list[str]:
        """Of all voices that have one, in order."""
        query = "SELECT voice_id FROM reference_audio ORDER BY voice_id"
        with reading(self.path) as opened:
            return [voice_id for (voice_id,) in opened.execute(query)]

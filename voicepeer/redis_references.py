"""Sealed reference audio in a Redis: ``stores.References``, as ``ReferenceStore`` keeps it."""

from __future__ import annotations

from dataclasses import dataclass

from voicepeer.redis_store import RedisStore
from voicepeer.reference_seal import SealedReference
from voicepeer.reference_store import ReferenceNotFound
from voicepeer.voice_store import not_found


@dataclass(frozen=True, slots=True)
class RedisReferences:
    """The references of one Redis. What is raised is what ``stores.References`` says."""

    store: RedisStore

    def put(self, reference: SealedReference) -> None:
        """See ``ReferenceStore.put``."""
        if self._write(reference, b"") == b"none":
            raise not_found(reference.voice_id)

    def get(self, voice_id: str) -> SealedReference:
        """See ``ReferenceStore.get``."""
        at = self.store.key("reference", voice_id)
        ((key_id, sealed),) = self.store.ask_for_all([("HMGET", at, "key_id", "sealed")])
        if key_id is None:
            raise ReferenceNotFound(voice_id)
        return SealedReference(voice_id, key_id.decode(), sealed)

    def swap(self, before: SealedReference, after: SealedReference) -> bool:
        """See ``ReferenceStore.swap``."""
        return self._write(after, before.head) == b"done"

    def drop(self, voice_id: str) -> bool:
        """See ``ReferenceStore.drop``."""
        return bool(self.store.write("drop_reference", voice_id=voice_id) == b"done")

    def voice_ids(self) -> list[str]:
        """See ``ReferenceStore.voice_ids``."""
        (found,) = self.store.ask_for_all([("ZRANGE", self.store.key("references"), 0, -1)])
        return sorted(one.decode() for one in found)

    def _write(self, reference: SealedReference, instead_of: bytes) -> bytes:
        answer: bytes = self.store.write(
            "put_reference",
            voice_id=reference.voice_id,
            key_id=reference.key_id,
            sealed=reference.sealed,
            instead_of=instead_of,
        )
        return answer

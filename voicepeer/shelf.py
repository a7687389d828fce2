"""Puts the voices that sessions learn into the voice store, and finds them there again."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from engines.api import Voice
from voicepeer.voice_store import AsyncVoiceStore, ConsentRecord, VoiceRecord
from voicepeer.voices import LearnedVoice


@dataclass(frozen=True, slots=True)
class StoreShelf:
    """Implements ``voicepeer.voices.VoiceShelf``.

    Args:
        ttl_s: how long a voice is kept that nobody saved.
        now: Unix time.
    """

    store: AsyncVoiceStore
    ttl_s: float
    now: Callable[[], float] = time.time

    async def get(self, voice_id: str) -> tuple[Voice, str]:
        """A voice and its name; raises ``VoiceNotFound``, also once it has expired."""
        record = await self.store.get(voice_id, self.now())
        return record.voice, record.name

    async def put(self, learned: LearnedVoice) -> None:
        """Keep a voice with its consent: for good if saved, else for ``ttl_s`` from now."""
        now = self.now()
        record = VoiceRecord(
            voice_id=learned.voice_id,
            name=learned.name,
            voice=learned.voice,
            consent=ConsentRecord(learned.consent, learned.speaker, learned.consented_s),
            created=now,
            expires=None if learned.saved else now + self.ttl_s,
            embedding=learned.embedding,
            quality=learned.quality,
            source=f"call {learned.session_id}",
        )
        await self.store.put(record)

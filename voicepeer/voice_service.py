"""Voices for HTTP clients: cloned, found, carried away and deleted, each by its owner."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from engines.api import Embedding, VoiceIncompatible
from signaling.audio_messages import VoiceObject
from signaling.audio_port import Refused, Upload
from signaling.principal import Principal
from voicepeer import voice_file
from voicepeer.consent_store import Consent, owned_copy
from voicepeer.core.errors import VoiceNotFound
from voicepeer.core.listening.identity import same_speaker
from voicepeer.core.naming import free_name
from voicepeer.keeping import Keeping
from voicepeer.offline import hear
from voicepeer.owners import owned_by, usable_by
from voicepeer.ports import Engine
from voicepeer.remote_ears import RecordingEars
from voicepeer.speaker_identity import identity_of
from voicepeer.voice_store import VoiceRecord, VoiceSummary, new_voice_id


class VoiceService:
    """The voices of ``signaling.audio_port.AudioService``.

    Raises our own errors besides ``Refused``; ``refusals`` makes of them what clients are told.
    """

    def __init__(self, engine: Engine, ears: RecordingEars, keeping: Keeping) -> None:
        self._engine = engine
        self._ears = ears
        self._keeping = keeping

    async def to_speak_with(self, principal: Principal, key: str) -> VoiceRecord:
        """A saved voice that somebody is about to speak with; raises ``VoiceNotFound``."""
        keeping = self._keeping
        record = await keeping.voices.find(key, keeping.now(), usable_by(principal))
        keeping.note("use", principal, record.voice_id, record.consent.consent_id)
        return record

    async def voices(self, principal: Principal) -> list[VoiceObject]:
        """Those that somebody may speak with, the newest first, then those of the engine."""
        keeping = self._keeping
        saved = await keeping.voices.summaries(keeping.now(), usable_by(principal))
        stock = await self._engine.stock_voices()
        return [described(one) for one in saved] + [_stock(name) for name in sorted(stock)]

    async def voice(self, principal: Principal, key: str) -> VoiceObject:
        """One of them.

        Raises:
            VoiceNotFound: there is none.
            VoiceAmbiguous: the name belongs to several.
        """
        keeping = self._keeping
        try:
            return described(await keeping.voices.find(key, keeping.now(), usable_by(principal)))
        except VoiceNotFound:
            if key in await self._engine.stock_voices():
                return _stock(key)
            raise

    async def create_voice(
        self,
        principal: Principal,
        name: str,
        sample: Upload,
        consent_id: str,
        ttl_s: float | None = None,
        match_channel: bool = False,
    ) -> VoiceObject:
        """Clone a recording under a consent; without ``ttl_s`` the voice is kept for good.

        With ``match_channel`` it sounds like the recording.

        Raises:
            ConsentNotFound: there is none, it is somebody else's, or it was just withdrawn.
            Refused: 403 where another speaker consented.
            AudioRejected: nothing can be cloned from the recording.
        """
        keeping = self._keeping
        consent = await keeping.consents.get(consent_id, owned_by(principal))
        source, suitable = await self._ears.hear(sample.name, sample.data, hear)
        reference = replace(source.reference, match_channel=match_channel)
        encoder = self._engine.info.encoder
        _check_speaker(consent, await asyncio.to_thread(identity_of, reference, encoder))
        record = VoiceRecord(
            voice_id=new_voice_id(),
            name=name,
            voice=await self._engine.enrol(reference),
            consent=consent.record,
            created=keeping.now(),
            expires=None if ttl_s is None else keeping.now() + ttl_s,
            embedding=reference.embedding,
            quality=source.quality.score,
            source="upload",
            owner=principal.owner,
        )
        await keeping.voices.put(record, consented=True)
        if record.expires is None:
            await keeping.keep_reference(record.voice_id, reference)
        keeping.note("clone", principal, record.voice_id, consent_id)
        return described(record, suitable.warnings)

    async def rename_voice(self, principal: Principal, key: str, name: str) -> VoiceObject:
        """Call a voice something else; raises like ``delete_voice``."""
        record = await self._own(principal, key, "renamed")
        await self._keeping.voices.rename(record.voice_id, name, owned_by(principal))
        return described(replace(record, name=name))

    async def delete_voice(self, principal: Principal, key: str) -> str:
        """Remove a voice from the database and from every call; its id.

        Raises:
            VoiceNotFound: there is none that is theirs.
            Refused: 403 for a voice of the engine.
        """
        record = await self._own(principal, key, "deleted")
        await self._keeping.voices.delete(record.voice_id)
        await self._keeping.revocations.revoke_everywhere(
            self._engine, record.voice_id, record.voice
        )
        self._keeping.note("delete", principal, record.voice_id, record.consent.consent_id)
        return record.voice_id

    async def export_voice(self, principal: Principal, key: str) -> bytes:
        """A voice file; raises like ``delete_voice``."""
        record = await self._own(principal, key, "exported")
        self._keeping.note("export", principal, record.voice_id, record.consent.consent_id)
        return await asyncio.to_thread(voice_file.encode, record)

    async def import_voice(self, principal: Principal, data: bytes) -> VoiceObject:
        """Take in a voice file under a new id, with a record of the consent that it carries.

        Where a voice has its name already it gets another one, or neither could be called by it.

        Raises:
            VoiceFileInvalid: it is none, or carries no consent.
            VoiceIncompatible: it is of another engine.
            ConsentWithdrawn: its consent was withdrawn here.
        """
        found = await asyncio.to_thread(voice_file.decode, data)
        if found.voice.engine != self._engine.info.name:
            raise VoiceIncompatible(
                f"this voice was made by the engine {found.voice.engine[:64]!r}, "
                f"here runs {self._engine.info.name!r}"
            )
        found = replace(
            found,
            voice_id=new_voice_id(),
            name=free_name(found.name, await self._names(principal)),
            created=self._keeping.now(),
        )
        record, consent = owned_copy(found, principal.owner, principal.key_id)
        await self._keeping.consents.take_in(record, consent)
        self._keeping.note("import", principal, record.voice_id, consent.consent_id)
        return described(record)

    async def _names(self, principal: Principal) -> set[str]:
        """What their voices are called, and those of the engine."""
        summaries = await self._keeping.voices.summaries(self._keeping.now(), owned_by(principal))
        return {one.name for one in summaries} | set(await self._engine.stock_voices())

    async def _own(self, principal: Principal, key: str, verb: str) -> VoiceRecord:
        keeping = self._keeping
        try:
            return await keeping.voices.find(key, keeping.now(), owned_by(principal))
        except VoiceNotFound:
            if key in await self._engine.stock_voices():
                raise Refused(
                    403, "stock_voice", f"voices of the engine cannot be {verb}", "voice_id"
                ) from None
            raise


def _check_speaker(consent: Consent, reference: Embedding | None) -> None:
    if consent.embedding is None or reference is None:
        return
    if not same_speaker(consent.embedding, reference):
        raise Refused(
            403,
            "consent_speaker",
            "the recording sounds like another person than the one who consented: record the "
            "consent of this speaker, with the same microphone if possible",
            "consent",
        )


def described(voice: VoiceRecord | VoiceSummary, warnings: Sequence[str] = ()) -> VoiceObject:
    """What clients are told of a saved voice."""
    return VoiceObject(
        id=voice.voice_id,
        created_at=int(voice.created),
        name=voice.name,
        type="audio_sample",
        object="audio.voice",
        consent=voice.consent.consent_id or None,
        quality=voice.quality,
        warnings=list(warnings),
        expires_at=None if voice.expires is None else int(voice.expires),
    )


def _stock(name: str) -> VoiceObject:
    return VoiceObject(id=name, created_at=0, name=name, type="stock", object="audio.voice")

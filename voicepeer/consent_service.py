"""Consents for HTTP clients: given in writing or spoken, found, and withdrawn by their owner."""

from __future__ import annotations

from dataclasses import replace

from signaling.audio_messages import ConsentDeleted, ConsentObject, ConsentStatement
from signaling.audio_port import Refused, Upload
from signaling.principal import Principal
from voicepeer.consent_check import PHRASE, hear_consent
from voicepeer.consent_store import Consent, new_consent_id
from voicepeer.keeping import Keeping
from voicepeer.owners import owned_by
from voicepeer.ports import Engine
from voicepeer.remote_ears import RecordingEars


class ConsentService:
    """The consents of ``signaling.audio_port.AudioService``.

    Raises our own errors besides ``Refused``; ``refusals`` makes of them what clients are told.
    """

    def __init__(self, engine: Engine, ears: RecordingEars, keeping: Keeping) -> None:
        self._engine = engine
        self._ears = ears
        self._keeping = keeping

    async def consents(self, principal: Principal) -> list[ConsentObject]:
        """Those that belong to somebody, the newest first."""
        found = await self._keeping.consents.consents(owned_by(principal))
        return [described(one) for one in found]

    async def consent(self, principal: Principal, consent_id: str) -> ConsentObject:
        """One of them; raises ``ConsentNotFound``."""
        return described(await self._keeping.consents.get(consent_id, owned_by(principal)))

    async def record(self, principal: Principal, statement: ConsentStatement) -> ConsentObject:
        """Keep a statement."""
        given = Consent(
            consent_id=new_consent_id(),
            name=statement.name.strip(),
            statement=statement.statement.strip(),
            given=self._keeping.now(),
            language=statement.language,
            version=statement.version,
        )
        return await self._keep(principal, given)

    async def record_spoken(
        self, principal: Principal, name: str, language: str, recording: Upload
    ) -> ConsentObject:
        """Keep what was heard of a recording, not the recording.

        Raises:
            AudioRejected: it holds no speech that can be used.
            Refused: 422 where something else than the phrase was said.
        """
        heard = await self._ears.hear(
            recording.name, recording.data, lambda pcm, ears: hear_consent(pcm, language, ears)
        )
        if heard.words_checked is False:
            raise Refused(
                422, "consent_words", f"the phrase was not heard: say {PHRASE!r}", "recording"
            )
        given = Consent(
            consent_id=new_consent_id(),
            name=name,
            statement=PHRASE,
            given=self._keeping.now(),
            kind="recording",
            language=language,
            embedding=heard.embedding,
            words_checked=heard.words_checked,
        )
        return await self._keep(principal, given)

    async def rename(self, principal: Principal, consent_id: str, name: str) -> ConsentObject:
        """Label a consent anew; raises ``ConsentNotFound``."""
        await self._keeping.consents.rename(consent_id, name.strip(), owned_by(principal))
        return await self.consent(principal, consent_id)

    async def withdraw(self, principal: Principal, consent_id: str) -> ConsentDeleted:
        """Remove a consent and its voices, from calls too; raises ``ConsentNotFound``."""
        keeping = self._keeping
        await keeping.consents.get(consent_id, owned_by(principal))
        gone = await keeping.consents.withdraw(consent_id)
        keeping.note("consent.delete", principal, consent_id=consent_id)
        for voice_id, voice in gone.items():
            await keeping.revocations.revoke_everywhere(self._engine, voice_id, voice)
            keeping.note("delete", principal, voice_id, consent_id, "withdrawn")
        return ConsentDeleted(id=consent_id, voices_deleted=[*gone])

    async def _keep(self, principal: Principal, given: Consent) -> ConsentObject:
        kept = replace(given, owner=principal.owner, key_id=principal.key_id)
        await self._keeping.consents.put(kept)
        self._keeping.note("consent", principal, consent_id=kept.consent_id)
        return described(kept)


def described(consent: Consent) -> ConsentObject:
    """What clients are told of a consent."""
    return ConsentObject(
        id=consent.consent_id,
        created_at=int(consent.given),
        language=consent.language,
        name=consent.name,
        object="audio.voice_consent",
        kind=consent.kind,
        statement=consent.statement,
        version=consent.version,
        words_checked=consent.words_checked,
    )

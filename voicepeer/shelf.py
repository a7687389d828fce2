"""Puts the voices that sessions learn into the voice store, and finds them there again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from signaling.principal import ANONYMOUS, Principal
from voicepeer.consent_store import Consent, new_consent_id
from voicepeer.core.errors import VoiceNotFound
from voicepeer.keeping import Keeping
from voicepeer.owners import owned_by, usable_by
from voicepeer.voice_store import VoiceRecord
from voicepeer.voices import Agreement, FoundVoice, LearnedVoice


@dataclass(frozen=True, slots=True)
class StoreShelf:
    """Implements ``voicepeer.voices.VoiceShelf``.

    Args:
        keeping: the stores, the audit log and the clock.
        ttl_s: how long a voice is kept that nobody saved.
        principal: whose voices these are.
    """

    keeping: Keeping
    ttl_s: float
    principal: Principal = ANONYMOUS
    _put: dict[str, str] = field(default_factory=dict)
    """Names of the voices that were kept, as they were then."""

    def of(self, principal: Principal) -> StoreShelf:
        """The shelf of somebody else."""
        return replace(self, principal=principal, _put={})

    async def find(self, key: str) -> FoundVoice:
        """A voice by its id or name; raises as ``VoiceShelf.find``, also once it has expired."""
        owners = usable_by(self.principal)
        record = await self.keeping.voices.find(key, self.keeping.now(), owners)
        self.keeping.note("use", self.principal, record.voice_id, record.consent.consent_id)
        return FoundVoice(record.voice_id, record.voice, record.name)

    async def put(self, learned: LearnedVoice) -> None:
        """Keep a voice with its consent: for good if saved, else for ``ttl_s`` from now.

        Raises:
            ConsentNotFound: the consent was withdrawn.
        """
        now = self.keeping.now()
        known = self._put.get(learned.voice_id)
        name = learned.name
        if known == name:
            # Only the voice is newer; it may have been renamed meanwhile.
            name = await self._name_of(learned.voice_id) or name
        record = VoiceRecord(
            voice_id=learned.voice_id,
            name=name,
            voice=learned.voice,
            consent=learned.consent,
            created=now,
            expires=None if learned.saved else now + self.ttl_s,
            embedding=learned.embedding,
            quality=learned.quality,
            source=f"call {learned.session_id}",
            owner=self.principal.owner,
        )
        await self.keeping.voices.put(record, consented=True)
        if learned.saved and learned.reference is not None:
            await self.keeping.keep_reference(record.voice_id, learned.reference)
        self._put[record.voice_id] = learned.name
        if known is None:
            consent_id = record.consent.consent_id
            self.keeping.note("clone", self.principal, record.voice_id, consent_id)

    async def _name_of(self, voice_id: str) -> str | None:
        try:
            return (await self.keeping.voices.get(voice_id, self.keeping.now())).name
        except VoiceNotFound:
            return None

    async def agreement(self, consent_id: str) -> Agreement:
        """A consent that was given before; raises ``ConsentNotFound``."""
        found = await self.keeping.consents.get(consent_id, owned_by(self.principal))
        return Agreement(found.record, found.embedding)

    async def agree(self, statement: str, who: str, version: int) -> Agreement:
        """Put a consent on record that goes with the voice of this call."""
        given = Consent(
            consent_id=new_consent_id(),
            name=who,
            statement=statement,
            given=self.keeping.now(),
            owner=self.principal.owner,
            kind="live",
            language="und",
            version=version,
            key_id=self.principal.key_id,
        )
        await self.keeping.consents.put(given)
        self.keeping.note("consent", self.principal, consent_id=given.consent_id)
        return Agreement(given.record)

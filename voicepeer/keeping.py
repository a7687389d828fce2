"""Where voices and consents are kept, and who is told of what happens to them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from engines.api import Reference
from signaling.principal import Principal
from voicepeer.audit import Audit, AuditEvent
from voicepeer.consent_store import AsyncConsentStore
from voicepeer.pinned_voices import PinnedVoices
from voicepeer.reference_keeper import ReferenceKeeper
from voicepeer.revocations import Revocations
from voicepeer.stores import Stores
from voicepeer.voice_store import AsyncVoiceStore, in_thread


@dataclass(frozen=True, slots=True)
class Keeping:
    """The stores, the audit log, whoever holds voices in memory, and a clock of Unix seconds."""

    voices: AsyncVoiceStore
    consents: AsyncConsentStore
    audit: Audit
    revocations: Revocations
    now: Callable[[], float] = time.time
    references: ReferenceKeeper | None = None
    """``None`` where no reference audio is kept."""

    def note(
        self,
        event: AuditEvent,
        principal: Principal,
        voice_id: str = "",
        consent_id: str = "",
        reason: str = "",
    ) -> None:
        """Write a line of the audit log."""
        self.audit.record(
            event,
            key_id=principal.key_id,
            subject=principal.subject,
            voice_id=voice_id,
            consent_id=consent_id,
            reason=reason,
        )

    async def keep_reference(self, voice_id: str, reference: Reference) -> None:
        """Keep the speech of a saved voice if that is wanted; the log says where it fails."""
        if self.references is not None:
            await in_thread(self.references.keep, voice_id, reference)


def keeping_in(
    stores: Stores,
    audit: Audit,
    references: ReferenceKeeper | None = None,
    voices: PinnedVoices | None = None,
) -> Keeping:
    """What a process needs that keeps voices there, some of them in memory, if any are pinned."""
    revocations = Revocations()
    if voices is not None:
        revocations.listen(voices.forget)
    return Keeping(
        voices or AsyncVoiceStore(stores.voices),
        AsyncConsentStore(stores.consents),
        audit,
        revocations,
        references=references,
    )

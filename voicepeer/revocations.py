"""Tells whoever holds a voice in memory that it was deleted."""

from __future__ import annotations

import logging
from collections.abc import Callable

from engines.api import EngineError, Voice
from voicepeer.ports import Engine

logger = logging.getLogger(__name__)


class Revocations:
    """One a process: sessions listen, whoever deletes tells."""

    def __init__(self) -> None:
        self._listeners: set[Callable[[str], None]] = set()

    def listen(self, forget: Callable[[str], None]) -> Callable[[], None]:
        """Call ``forget`` with the id of every voice that is deleted; gives how to stop that."""
        self._listeners.add(forget)
        return lambda: self._listeners.discard(forget)

    def revoke(self, voice_id: str) -> None:
        """A voice is no more: whoever has it forgets it before this returns."""
        for forget in list(self._listeners):
            forget(voice_id)

    async def revoke_everywhere(self, engine: Engine, voice_id: str, voice: Voice | None) -> None:
        """Tell the engine, too; where it is lost or of another kind it has nothing to forget."""
        self.revoke(voice_id)
        if voice is None:
            return
        try:
            await engine.forget(voice)
        except EngineError as error:
            logger.warning("the engine could not be told of a deleted voice: %s", error)


class Watch:
    """Sees whether one of some voices is deleted; to be closed by whoever speaks with them."""

    def __init__(self, revocations: Revocations) -> None:
        self.revoked = False
        self._voice_ids: set[str] = set()
        self._heed_no_more = revocations.listen(self._on_revoked)

    def add(self, voice_id: str) -> None:
        """Watch this one, too."""
        self._voice_ids.add(voice_id)

    def _on_revoked(self, voice_id: str) -> None:
        self.revoked = self.revoked or voice_id in self._voice_ids

    def close(self) -> None:
        """See no more; harmless when closed."""
        self._heed_no_more()

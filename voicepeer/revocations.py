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

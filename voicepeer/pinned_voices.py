"""Saved voices that are read in advance, and are there while their place cannot be reached."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import replace as changed

from voicepeer.core.errors import StoreUnavailable, VoiceNotFound, VoicePeerError
from voicepeer.owners import EVERYBODY, Owners
from voicepeer.stores import Voices
from voicepeer.voice_store import AsyncVoiceStore, VoiceRecord

logger = logging.getLogger(__name__)

READ_EVERY_S = 30.0


class PinnedVoices(AsyncVoiceStore):
    """A store some of whose voices are kept in memory, by their ids.

    By id they are found without asking, by name where nobody can be asked. ``load`` reads them, and
    ``run`` does so again and again, so that what others change is seen after ``READ_EVERY_S`` at
    most; ``forget`` is told at once of those that are deleted.
    """

    def __init__(self, store: Voices, voice_ids: Sequence[str] = ()) -> None:
        super().__init__(store)
        self._wanted = tuple(voice_ids)
        self._pinned: dict[str, VoiceRecord] = {}
        self._deletions = 0
        """How often any voice was deleted."""
        self._missed: set[str] = set()
        """Those that the log says are not there."""

    async def load(self, now: float) -> None:
        """Read them; those that cannot be read at present stay as they are."""
        for voice_id in self._wanted:
            before = self._deletions
            try:
                found = await super().get(voice_id, now)
                self._missed.discard(voice_id)
                if before == self._deletions:  # or it may be the one, read just before
                    self._pinned[voice_id] = found
            except VoiceNotFound:
                self.forget(voice_id)
                if voice_id not in self._missed:
                    logger.warning("there is no saved voice %s, which is pinned", voice_id)
                self._missed.add(voice_id)
            except StoreUnavailable:
                return  # which whoever watches the store has told

    async def run(self) -> None:
        """Read them every so often until cancelled."""
        while self._wanted:
            await asyncio.sleep(READ_EVERY_S)
            try:
                await self.load(time.time())
            except VoicePeerError:
                logger.exception("pinned voices could not be read; trying again")

    def forget(self, voice_id: str) -> None:
        """A voice was deleted."""
        self._deletions += 1
        self._pinned.pop(voice_id, None)

    async def get(self, voice_id: str, now: float, owners: Owners = EVERYBODY) -> VoiceRecord:
        """See ``VoiceStore.get``."""
        return self._known(voice_id, now, owners) or await super().get(voice_id, now, owners)

    async def find(self, key: str, now: float, owners: Owners = EVERYBODY) -> VoiceRecord:
        """See ``VoiceStore.find``."""
        if (known := self._known(key, now, owners)) is not None:
            return known
        try:
            return await super().find(key, now, owners)
        except StoreUnavailable:
            ids = [one.voice_id for one in self._pinned.values() if one.name == key]
            named = [one for id in ids if (one := self._known(id, now, owners)) is not None]
            if len(named) != 1:
                raise
            return named[0]

    async def put(self, record: VoiceRecord, replace: bool = True, consented: bool = False) -> None:
        """See ``VoiceStore.put``."""
        await super().put(record, replace, consented)
        if record.voice_id in self._pinned:
            self._pinned[record.voice_id] = record

    async def rename(self, voice_id: str, name: str, owners: Owners = EVERYBODY) -> None:
        """See ``VoiceStore.rename``."""
        await super().rename(voice_id, name, owners)
        if (known := self._pinned.get(voice_id)) is not None:
            self._pinned[voice_id] = changed(known, name=name)

    async def delete(self, voice_id: str) -> None:
        """See ``VoiceStore.delete``."""
        self.forget(voice_id)
        await super().delete(voice_id)

    def _known(self, voice_id: str, now: float, owners: Owners) -> VoiceRecord | None:
        known = self._pinned.get(voice_id)
        if known is None or not owners.includes(known.owner):
            return None
        return known if known.expires is None or known.expires > now else None

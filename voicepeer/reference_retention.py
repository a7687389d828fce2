"""Deletes reference audio that has been kept for as long as an operator wants."""

from __future__ import annotations

import asyncio
import logging
import time

from voicepeer.core.errors import VoicePeerError
from voicepeer.database import VoiceStoreUnavailable
from voicepeer.stores import Stores

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 3_600.0
_DAY_S = 86_400.0


def purge(stores: Stores, before: float, now: float) -> int:
    """Delete the references of voices that were last made before that time, which stay.

    Times are Unix seconds. Blocks; raises ``VoiceStoreUnusable``.
    """
    kept = set(stores.references.voice_ids())
    old = [one.voice_id for one in stores.voices.summaries(now) if one.created < before]
    return sum(stores.references.drop(voice_id) for voice_id in old if voice_id in kept)


async def keep_for(stores: Stores, days: float) -> None:
    """Until cancelled, delete what is older, now and every hour; nothing at 0 days."""
    while days > 0:
        now = time.time()
        try:
            gone = await asyncio.to_thread(purge, stores, now - days * _DAY_S, now)
        except VoiceStoreUnavailable:
            pass  # which whoever watches the store has told
        except VoicePeerError:
            logger.exception("old reference audio could not be deleted; trying again in an hour")
        else:
            if gone:
                logger.info("reference audio of %d voices was kept for long enough: deleted", gone)
        await asyncio.sleep(LOOK_EVERY_S)

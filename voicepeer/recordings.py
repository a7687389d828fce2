"""All recordings of one process: begins them, removes those that were kept for long enough."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from datetime import UTC, datetime

from voicepeer.audit import Audit
from voicepeer.core.errors import RecordingUnavailable
from voicepeer.core.recording.manifest import Manifest
from voicepeer.core.rooms.room import Participant
from voicepeer.recording_store import RecordingStore
from voicepeer.room_recorder import Ended, RecordingLimits, RoomRecorder
from voicepeer.room_voices import RoomKey
from voicepeer.withdrawals import Withdrawals

logger = logging.getLogger(__name__)

PURGE_EVERY_S = 3_600.0

_ID_BYTES = 6
_DAY_S = 86_400.0


class Recordings:
    """All recordings of one process.

    Args:
        store: where they are kept.
        limits: of each of them.
        audit: where it is noted who was recorded, and who agreed.
    """

    def __init__(self, store: RecordingStore, limits: RecordingLimits, audit: Audit) -> None:
        self._store = store
        self._limits = limits
        self._audit = audit
        self.withdrawals = Withdrawals(store, audit)
        """For those who are in recordings that have ended."""
        self._running: dict[RoomRecorder, asyncio.Task[None]] = {}

    def start(self, key: RoomKey, by: Participant, on_end: Ended) -> RoomRecorder:
        """Begin to record a room, nobody in it to begin with.

        Raises:
            RecordingUnavailable: the disk is nearly full, or cannot be reached.
        """
        self._look_at_disk()
        tenant, room = key
        now_s = time.time()
        manifest = Manifest(
            recording_id=_new_id(now_s), tenant=tenant, room=room, begun_s=round(now_s, 3)
        )
        recorder = RoomRecorder(self._store, manifest, self._limits, self._audit, on_end)
        recorder.started(by)
        task = asyncio.create_task(recorder.run(), name=f"recording {recorder.recording_id}")
        self._running[recorder] = task
        task.add_done_callback(lambda _: self._running.pop(recorder, None))
        return recorder

    def _look_at_disk(self) -> None:
        try:
            free = self._store.free_bytes()
        except OSError as error:
            logger.error("the folder of recordings cannot be reached: %s", error)
            free = 0
        if free < self._limits.min_free_bytes:
            raise RecordingUnavailable(
                "the disk of the service is nearly full, so nothing can be recorded: tell whoever "
                "runs it"
            )

    async def purge(self) -> None:
        """Until cancelled, remove what has been kept for long enough, now and every hour."""
        while self._limits.keep_days:
            try:
                await asyncio.to_thread(self._purge, time.time())
            except OSError:
                logger.exception("old recordings could not be removed; trying again in an hour")
            await asyncio.sleep(PURGE_EVERY_S)

    def _purge(self, now_s: float) -> None:
        for gone in self._store.purge(now_s - self._limits.keep_days * _DAY_S):
            self._audit.record("recording.delete", key_id="", recording_id=gone, reason="expired")
            logger.info("the recording %s was kept for long enough and removed", gone)

    async def written(self, recording_id: str) -> None:
        """Wait until a recording is written that has just ended; harmless for any other."""
        ending = [
            task
            for recorder, task in self._running.items()
            if recorder.recording_id == recording_id and recorder.is_over
        ]
        if ending:
            await asyncio.wait(ending)  # whoever waits may be cancelled, and the writing goes on

    async def close(self) -> None:
        """End all that go on, and wait until they are written."""
        for recorder in list(self._running):
            recorder.stop()
        await asyncio.gather(*self._running.values())


def _new_id(unix_s: float) -> str:
    moment = datetime.fromtimestamp(unix_s, UTC)
    return f"{moment:%Y%m%dT%H%M%S}-{secrets.token_hex(_ID_BYTES)}"

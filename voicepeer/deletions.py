"""Voices that other processes delete from the database of this one, seen within two seconds."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from voicepeer.core.errors import VoicePeerError
from voicepeer.database import connection

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 1.0


class DeletionLog:
    """Tells which voices are gone since it was last asked. To be used by one thread alone.

    Its connection stays open, because by that SQLite tells for next to nothing whether anybody has
    written (https://sqlite.org/pragma.html#pragma_data_version).
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stack = ExitStack()
        self._opened: sqlite3.Connection | None = None
        self._version: int | None = None
        self._there: dict[str, float | None] | None = None
        """Voices and when they expire, as of the last look that there was something new at."""

    def deleted(self, now: float) -> set[str]:
        """Ids of voices that somebody has deleted; those that have expired are not among them.

        Args:
            now: Unix seconds.

        Raises:
            VoiceStoreUnusable: the database cannot be read; asking again may help.
        """
        try:
            with self._stack.pop_all() as stack:
                if self._opened is None:
                    self._opened = stack.enter_context(connection(self._path))
                    self._version = None
                gone = self._look(self._opened, now)
                self._stack = stack.pop_all()
        except BaseException:
            self._opened = None
            raise
        return gone

    def _look(self, opened: sqlite3.Connection, now: float) -> set[str]:
        version = int(opened.execute("PRAGMA data_version").fetchone()[0])
        if version == self._version:
            return set()
        there = dict(opened.execute("SELECT voice_id, expires FROM voices").fetchall())
        before, self._there = self._there or {}, there
        self._version = version
        missing = ((voice_id, until) for voice_id, until in before.items() if voice_id not in there)
        return {voice_id for voice_id, until in missing if until is None or until > now}

    def close(self) -> None:
        """Close the connection."""
        self._opened = None
        self._stack.close()


async def watch_deletions(path: Path, revoke: Callable[[str], None]) -> None:
    """Until cancelled, tell ``revoke`` of each voice that was deleted, by whomever."""
    log, failing = DeletionLog(path), False
    loop = asyncio.get_running_loop()
    thread = ThreadPoolExecutor(1, thread_name_prefix="deletions")
    try:
        while True:
            gone: set[str] = set()
            try:
                gone = await loop.run_in_executor(thread, log.deleted, time.time())
                failing = False
            except VoicePeerError:
                if not failing:
                    logger.exception("deletions by other processes cannot be seen: trying on")
                failing = True
            for voice_id in gone:
                revoke(voice_id)
            await asyncio.sleep(LOOK_EVERY_S)
    finally:
        thread.submit(log.close)
        thread.shutdown(wait=False)

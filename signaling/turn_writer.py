"""Writes coturn's database from a thread of its own, so that nobody waits for it for long.

The first who finds that it fails waits a moment, and after that nobody does: it counts as down
until the writer, which looks after it, has been able to open it anew.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from signaling.ice_servers import IceConfigInvalid, TurnCredentials
from signaling.turn_users import TurnUsers

logger = logging.getLogger(__name__)

T = TypeVar("T")

BUSY_S = 1.0
"""For others that write, services and an operator: they are done within milliseconds."""

WAIT_S = 2.0
"""For a disk that does not answer."""


class TurnDown(Exception):  # noqa: N818 - a state, not a defect
    """The database cannot be used for now."""


class TurnWriter:
    """The users of one realm. Whatever is asked for is done in the order in which it was."""

    def __init__(self, path: Path, realm: str) -> None:
        self._path = path
        self._realm = realm
        self._users: TurnUsers | None = None
        self._down = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="turn-users")

    async def open(self) -> None:
        """Open it for the first time, and wait as long as that takes.

        Raises:
            IceConfigInvalid: it cannot be used.
        """
        loop = asyncio.get_running_loop()
        made = partial(TurnUsers, self._path, self._realm, (), BUSY_S)
        self._users = await loop.run_in_executor(self._thread, made)

    @property
    def down(self) -> bool:
        """Whether it cannot be used for now."""
        return self._down

    async def add(self, user: TurnCredentials, instead_of: Iterable[str] = ()) -> None:
        """Let a user open relays, and others no more.

        Raises:
            TurnDown: it cannot be written, or was not in time; it may still be.
        """
        await self._write(lambda users: users.add(user, instead_of))

    async def remove(self, names: Iterable[str]) -> None:
        """Let users open no more relays; raises as ``add`` does."""
        await self._write(lambda users: users.remove(names))

    async def sweep(self, now_s: float) -> None:
        """Remove whoever has expired (Unix time); raises as ``add`` does."""
        await self._write(lambda users: users.sweep(now_s))

    async def look_after(self, keep: Callable[[], list[TurnCredentials]]) -> None:
        """Open it anew where it failed, or where its files were deleted or replaced.

        ``keep`` tells who is to be in it then. To be called now and then, by one task.

        Raises:
            TurnDown: it still fails.
        """
        if not self._down and not await self._write(lambda users: users.in_place):
            self._down = True
            logger.warning(
                "the TURN database %s was deleted or replaced while it was in use: opening it "
                "anew; a coturn that was started before does not see that, so restart it",
                self._path,
            )
        if self._down:
            await self._in_time(partial(self._reopen, keep()))
            self._down = False
            logger.warning("the TURN database is in use again")

    async def close(self, gone: Iterable[str]) -> None:
        """Remove users and leave the file to others; raises as ``add`` does, and is closed."""
        try:
            await self._in_time(partial(self._remove_at_last, gone))
        finally:
            closing = self._thread.submit(self._close)
            self._thread.shutdown(wait=False)
            await asyncio.wait([asyncio.wrap_future(closing)], timeout=WAIT_S)

    async def _write(self, work: Callable[[TurnUsers], T]) -> T:
        if self._down:
            raise TurnDown
        return await self._in_time(partial(self._at_work, work))

    async def _in_time(self, work: Callable[[], T]) -> T:
        try:
            async with asyncio.timeout(WAIT_S):
                return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except TimeoutError as error:
            self._fail("it does not answer")
            raise TurnDown from error

    def _fail(self, reason: object) -> None:
        if not self._down:
            self._down = True
            logger.warning("clients get no TURN servers until the database is well: %s", reason)

    # --- in the thread -------------------------------------------------------------------------

    def _at_work(self, work: Callable[[TurnUsers], T]) -> T:
        # Those who have waited for one that failed do not try for as long themselves.
        if self._down or self._users is None:
            raise TurnDown
        try:
            return work(self._users)
        except (OSError, sqlite3.Error) as error:
            self._fail(error)
            raise TurnDown from error

    def _remove_at_last(self, gone: Iterable[str]) -> None:
        if self._users is None:
            raise TurnDown
        try:
            self._users.remove(gone)
        except (OSError, sqlite3.Error) as error:
            raise TurnDown from error

    def _reopen(self, keep: list[TurnCredentials]) -> None:
        self._close()
        try:
            self._users = TurnUsers(self._path, self._realm, keep, BUSY_S)
        except IceConfigInvalid as error:
            raise TurnDown from error

    def _close(self) -> None:
        users, self._users = self._users, None
        if users is not None:
            users.close()

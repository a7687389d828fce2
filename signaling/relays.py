"""Hands ICE servers to clients, and takes their TURN credentials back when they have served.

Credentials serve to open relays, which a client does when it connects. So where coturn's database
is shared they end shortly after the session is connected, at once when it has ended, and when they
expire. A relay that is open stays: coturn looks users up only when one is opened.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar

from aiohttp import web

from signaling.ice_servers import (
    SERVICE,
    IceConfig,
    TurnCredentials,
    ice_servers,
    new_user,
    session_user,
    turn_credentials,
)
from signaling.leases import Leases, TooManyLeases
from signaling.sessions import IceServer, SessionHandle
from signaling.turn_users import TurnUsers

logger = logging.getLogger(__name__)

T = TypeVar("T")

LOOK_EVERY_S = 2.0
"""For sessions that have connected, and for what has expired."""

SWEEP_EVERY_S = 60.0
"""For what services that have died left in the database."""

SETTLED_S = 10.0
"""After it has connected a client may still open a relay by a slower way, TLS for example."""

_FAILURES = (OSError, sqlite3.Error)


class Relays:
    """The ICE servers of one service; ``running`` is around all use of it.

    Where the database fails, clients get no TURN servers, and the log says so.
    """

    def __init__(self, config: IceConfig) -> None:
        self._config = config
        self._secret = config.turn_secret or secrets.token_hex(32)
        self._leases = Leases()
        self._sessions: dict[str, SessionHandle] = {}
        self._users: TurnUsers | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="turn-users")
        self._wanted = asyncio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep coturn's database up to date, and leave nothing of ours there at the end.

        Raises:
            IceConfigInvalid: the database cannot be used.
        """
        path = self._config.turn_database
        if path is None:
            yield
            return
        self._users = await self._blocking(partial(TurnUsers, path, self._config.turn_realm))
        task = asyncio.create_task(self._take_back(), name="take TURN credentials back")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])
            await self._leave(self._users)

    async def for_owner(self, owner: str) -> list[IceServer]:
        """For whoever has no session yet; good until they expire."""
        return await self._servers(new_user(owner), owner)

    async def for_session(self, handle: SessionHandle, room: str) -> list[IceServer]:
        """For the client of a session; good until it has connected, or has ended."""
        holder = handle.session_id
        servers = await self._servers(session_user(holder, room), holder)
        if self._users is not None and holder not in self._sessions:
            self._sessions[holder] = handle
            handle.on_closed(lambda _reason: self._ended(holder))
        return servers

    async def for_service(self) -> list[IceServer]:
        """For the service's own end of a session."""
        if self._config.media_addresses:
            return ice_servers(self._config, None)
        return await self._servers(new_user(SERVICE), SERVICE)

    async def _servers(self, user: str, holder: str) -> list[IceServer]:
        config = self._config
        if not config.turn_urls:
            return ice_servers(config, None)
        now_s = time.time()
        turn = turn_credentials(self._secret, user, now_s, config.turn_ttl_s)
        # One name may be on its way out while the same holder asks again within the second.
        while turn.username in self._leases:
            now_s += 1
            turn = turn_credentials(self._secret, user, now_s, config.turn_ttl_s)
        if config.turn_database is not None and not await self._let_in(turn, holder, now_s):
            return ice_servers(config, None)
        return ice_servers(config, turn)

    async def _let_in(self, turn: TurnCredentials, holder: str, now_s: float) -> bool:
        if self._users is None:  # the service is ending
            return False
        try:
            self._leases.grant(turn.username, holder, now_s + self._config.turn_ttl_s)
            await self._blocking(partial(self._users.add, turn))
        except (TooManyLeases, *_FAILURES) as error:
            logger.warning("a client gets no TURN server: %s", error)
            return False
        return True

    def _ended(self, holder: str) -> None:
        self._sessions.pop(holder, None)
        self._leases.end(holder)
        self._wanted.set()

    async def _take_back(self) -> None:
        assert self._users is not None
        swept_s = time.monotonic()
        while True:
            try:
                async with asyncio.timeout(LOOK_EVERY_S):
                    await self._wanted.wait()
            except TimeoutError:
                self._settle()
            self._wanted.clear()
            try:
                await self._remove(self._users, self._leases.due(time.time()))
                if time.monotonic() - swept_s > SWEEP_EVERY_S:
                    await self._blocking(partial(self._users.sweep, time.time()))
                    swept_s = time.monotonic()
            except _FAILURES as error:
                logger.warning("TURN credentials could not be taken back, trying again: %s", error)
                await asyncio.sleep(LOOK_EVERY_S)

    def _settle(self) -> None:
        """Let the credentials of those that have connected come to their end."""
        for holder, handle in self._sessions.items():
            if handle.connected:
                self._leases.end(holder, time.time() + SETTLED_S)

    async def _remove(self, users: TurnUsers, names: list[str]) -> None:
        if not names:
            return
        await self._blocking(partial(users.remove, names))
        for name in names:
            self._leases.forget(name)

    async def _leave(self, users: TurnUsers) -> None:
        try:
            await self._remove(users, self._leases.due(float("inf")))
        except _FAILURES as error:
            logger.warning("TURN credentials stay until the service starts again: %s", error)
        finally:
            self._users = None
            await self._blocking(users.close)
            self._thread.shutdown()

    async def _blocking(self, work: Callable[[], T]) -> T:
        """One after the other, so that nobody is removed before they were added."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


RELAYS = web.AppKey("RELAYS", Relays)

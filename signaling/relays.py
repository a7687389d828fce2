"""Hands ICE servers to clients, and takes their TURN credentials back when they have served.

Credentials serve to open relays, which a client does when it connects. So where coturn's database
is shared they end shortly after the session is connected, at once when it has ended, and when they
expire. A relay that is open stays: coturn looks users up only when one is opened.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from signaling.ice_servers import (
    SERVICE,
    IceConfig,
    TurnCredentials,
    ice_servers,
    new_user,
    session_user,
    turn_credentials,
    turn_password,
)
from signaling.leases import MAX_PER_SESSION, Leases, TooManyLeases
from signaling.principal import Principal
from signaling.sessions import IceServer, SessionHandle
from signaling.turn_writer import TurnDown, TurnWriter

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 2.0
"""For sessions that have connected, and for what has expired."""

SWEEP_EVERY_S = 60.0
"""For what services that have died left in the database."""

SETTLED_S = 10.0
"""After it has connected a client may still open a relay by a slower way, TLS for example."""


class Relays:
    """The ICE servers of one service; ``running`` is around all use of it.

    Where the database fails, clients get no TURN servers, and the log says so once. ``tenants`` is
    how many keys share the credentials that there can be.
    """

    def __init__(self, config: IceConfig, tenants: int = 1) -> None:
        self._config = config
        self._secret = config.turn_secret or secrets.token_hex(32)
        self._leases = Leases(tenants=tenants)
        self._sessions: dict[str, SessionHandle] = {}
        self._writer: TurnWriter | None = None
        self._wanted = asyncio.Event()
        self._full = False

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
        writer = TurnWriter(path, self._config.turn_realm)
        await writer.open()
        self._writer = writer
        task = asyncio.create_task(self._take_back(writer), name="take TURN credentials back")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])
            self._writer = None
            await self._leave(writer)

    async def for_principal(self, principal: Principal) -> list[IceServer]:
        """For whoever has no session yet; good until they expire."""
        owner = principal.owner
        return await self._servers(new_user(owner), owner, tenant=principal.tenant)

    async def for_session(self, handle: SessionHandle, room: str) -> list[IceServer]:
        """For the client of a session; good until it has connected, or has ended."""
        holder = handle.session_id
        return await self._servers(session_user(holder, room), holder, handle)

    async def for_service(self) -> list[IceServer]:
        """For the service's own end of a session."""
        if self._config.media_addresses:
            return ice_servers(self._config, None)
        return await self._servers(new_user(SERVICE), SERVICE)

    async def _servers(
        self,
        user: str,
        holder: str,
        handle: SessionHandle | None = None,
        tenant: str | None = None,
    ) -> list[IceServer]:
        config = self._config
        if not config.turn_urls:
            return ice_servers(config, None)
        turn = self._new_credentials(user)
        if config.turn_database is None:
            return ice_servers(config, turn)
        writer = self._writer
        if writer is None or writer.down:  # None while the service is ending
            return ice_servers(config, None)
        ended = self._lease(turn.username, holder, handle, tenant)
        let_in = ended is not None and await self._let_in(writer, turn, ended)
        return ice_servers(config, turn if let_in else None)

    def _new_credentials(self, user: str) -> TurnCredentials:
        now_s = time.time()
        turn = turn_credentials(self._secret, user, now_s, self._config.turn_ttl_s)
        # One name may be on its way out while the same holder asks again within the second.
        while turn.username in self._leases:
            now_s += 1
            turn = turn_credentials(self._secret, user, now_s, self._config.turn_ttl_s)
        return turn

    def _lease(
        self, name: str, holder: str, handle: SessionHandle | None, tenant: str | None
    ) -> list[str] | None:
        """The names that end for this one; None where there is no place for it."""
        until_s = time.time() + self._config.turn_ttl_s
        try:
            if handle is None:
                ended = self._leases.grant(name, holder, until_s, tenant=tenant)
            else:
                ended = self._leases.grant(name, holder, until_s, at_most=MAX_PER_SESSION)
        except TooManyLeases as error:
            if not self._full:
                logger.warning("clients get no TURN servers for now: %s", error)
            self._full = True
            return None
        self._full = False
        # Before anything is waited for: whoever asks may be given up meanwhile.
        if handle is not None and holder not in self._sessions:
            self._sessions[holder] = handle
            handle.on_closed(lambda _reason: self._ended(holder))
        return ended

    async def _let_in(self, writer: TurnWriter, turn: TurnCredentials, ended: list[str]) -> bool:
        try:
            await writer.add(turn, ended)
        except BaseException as error:
            # It may be in the database all the same, or be written yet: taken back after that.
            self._leases.end_one(turn.username)
            self._wanted.set()
            if isinstance(error, TurnDown):
                return False
            raise
        self._forget_ended(ended)
        return True

    def _ended(self, holder: str) -> None:
        self._sessions.pop(holder, None)
        self._leases.end(holder)
        self._wanted.set()

    async def _take_back(self, writer: TurnWriter) -> None:
        swept_s = time.monotonic()
        while True:
            try:
                async with asyncio.timeout(LOOK_EVERY_S):
                    await self._wanted.wait()
            except TimeoutError:
                self._settle()
            self._wanted.clear()
            try:
                await writer.look_after(self._good)
                await self._remove(writer, self._leases.due(time.time()))
                if time.monotonic() - swept_s > SWEEP_EVERY_S:
                    await writer.sweep(time.time())
                    swept_s = time.monotonic()
            except TurnDown:
                await asyncio.sleep(LOOK_EVERY_S)

    def _settle(self) -> None:
        """Let the credentials of those that have connected come to their end."""
        for holder, handle in self._sessions.items():
            if handle.connected:
                self._leases.end(holder, time.time() + SETTLED_S)

    def _good(self) -> list[TurnCredentials]:
        return [
            TurnCredentials(name, turn_password(self._secret, name))
            for name in self._leases.good(time.time())
        ]

    async def _remove(self, writer: TurnWriter, names: list[str]) -> None:
        if not names:
            return
        await writer.remove(names)
        self._forget_ended(names)

    def _forget_ended(self, names: list[str]) -> None:
        """Those that are out of the database; by now one may have been given to somebody again."""
        for name in set(names).intersection(self._leases.due(time.time())):
            self._leases.forget(name)

    async def _leave(self, writer: TurnWriter) -> None:
        try:
            await writer.close(self._leases.due(float("inf")))
        except TurnDown:
            logger.warning("TURN credentials stay until they expire: the database fails")


RELAYS = web.AppKey("RELAYS", Relays)

"""The open sessions of one process: opens, hands over, lingers and closes them."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from aiohttp import web

from signaling.principal import ANONYMOUS, AccessRefused, Principal, tenant_of
from signaling.rooms import Participant, Rooms
from signaling.sessions import (
    RIGHTS,
    Admit,
    OpenSession,
    SessionHandle,
    SessionRefused,
    SessionRequest,
    admit_all,
)
from signaling.shares import may_have_more

logger = logging.getLogger(__name__)

Listener = Callable[[str], None]
"""Told once, with the reason, that the session has ended or has gone to another socket."""


@dataclass(slots=True, eq=False)
class LiveSession:
    """An open session and the one socket that listens to it, if any."""

    participant: Participant
    handle: SessionHandle
    request: SessionRequest
    opened_s: float = field(default_factory=time.time)
    """Unix time."""
    listener: Listener | None = None
    lingering: asyncio.TimerHandle | None = None
    took_over: bytes | None = None
    """Digest of the token that it goes on with."""

    def may_go_on_with(self, principal: Principal) -> bool:
        """Whether its client may keep it with another token: only one with all rights that it has.

        What it has begun by those cannot be taken from it, so with fewer there has to be a new one.
        """
        return self.request.principal.rights <= principal.rights

    def renew(self, principal: Principal) -> None:
        """Its client has come back with this token: it keeps its rights until that expires."""
        expires_at_s = principal.expires_at_s
        known = replace(self.request.principal, expires_at_s=expires_at_s)
        self.request = replace(self.request, principal=known)
        self.handle.renew(expires_at_s)

    def attach(self, listener: Listener) -> None:
        """Make ``listener`` the socket's ear; an earlier one is told that it was replaced."""
        if self.lingering is not None:
            self.lingering.cancel()
            self.lingering = None
        self.tell("resumed_elsewhere")
        self.listener = listener

    def tell(self, reason: str) -> None:
        """Tell the listener, once."""
        listener, self.listener = self.listener, None
        if listener is not None:
            listener(reason)


class SessionRegistry:
    """Opens sessions within the bounds of ``rooms`` and knows them until they have ended."""

    def __init__(
        self,
        open_session: OpenSession,
        rooms: Rooms,
        grace_s: float,
        max_per_key: int | None = None,
        *,
        tenants: int = 1,
        admit: Admit = admit_all,
    ) -> None:
        self._open_session = open_session
        self._admit = admit
        self._rooms = rooms
        self._grace_s = grace_s
        self._max_per_key = max_per_key
        self._tenants = tenants
        self._live: dict[str, LiveSession] = {}
        self._holders: dict[bytes, LiveSession] = {}
        """Of each resume token, by its digest."""
        self._claimed: set[bytes] = set()
        """Digests of resume tokens that a session is being opened with."""
        self._successors: dict[bytes, LiveSession] = {}
        """Who has taken over from whom, by the digests of the tokens."""
        self._closing: set[asyncio.Task[None]] = set()
        self._shut = False

    def __len__(self) -> int:
        return len(self._live)

    @property
    def sessions(self) -> list[LiveSession]:
        """All of them, the oldest first."""
        return [*self._live.values()]

    @property
    def places(self) -> frozenset[tuple[str, str]]:
        """Rooms that somebody is in, each with the key that it is of."""
        return frozenset(one.participant.place for one in self._live.values())

    async def open(
        self,
        request: SessionRequest,
        client_id: str | None = None,
        begin: Callable[[SessionHandle], Awaitable[None]] | None = None,
    ) -> LiveSession:
        """Open a session, in place of the same client's earlier one in the room.

        The same client is whoever has its ``client_id`` or the session's ``resume_token``, and is
        of the same owner. What the earlier one of a token was at goes over to the new one only when
        ``begin`` has returned, and until then it is not touched.

        Raises:
            SessionRefused: no right, no place, a bad name, shutting down, a room that is elsewhere,
                a token that another session has been opened with, or what ``open_session`` and
                ``begin`` refuse.
        """
        _check_rights(request)
        if self._shut:
            raise SessionRefused(
                "shutting_down", "the service is shutting down: try again soon, or another one"
            )
        await self._admit(request)
        with self._claim(self._followed(request, client_id)) as claimed:
            return await self._open(claimed, client_id, begin)

    def _followed(self, request: SessionRequest, client_id: str | None) -> SessionRequest:
        """The request with the token of whoever has taken over from its one, if that is the same
        client, which may not know of it."""
        while (successor := self._successor(request)) is not None:
            if client_id is None or successor.participant.client_id != client_id:
                raise _resumed_elsewhere()
            request = replace(request, resume_token=successor.handle.resume_token)
        return request

    def _successor(self, request: SessionRequest) -> LiveSession | None:
        return _asked_for(self._successors, request)

    @contextmanager
    def _claim(self, request: SessionRequest) -> Iterator[SessionRequest]:
        """Of those who come with one token at a time, the first."""
        if request.resume_token is None:
            yield request
            return
        digest = _digest(request.resume_token)
        if digest in self._claimed:
            raise _resumed_elsewhere()
        self._claimed.add(digest)
        try:
            yield request
        finally:
            self._claimed.discard(digest)

    async def _open(
        self,
        request: SessionRequest,
        client_id: str | None,
        begin: Callable[[SessionHandle], Awaitable[None]] | None,
    ) -> LiveSession:
        if request.first_voice is None:
            request = replace(request, first_voice=request.principal.voice)
        participant = Participant(
            secrets.token_hex(16), request.room, request.name, client_id, request.principal.owner
        )
        holder = self._holder(request)
        self._check_key(participant, holder)
        earlier = self._rooms.enter(participant, holder.participant.key if holder else None)
        if earlier is not None and earlier.key in self._live:
            await self.close(self._live[earlier.key], "replaced")
        try:
            handle = await self._open_session(request)
        except BaseException:
            self._rooms.leave(participant.key)
            raise
        live = await self._take_in(participant, handle, request)
        try:
            if begin is not None:
                await begin(handle)
            if participant.key not in self._live:
                raise SessionRefused("replaced", "the session was ended while it was being opened")
            if holder is not None:
                await self.close(holder, "replaced")
            await self._take_over(live)
        except BaseException:
            self.close_soon(live, "client_left")
            raise
        return live

    async def _take_over(self, live: LiveSession) -> None:
        await live.handle.take_over()
        if live.handle.resumed and live.participant.key in self._live:
            live.took_over = _digest(live.request.resume_token or "")
            self._successors[live.took_over] = live

    def _check_key(self, asking: Participant, holder: LiveSession | None) -> None:
        tenant = tenant_of(asking.owner)
        # The earlier place of the same client is given up for the new one.
        own = self._rooms.find(asking.room, asking.client_id, asking.owner)
        freed = len({one.key for one in (own, holder.participant if holder else None) if one})
        having = self._rooms.count(tenant) - freed
        if self._max_per_key is not None and having >= self._max_per_key:
            raise SessionRefused(
                "too_many_sessions", f"this key may have {self._max_per_key} sessions: end one"
            )
        if freed:
            return  # it takes no place that another key could have had
        free, idle = self._rooms.free, self._tenants - len(self._rooms.tenants)
        if free > 0 and not may_have_more(having, free, self._rooms.places, self._tenants, idle):
            raise SessionRefused(
                "too_many_sessions",
                f"this key has {having} sessions, and the places that are left are for others: "
                "end one",
            )

    async def _take_in(
        self, participant: Participant, handle: SessionHandle, request: SessionRequest
    ) -> LiveSession:
        if self._shut or participant.key not in self._rooms:
            # Its place was taken, or the service began to stop, while it was being opened.
            self._rooms.leave(participant.key)
            await handle.close("replaced")
            raise SessionRefused("replaced", "the same client joined again meanwhile")
        live = LiveSession(participant, handle, request)
        self._live[participant.key] = live
        self._holders[_digest(handle.resume_token)] = live
        handle.on_closed(lambda reason: self._ended(live, reason))
        return live

    def find(
        self, room: str, client_id: str | None, owner: str = ANONYMOUS.owner
    ) -> LiveSession | None:
        """The live session that a client of this owner may resume."""
        participant = self._rooms.find(room, client_id, owner)
        return None if participant is None else self._live.get(participant.key)

    def _holder(self, request: SessionRequest) -> LiveSession | None:
        """The live session that a token is of: its client lost the connection, we not yet."""
        return _asked_for(self._holders, request)

    def linger(self, live: LiveSession) -> None:
        """The socket broke: close the session after the grace unless it is resumed."""
        live.listener = None
        if live.participant.key not in self._live or live.lingering is not None:
            return
        live.lingering = asyncio.get_running_loop().call_later(
            self._grace_s, self.close_soon, live, "signaling_lost"
        )

    def close_soon(self, live: LiveSession, reason: str) -> None:
        """Close without being awaited: whoever asks may be cancelled at any moment."""
        task = asyncio.get_running_loop().create_task(self.close(live, reason))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def close(self, live: LiveSession, reason: str) -> None:
        """End a session and give its place up; harmless when it has ended already."""
        try:
            await live.handle.close(reason)
        except Exception:
            logger.exception("session %s failed to close", live.handle.session_id)
        finally:
            self._ended(live, reason)

    async def drain(self, within_s: float) -> None:
        """Open no more sessions, and let those that are there end what they are at."""
        self._shut = True
        await asyncio.gather(
            *(self._drain(live, within_s) for live in [*self._live.values()]),
        )

    async def _drain(self, live: LiveSession, within_s: float) -> None:
        try:
            await live.handle.drain(within_s)
        except Exception:
            logger.exception("session %s could not end in peace", live.handle.session_id)

    async def close_all(self, reason: str) -> None:
        """End all sessions and open no more."""
        self._shut = True
        await asyncio.gather(*(self.close(live, reason) for live in [*self._live.values()]))
        await asyncio.gather(*self._closing)

    def _ended(self, live: LiveSession, reason: str) -> None:
        if live.lingering is not None:
            live.lingering.cancel()
            live.lingering = None
        self._rooms.leave(live.participant.key)
        if live.took_over is not None:
            self._successors.pop(live.took_over, None)
        if self._live.pop(live.participant.key, None) is not None:
            self._holders.pop(_digest(live.handle.resume_token), None)
            live.tell(reason)


def _asked_for(known: Mapping[bytes, LiveSession], request: SessionRequest) -> LiveSession | None:
    """The session of the request's token, if it is in its room and of its owner."""
    token = request.resume_token
    live = None if token is None else known.get(_digest(token))
    if live is None or live.participant.room != request.room:
        return None
    return live if live.participant.owner == request.principal.owner else None


def _digest(token: str) -> bytes:
    """Stands for a token, so that the time of a look-up tells nothing of it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _resumed_elsewhere() -> SessionRefused:
    return SessionRefused(
        "resumed_elsewhere",
        "what this is to go on with goes on in another session already: use that one, or open a "
        "new one without it",
    )


def _check_rights(request: SessionRequest) -> None:
    try:
        request.principal.need_any(RIGHTS[request.purpose])
    except AccessRefused as error:
        raise SessionRefused(error.code, str(error)) from error


REGISTRY = web.AppKey("REGISTRY", SessionRegistry)

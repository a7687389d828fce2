"""The open sessions of one process: opens, hands over, lingers and closes them."""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from aiohttp import web

from signaling.principal import ANONYMOUS, AccessRefused
from signaling.rooms import Participant, Rooms
from signaling.sessions import RIGHTS, OpenSession, SessionHandle, SessionRefused, SessionRequest
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
    ) -> None:
        self._open_session = open_session
        self._rooms = rooms
        self._grace_s = grace_s
        self._max_per_key = max_per_key
        self._tenants = tenants
        self._live: dict[str, LiveSession] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._shut = False

    def __len__(self) -> int:
        return len(self._live)

    @property
    def sessions(self) -> list[LiveSession]:
        """All of them, the oldest first."""
        return [*self._live.values()]

    async def open(self, request: SessionRequest, client_id: str | None = None) -> LiveSession:
        """Open a session; the same client's earlier one in the room is closed first.

        The same client is whoever has its ``client_id`` or the session's ``resume_token``, and is
        of the same owner.

        Raises:
            SessionRefused: no right, no place, a bad name, shutting down, or what ``open_session``
                refuses.
        """
        _check_rights(request)
        if self._shut:
            raise SessionRefused(
                "shutting_down", "the service is shutting down: try again soon, or another one"
            )
        holder = self.holder(request)
        if holder is not None:
            await self.close(holder, "replaced")
        self._check_key(request, client_id)
        if request.voice is None:
            request = replace(request, voice=request.principal.voice)
        participant = Participant(
            secrets.token_hex(16), request.room, request.name, client_id, request.principal.owner
        )
        earlier = self._rooms.enter(participant)
        if earlier is not None and earlier.key in self._live:
            await self.close(self._live[earlier.key], "replaced")
        try:
            handle = await self._open_session(request)
        except BaseException:
            self._rooms.leave(participant.key)
            raise
        return await self._admit(participant, handle, request)

    def _check_key(self, request: SessionRequest, client_id: str | None) -> None:
        principal = request.principal
        # The earlier place of the same client is given up for the new one.
        freed = 0 if self._rooms.find(request.room, client_id, principal.owner) is None else 1
        having = self._rooms.count(principal.tenant) - freed
        if self._max_per_key is not None and having >= self._max_per_key:
            raise SessionRefused(
                "too_many_sessions", f"this key may have {self._max_per_key} sessions: end one"
            )
        free, places = self._rooms.free + freed, self._rooms.places
        idle = self._tenants - len(self._rooms.tenants)
        if free > 0 and not may_have_more(having, free, places, self._tenants, idle):
            raise SessionRefused(
                "too_many_sessions",
                f"this key has {having} sessions, and the places that are left are for others: "
                "end one",
            )

    async def _admit(
        self, participant: Participant, handle: SessionHandle, request: SessionRequest
    ) -> LiveSession:
        if self._shut or participant.key not in self._rooms:
            # Its place was taken, or the service began to stop, while it was being opened.
            self._rooms.leave(participant.key)
            await handle.close("replaced")
            raise SessionRefused("replaced", "the same client joined again meanwhile")
        live = LiveSession(participant, handle, request)
        self._live[participant.key] = live
        handle.on_closed(lambda reason: self._ended(live, reason))
        return live

    def find(
        self, room: str, client_id: str | None, owner: str = ANONYMOUS.owner
    ) -> LiveSession | None:
        """The live session that a client of this owner may resume."""
        participant = self._rooms.find(room, client_id, owner)
        return None if participant is None else self._live.get(participant.key)

    def holder(self, request: SessionRequest) -> LiveSession | None:
        """The live session that a token is of: its client lost the connection, we not yet."""
        if request.resume_token is None:
            return None
        wanted = (request.room, request.principal.owner)
        given = request.resume_token.encode("utf-8", "surrogatepass")
        found = None
        for live in self._live.values():
            # No early exit: which one matched must not show in the time.
            same = hmac.compare_digest(given, live.handle.resume_token.encode())
            place = live.participant
            found = live if same and (place.room, place.owner) == wanted else found
        return found

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
        if self._live.pop(live.participant.key, None) is not None:
            live.tell(reason)


def _check_rights(request: SessionRequest) -> None:
    try:
        request.principal.need_any(RIGHTS[request.purpose])
    except AccessRefused as error:
        raise SessionRefused(error.code, str(error)) from error


REGISTRY = web.AppKey("REGISTRY", SessionRegistry)

"""In a media process: does what the entry asks for, and tells it what happens by itself."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from signaling.limits import LimitKind, LimitReached
from signaling.sessions import OpenSession, SessionHandle, SessionRefused
from voicepeer.core.errors import OUR_FAULT
from voicepeer.media_frames import (
    AddCandidate,
    Answer,
    Asked,
    Begin,
    Changed,
    Close,
    Done,
    Drain,
    Ended,
    Exhausted,
    Figures,
    GiveUp,
    Open,
    Ping,
    Refused,
    Renew,
    Request,
    Revoked,
    Spent,
    TakeOver,
    ToEntry,
    ToMedia,
    Value,
)
from voicepeer.revocations import Revocations

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 0.25
"""For what of a session has changed that nobody asked for."""


class Purse:
    """What one client may use, which is counted at the entry.

    It is not asked before: messages of a client are handled as they come. So whoever has used all
    may use some once more, which then counts as well.
    """

    def __init__(self, tell: Callable[[ToEntry], None], clock: Callable[[], float]) -> None:
        self._tell = tell
        self._clock = clock
        self._nothing_until_s: dict[LimitKind, float] = {}
        self.session = ""

    def spend(self, kind: LimitKind, cost: float) -> None:
        """Use so much; raises ``LimitReached``."""
        wait_s = self._nothing_until_s.get(kind, 0.0) - self._clock()
        if wait_s > 0:
            raise LimitReached(kind, math.ceil(wait_s))
        self._tell(Spent(self.session, kind, cost))

    def exhausted(self, kind: LimitKind, for_s: float) -> None:
        """Nothing is left for so long."""
        self._nothing_until_s[kind] = self._clock() + for_s


@dataclass(slots=True)
class _Open:
    """A session, and what the entry knows of it."""

    handle: SessionHandle
    purse: Purse
    told: tuple[bool, str | None] = (False, None)


class MediaServer:
    """Does what the entry asks for.

    Args:
        open_session: makes a session.
        figures: gives Prometheus' text.
        revocations: is told of voices that were deleted.
        tell: takes what is for the entry.
    """

    def __init__(
        self,
        open_session: OpenSession,
        figures: Callable[[], bytes],
        revocations: Revocations,
        tell: Callable[[ToEntry], None],
    ) -> None:
        self._open_session = open_session
        self._figures = figures
        self._revocations = revocations
        self._tell = tell
        self._sessions: dict[str, _Open] = {}
        self._working: dict[int, asyncio.Task[None]] = {}

    def receive(self, message: ToMedia) -> None:
        """Begin to do what a message asks for."""
        match message:
            case GiveUp(id):
                if (working := self._working.get(id)) is not None:
                    working.cancel()
            case Renew(session, expires_at_s):
                if (found := self._sessions.get(session)) is not None:
                    found.handle.renew(expires_at_s)
            case Exhausted(session, kind, for_s):
                if (found := self._sessions.get(session)) is not None:
                    found.purse.exhausted(kind, for_s)
            case Revoked(voice_id):
                self._revocations.revoke(voice_id)
            case request:
                task = asyncio.create_task(self._serve(request), name=type(request).__name__)
                self._working[request.id] = task
                task.add_done_callback(lambda _: self._working.pop(request.id, None))

    async def _serve(self, request: Request) -> None:
        try:
            value = await self._do(request)
        except SessionRefused as error:
            self._tell(Refused(request.id, error.code, str(error)))
        except Exception:  # the edge of a request
            logger.exception("a request of the entry failed: %s", type(request).__name__)
            self._tell(Refused(request.id, "internal", OUR_FAULT))
        else:
            # Before the answer, because whoever gets that may look at the session.
            self.tell_changes()
            self._tell(Done(request.id, value))

    async def _do(self, request: Request) -> Value:
        match request:
            case Open(_, asked):
                return await self._open(asked)
            case Answer(_, session, sdp, connection):
                return await self._found(session).answer(sdp, connection)
            case AddCandidate(_, session, candidate, mid, index, connection):
                await self._found(session).add_candidate(candidate, mid, index, connection)
            case TakeOver(_, session):
                handle = self._found(session)
                await handle.take_over()
                return handle.resumed
            case Drain(_, session, within_s):
                await self._found(session).drain(within_s)
            case Close(_, session, reason):
                await self._found(session).close(reason)
            case Figures():
                return self._figures().decode()
            case Ping():
                pass
            case Begin():
                raise SessionRefused("internal", "it has begun already")
            case _:
                assert_never(request)
        return None

    async def _open(self, asked: Asked) -> list[str]:
        purse = Purse(self._tell, time.monotonic)
        handle = await self._open_session(asked.request(purse.spend))
        purse.session = session = handle.session_id
        self._sessions[session] = _Open(handle, purse)
        handle.on_closed(lambda reason: self._ended(session, reason))
        return [session, handle.resume_token]

    def _ended(self, session: str, reason: str) -> None:
        self._sessions.pop(session, None)
        self._tell(Ended(session, reason))

    def _found(self, session: str) -> SessionHandle:
        found = self._sessions.get(session)
        if found is None:
            raise SessionRefused("closed", "this session has ended: join again")
        return found.handle

    def tell_changes(self) -> None:
        """Tell how those sessions are that are not any more as they were."""
        for session, one in self._sessions.items():
            now = one.handle.connected, one.handle.voice_id
            if now != one.told:
                one.told = now
                self._tell(Changed(session, *now))

    async def run(self) -> None:
        """Look after sessions until cancelled."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            self.tell_changes()

    async def close(self) -> None:
        """End all that is there."""
        for one in list(self._sessions.values()):
            await one.handle.close("shutting_down")
        await asyncio.gather(*self._working.values(), return_exceptions=True)

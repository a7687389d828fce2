"""In a media process: does what the entry asks for, and tells it what happens by itself."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import assert_never

from signaling.limits import LimitKind, LimitReached
from signaling.sessions import OpenSession, SessionHandle, SessionRefused
from voicepeer.core.degradation.ladder import Step
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
    Economize,
    Ended,
    Figures,
    GiveUp,
    Open,
    Paid,
    Ping,
    Refused,
    Renew,
    Request,
    Revoked,
    Spending,
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
    """What one client may use, which is counted at the entry, for all of its sessions.

    That is asked each time: whatever a session were told in advance, others could use as well.
    """

    def __init__(self, tell: Callable[[ToEntry], None]) -> None:
        self._tell = tell
        self._ids = itertools.count(1)
        self._asked: dict[int, asyncio.Future[int]] = {}
        self.session = ""

    async def spend(self, kind: LimitKind, cost: float) -> None:
        """Use so much; raises ``LimitReached``."""
        id = next(self._ids)
        self._asked[id] = answer = asyncio.get_running_loop().create_future()
        self._tell(Spending(self.session, id, kind, cost))
        try:
            retry_after_s = await answer
        finally:
            del self._asked[id]
        if retry_after_s > 0:
            raise LimitReached(kind, retry_after_s)

    def paid(self, id: int, retry_after_s: int) -> None:
        """The entry has answered: it was taken, unless there is a time to wait."""
        answer = self._asked.get(id)
        if answer is not None and not answer.done():
            answer.set_result(retry_after_s)


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
        economize: has exactly these steps against an overload in effect.
        tell: takes what is for the entry.
    """

    def __init__(
        self,
        open_session: OpenSession,
        figures: Callable[[], bytes],
        revocations: Revocations,
        economize: Callable[[Sequence[Step]], object],
        tell: Callable[[ToEntry], None],
    ) -> None:
        self._open_session = open_session
        self._figures = figures
        self._revocations = revocations
        self._economize = economize
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
            case Paid(session, spending, retry_after_s):
                if (found := self._sessions.get(session)) is not None:
                    found.purse.paid(spending, retry_after_s)
            case Revoked(voice_id):
                self._revocations.revoke(voice_id)
            case Economize(steps):
                self._economize(steps)
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
        purse = Purse(self._tell)
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

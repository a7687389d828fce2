"""A media process: ``python -m voicepeer.media_worker FD LEVEL SPEECH LISTENING``, of the entry's.

It has sessions and their packets, and none of the service's secrets: who may come in is decided at
the entry, by a socket to which this is told what to do. The numbers are descriptors of that socket
and of those to the models (``engines.lending``).
"""

from __future__ import annotations

import asyncio
import faulthandler
import logging
import math
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import assert_never

from engines.host import EngineHost
from engines.process.frames import FrameBuffer, Role
from engines.process.parent import die_with_parent
from signaling.config import Load
from signaling.limits import LimitKind, LimitReached
from signaling.sessions import OpenSession, SessionHandle, SessionRefused
from voicepeer import logs, rtc, wiring
from voicepeer import media_frames as frames
from voicepeer.core.errors import OUR_FAULT
from voicepeer.keeping import keeping_in
from voicepeer.media import Media
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
    Loaded,
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
from voicepeer.stores import open_stores

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


class Connection(asyncio.Protocol):
    """The socket to the entry; ``ended`` is set when that has gone."""

    def __init__(self) -> None:
        self._buffer = FrameBuffer()
        self._socket: asyncio.Transport | None = None
        self.begin: asyncio.Future[Begin] = asyncio.get_running_loop().create_future()
        self.receive: Callable[[ToMedia], None] = self._first
        self.ended = asyncio.Event()

    def _first(self, message: ToMedia) -> None:
        if not isinstance(message, Begin):
            raise ValueError("the first message says how to run")
        self.begin.set_result(message)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop."""
        assert isinstance(transport, asyncio.Transport)
        self._socket = transport

    def data_received(self, data: bytes) -> None:
        """Called by the event loop."""
        for body in self._buffer.push(data):
            self.receive(frames.unpack_to_media(body))

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the event loop."""
        self.begin.cancel()
        self.ended.set()

    def tell(self, message: ToEntry) -> None:
        """Send a message to the entry."""
        if self._socket is not None and not self._socket.is_closing():
            self._socket.write(frames.pack(message))


async def serve(entry: socket.socket, speech: socket.socket, listening: socket.socket) -> None:
    """Serve the entry at the other end of a socket until that is closed.

    Raises:
        VoicePeerError: what it is to use cannot be used.
        EngineError: so is what it has borrowed.
    """
    connection = Connection()
    transport, _ = await asyncio.get_running_loop().create_connection(
        lambda: connection, sock=entry
    )
    begin = await connection.begin
    settings = begin.config
    async with AsyncExitStack() as stack:
        stack.callback(transport.abort)
        lent: dict[Role, socket.socket] = {"speech": speech, "listening": listening}
        engine = await stack.enter_async_context(EngineHost(wiring.host_spec(settings), lent))
        stores = open_stores(settings)
        stack.callback(stores.close)
        keeping = keeping_in(stores, wiring.audit(settings))
        media = Media(settings, engine, keeping)
        media.on_loaded()
        await stack.enter_async_context(media.running())
        await engine.stock_voices()
        server = MediaServer(
            media.open, lambda: media.metrics.text(), keeping.revocations, connection.tell
        )
        stack.push_async_callback(server.close)
        for work in (
            server.run(),
            stores.watch(keeping.revocations.revoke),
            _tell_load(lambda: media.load, connection.tell),
        ):
            stack.push_async_callback(_cancel, asyncio.create_task(work))
        connection.receive = server.receive
        connection.tell(Done(begin.id))
        await connection.ended.wait()


async def _tell_load(load: Callable[[], Load], tell: Callable[[ToEntry], None]) -> None:
    """Tell how much there is to do whenever that has changed, until cancelled."""
    told = Load()
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        if (now := load()) != told:
            told = now
            tell(Loaded(now))


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])


def main(entry: str, level: str, speech: str, listening: str) -> None:
    """Serve the entry by these descriptors; log to standard error, which it reads."""
    die_with_parent()
    faulthandler.enable()
    # Both go to all processes of a service, of which the entry knows what has to end first.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logs.configure_child(level)
    rtc.self_test()
    sockets = [socket.socket(fileno=int(fd)) for fd in (entry, speech, listening)]
    asyncio.run(serve(*sockets))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""At the entry: one media process, from its start to its end, and the sessions in it."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import socket
import time
from collections.abc import Callable, Sequence
from types import NoneType
from typing import TypeVar, assert_never

import msgspec

from engines.process.child import Child
from signaling.sessions import SessionRefused, SessionRequest
from voicepeer import media_frames as frames
from voicepeer.config import (
    AuthSection,
    Config,
    IceSection,
    RoomsConfig,
    environ_without_settings,
)
from voicepeer.core.errors import VoicePeerError
from voicepeer.media_frames import (
    Asked,
    Begin,
    Changed,
    Close,
    Done,
    Ended,
    GiveUp,
    Noted,
    Open,
    Ping,
    Refused,
    Request,
    Spending,
    ToMedia,
    Value,
)
from voicepeer.remote_session import RemoteSession

logger = logging.getLogger(__name__)

ValueT = TypeVar("ValueT", bound=Value)

WORKER = "voicepeer.media_worker"

START_TIMEOUT_S = 60.0

LOOK_EVERY_S = 5.0
STUCK_AFTER_S = 20.0
"""A process that answers nothing for so long is ended: nobody in it is heard any more."""

LATE_S = 1.0
"""Whoever comes back so late to look was stopped or too busy, and knows nothing of others."""

LOST = "connection_lost"
"""Why sessions of a process end that is gone. Clients know it already, and come back."""


class MediaProcessFailed(VoicePeerError):
    """A media process cannot be started."""

    code = "media_process_failed"


class MediaProcess:
    """A process with sessions; implements ``voicepeer.remote_session.Line`` for them.

    ``take_note`` is told of what shows there how the service keeps up.
    """

    def __init__(self, number: int, take_note: Callable[[Noted], None]) -> None:
        self._take_note = take_note
        self._name = f"media process {number}"
        self._child: Child | None = None
        self._waiting: asyncio.Task[None] | None = None
        self._ids = itertools.count(1)
        self._asked: dict[int, asyncio.Future[Value]] = {}
        self._sessions: dict[str, RemoteSession] = {}
        self._paying: set[asyncio.Task[None]] = set()
        self._opening: dict[object, float] = {}
        """When it was asked for sessions that it has not opened yet."""
        self._given_up_s: float | None = None
        """When it was asked for one that nobody waits for any more, and nothing came since."""

    @property
    def pid(self) -> int | None:
        """Of the process, if it was started."""
        return None if self._child is None else self._child.pid

    async def start(self, config: Config, lent: Sequence[socket.socket]) -> None:
        """Start it, with models that were lent to it; ``close`` has to follow.

        Raises:
            MediaProcessFailed: it does not get ready.
        """
        environ = environ_without_settings()
        self._child = Child(self._name, WORKER, self._receive, lent, environ=environ, log=logger)
        try:
            await self._child.start()
            self._waiting = asyncio.create_task(self._until_ended(self._child), name=self._name)
            async with asyncio.timeout(START_TIMEOUT_S):
                await self.ask(lambda id: Begin(id, _without_secrets(config)), NoneType)
        except (OSError, TimeoutError, SessionRefused) as error:
            raise MediaProcessFailed(f"{self._name} does not start: {error}") from error
        finally:
            for one in lent:
                one.close()

    async def _until_ended(self, child: Child) -> None:
        await child.ended.wait()
        for session in list(self._sessions.values()):
            self._end(session, LOST)
        for reply in self._asked.values():
            if not reply.done():
                reply.set_exception(_gone())

    async def watch(self) -> None:
        """Wait until it ends, and see to it that it does when it is stuck."""
        assert self._child is not None, "start comes first"
        ended = self._child.ended
        while not ended.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_EVERY_S):
                    await ended.wait()
            if not ended.is_set() and await self._is_stuck():
                logger.error("%s is stuck: it is ended", self._name)
                self._child.kill()
                await ended.wait()

    async def _is_stuck(self) -> bool:
        """Whether it does not answer although we did listen all the time."""
        due_s = time.monotonic() + STUCK_AFTER_S
        try:
            async with asyncio.timeout(STUCK_AFTER_S):
                await self.ask(Ping, NoneType)
        except SessionRefused:
            return False  # it has ended
        except TimeoutError:
            return time.monotonic() - due_s < LATE_S
        return False

    async def close(self) -> str:
        """End it with all that is in it; how it ended, for the log."""
        if self._child is None:
            return "never started"
        how = await self._child.close()
        if self._waiting is not None:
            await self._waiting
        return how

    @property
    def _has_ended(self) -> bool:
        assert self._child is not None, "start comes first"
        return self._child.ended.is_set()

    # --- sessions -------------------------------------------------------------------------------

    @property
    def silent_s(self) -> float:
        """How long somebody has waited for a session in it, in vain so far."""
        since = [*self._opening.values()]
        if self._given_up_s is not None:
            since.append(self._given_up_s)
        return time.monotonic() - min(since) if since else 0.0

    async def open(self, request: SessionRequest) -> RemoteSession:
        """Open a session in it; raises ``SessionRefused`` as there."""
        asked, opening = Asked.of(request), object()
        self._opening[opening] = time.monotonic()
        try:
            session_id, resume_token = await self.ask(lambda id: Open(id, asked), list)
        except asyncio.CancelledError:
            if self._given_up_s is None:
                self._given_up_s = self._opening[opening]
            raise
        finally:
            del self._opening[opening]
        if self._has_ended:
            raise _gone()  # between its answer and now
        session = RemoteSession(self, request, session_id, resume_token)
        self._sessions[session_id] = session
        return session

    async def ask(self, make: Callable[[int], Request], kind: type[ValueT]) -> ValueT:
        """Ask for something and wait for the answer; see ``Line.ask``."""
        if self._has_ended:
            raise _gone()
        request = make(next(self._ids))
        reply: asyncio.Future[Value] = asyncio.get_running_loop().create_future()
        self._asked[request.id] = reply
        try:
            self.tell(request)
            value = await reply
        except asyncio.CancelledError:
            self.tell(GiveUp(request.id))
            raise
        finally:
            del self._asked[request.id]
        assert isinstance(value, kind), f"the answer to {type(request).__name__} is of another type"
        return value

    def tell(self, message: ToMedia) -> None:
        """Say something that has no answer; lost where the process has ended.

        Raises:
            SessionRefused: it has text that is none.
        """
        assert self._child is not None, "start comes first"
        try:
            frame = frames.pack(message)
        except UnicodeEncodeError as error:
            raise SessionRefused("bad_message", "a text has characters that are none") from error
        if not self._child.ended.is_set():
            self._child.send(frame)

    def _receive(self, body: bytes) -> None:
        message = frames.unpack_to_entry(body)
        self._given_up_s = None
        match message:
            case Done(id, value):
                self._settle(id, value)
            case Refused(id, code, text):
                reply = self._asked.get(id)
                if reply is not None and not reply.done():
                    reply.set_exception(SessionRefused(code, text))
            case Spending(session):
                if (found := self._sessions.get(session)) is not None:
                    paying = asyncio.create_task(found.on_spending(message), name="pay")
                    self._paying.add(paying)
                    paying.add_done_callback(self._paying.discard)
            case Changed(session, connected, voice_id):
                if (found := self._sessions.get(session)) is not None:
                    found.on_changed(connected, voice_id)
            case Noted():
                self._take_note(message)
            case Ended(session, reason):
                if (found := self._sessions.get(session)) is not None:
                    self._end(found, reason)
            case _:
                assert_never(message)

    def _settle(self, id: int, value: Value) -> None:
        reply = self._asked.get(id)
        if reply is not None and not reply.done():
            reply.set_result(value)
        elif isinstance(value, list):
            # A session was opened for somebody who does not wait for it any more.
            self.tell(Close(next(self._ids), value[0], "client_left"))

    def _end(self, session: RemoteSession, reason: str) -> None:
        self._sessions.pop(session.session_id, None)
        session.on_ended(reason)


def _gone() -> SessionRefused:
    return SessionRefused(
        "not_ready", "the process that the call was in has ended: try again soon, with a new one"
    )


def _without_secrets(config: Config) -> Config:
    """What a process that strangers send packets to needs of the settings."""
    server = msgspec.structs.replace(config.server, api_keys=())
    return msgspec.structs.replace(
        config, server=server, auth=AuthSection(), ice=IceSection(), rooms=RoomsConfig()
    )

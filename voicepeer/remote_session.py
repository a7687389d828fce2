"""A session in a media process, as signaling at the entry sees it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from types import NoneType
from typing import Protocol, TypeVar

from signaling.limits import LimitReached
from signaling.messages import Connection
from signaling.sessions import SessionRefused, SessionRequest
from voicepeer.media_frames import (
    AddCandidate,
    Answer,
    Close,
    Drain,
    Paid,
    Renew,
    Request,
    Spending,
    TakeOver,
    ToMedia,
    Value,
)

ENDING_S = 5.0
"""For a session to end, beyond what it was given for that."""

ValueT = TypeVar("ValueT", bound=Value)


class Line(Protocol):
    """The way to a media process."""

    async def ask(self, make: Callable[[int], Request], kind: type[ValueT]) -> ValueT:
        """Ask for something, with an id, and wait for the answer, which is of this type.

        Raises:
            SessionRefused: it was refused, or the process has ended.
        """
        ...

    def tell(self, message: ToMedia) -> None:
        """Say something that has no answer."""
        ...


class RemoteSession:
    """Implements ``signaling.sessions.SessionHandle``.

    ``connected`` and ``voice_id`` are as the process last told, which it does within a moment.
    """

    def __init__(
        self, line: Line, request: SessionRequest, session_id: str, resume_token: str
    ) -> None:
        self.session_id = session_id
        self.resume_token = resume_token
        self.resumed = False
        self.connected = False
        self.voice_id: str | None = None
        self._line = line
        self._request = request
        self._reason: str | None = None
        self._callbacks: list[Callable[[str], None]] = []

    async def answer(self, offer_sdp: str, connection: Connection = "call") -> str:
        """Answer an offer; raises ``SessionRefused`` as the session does."""
        return await self._line.ask(
            lambda id: Answer(id, self.session_id, offer_sdp, connection), str
        )

    async def add_candidate(
        self,
        candidate: str | None,
        sdp_mid: str | None,
        sdp_mline_index: int | None,
        connection: Connection = "call",
    ) -> None:
        """Add a trickled candidate; raises ``SessionRefused`` as the session does."""
        await self._line.ask(
            lambda id: AddCandidate(
                id, self.session_id, candidate, sdp_mid, sdp_mline_index, connection
            ),
            NoneType,
        )

    async def take_over(self) -> None:
        """Go on where the session of the request's token has ended."""
        self.resumed = await self._line.ask(lambda id: TakeOver(id, self.session_id), bool)

    def renew(self, expires_at_s: float | None) -> None:
        """The client has shown another token."""
        self._line.tell(Renew(self.session_id, expires_at_s))

    def on_closed(self, callback: Callable[[str], None]) -> None:
        """Call back once, with the reason, when the session has ended; at once if it has."""
        if self._reason is not None:
            callback(self._reason)
        else:
            self._callbacks.append(callback)

    async def drain(self, within_s: float) -> None:
        """Let what the client asked for come to its end."""
        await self._ask_if_there(lambda id: Drain(id, self.session_id, within_s), within_s)

    async def close(self, reason: str) -> None:
        """End the session; harmless when it has ended already."""
        await self._ask_if_there(lambda id: Close(id, self.session_id, reason))
        self.on_ended(reason)

    async def _ask_if_there(self, make: Callable[[int], Request], within_s: float = 0.0) -> None:
        """Ask for an end; of a process that has died there is none, one that is stuck may wait."""
        if self._reason is None:
            with contextlib.suppress(SessionRefused, TimeoutError):
                async with asyncio.timeout(within_s + ENDING_S):
                    await self._line.ask(make, NoneType)

    # --- what the process tells -----------------------------------------------------------------

    def on_ended(self, reason: str) -> None:
        """The session has ended; only the first reason counts."""
        if self._reason is not None:
            return
        self._reason, self.connected = reason, False
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback(reason)

    def on_changed(self, connected: bool, voice_id: str | None) -> None:
        """This is how the session is now."""
        self.connected, self.voice_id = connected, voice_id

    async def on_spending(self, asked: Spending) -> None:
        """Its client wants to use something, which has to be within their limits."""
        try:
            await self._request.spend(asked.kind, asked.cost)
        except LimitReached as error:
            self._line.tell(Paid(self.session_id, asked.id, error.retry_after_s))
        else:
            self._line.tell(Paid(self.session_id, asked.id))

"""Sessions without media: they answer with what they were offered and remember what happened."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from signaling.messages import Connection
from signaling.sessions import SessionHandle, SessionRefused, SessionRequest


@dataclass
class EchoSession:
    """Answers ``v=0 X`` with ``v=0 answer to X`` and refuses everything that is no SDP."""

    request: SessionRequest
    session_id: str = field(default_factory=lambda: secrets.token_hex(16))
    resume_token: str = field(default_factory=lambda: secrets.token_hex(16))
    resumed: bool = False
    drained_for_s: float | None = None
    drain_fails: bool = False
    candidates: list[str | None] = field(default_factory=list)
    room_candidates: list[str | None] = field(default_factory=list)
    offered: list[Connection] = field(default_factory=list)
    closed_with: str | None = None
    answer_delay_s: float = 0.0
    close_fails: bool = False
    unknown_voices: frozenset[str] = frozenset()
    callbacks: list[Callable[[str], None]] = field(default_factory=list)

    expires_at_s: float | None = None
    connected: bool = False
    voice_id: str | None = None

    async def answer(self, offer_sdp: str, connection: Connection = "call") -> str:
        """Answer an offer after the set delay."""
        self.offered.append(connection)
        await asyncio.sleep(self.answer_delay_s)
        if offer_sdp == "v=0 crash":
            raise ZeroDivisionError("planted")
        if not offer_sdp.startswith("v=0"):
            raise SessionRefused("bad_sdp", "the offer is no session description")
        if {self.request.voice, self.request.first_voice} & self.unknown_voices:
            raise SessionRefused("voice_not_found", "there is no such voice")
        return f"v=0 answer to {offer_sdp}"

    async def take_over(self) -> None:
        """Go on, if there is anything to go on from."""
        self.resumed = self.request.resume_token is not None

    def renew(self, expires_at_s: float | None) -> None:
        """Remember when the last token expires."""
        self.expires_at_s = expires_at_s

    async def add_candidate(
        self,
        candidate: str | None,
        sdp_mid: str | None,
        sdp_mline_index: int | None,
        connection: Connection = "call",
    ) -> None:
        """Remember a candidate."""
        if candidate is not None and not candidate.startswith("candidate:"):
            raise SessionRefused("bad_candidate", "this is no candidate")
        (self.candidates if connection == "call" else self.room_candidates).append(candidate)

    def on_closed(self, callback: Callable[[str], None]) -> None:
        """Remember whom to tell."""
        self.callbacks.append(callback)

    async def drain(self, within_s: float) -> None:
        """Remember the limit and end at once."""
        if self.drain_fails:
            raise ZeroDivisionError("planted")
        self.drained_for_s = within_s

    async def close(self, reason: str) -> None:
        """End, once."""
        await asyncio.sleep(0)
        if self.close_fails:
            raise ZeroDivisionError("planted")
        if self.closed_with is None:
            self.closed_with = reason
            for callback in self.callbacks:
                callback(reason)


@dataclass
class EchoPeer:
    """An ``OpenSession`` that keeps what it opened and can be told to be slow or to refuse."""

    opened: list[EchoSession] = field(default_factory=list)
    open_delay_s: float = 0.0
    answer_delay_s: float = 0.0
    unknown_voices: frozenset[str] = frozenset()
    refuse_with: SessionRefused | None = None

    async def open(self, request: SessionRequest) -> SessionHandle:
        """Open a session."""
        await asyncio.sleep(self.open_delay_s)
        if self.refuse_with is not None:
            raise self.refuse_with
        session = EchoSession(
            request, answer_delay_s=self.answer_delay_s, unknown_voices=self.unknown_voices
        )
        self.opened.append(session)
        return session

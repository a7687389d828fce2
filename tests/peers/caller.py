"""A session and a real caller in one process, without signaling between them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from signaling.sessions import SessionRequest
from tests.peers.engine import LocalEngine
from voicepeer.call import Call
from voicepeer.conference import Conferences
from voicepeer.consent_store import new_consent_id
from voicepeer.core.adaptation import LinkFigures
from voicepeer.core.errors import ConsentNotFound, VoiceNotFound
from voicepeer.core.messages import ClientMessage, ServerMessage, VoiceSelected, VoiceUse
from voicepeer.core.speaking.beginning import Beginning
from voicepeer.economy import Economy
from voicepeer.ports import Engine
from voicepeer.session import Session
from voicepeer.session_state import SessionSettings
from voicepeer.voice_store import ConsentRecord
from voicepeer.voices import Agreement, FoundVoice, LearnedVoice

MessageT = TypeVar("MessageT", bound=ServerMessage)


class MemoryShelf:
    """Voices in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, LearnedVoice] = {}
        self.agreements: dict[str, Agreement] = {}

    async def find(self, key: str) -> FoundVoice:
        named = (one for one in self.kept.values() if one.name == key)
        found = self.kept.get(key) or next(named, None)
        if found is None:
            raise VoiceNotFound(f"there is no voice {key!r}")
        return FoundVoice(found.voice_id, found.voice, found.name)

    async def put(self, learned: LearnedVoice) -> None:
        if learned.consent.consent_id not in self.agreements:
            raise ConsentNotFound("withdrawn")
        self.kept[learned.voice_id] = learned

    async def agreement(self, consent_id: str) -> Agreement:
        if consent_id not in self.agreements:
            raise ConsentNotFound(f"there is no consent {consent_id!r}")
        return self.agreements[consent_id]

    async def agree(self, statement: str, who: str, version: int) -> Agreement:
        consent_id = new_consent_id()
        record = ConsentRecord(statement, who, time.time(), version, consent_id)
        self.agreements[consent_id] = Agreement(record)
        return self.agreements[consent_id]


@dataclass
class Counting:
    """An observer that keeps what it was told."""

    told: list[tuple[str, tuple[object, ...]]] = field(default_factory=list)

    def names(self) -> list[str]:
        return [name for name, _ in self.told]

    def session_opened(self) -> None:
        self.told.append(("session_opened", ()))

    def session_closed(self, reason: str) -> None:
        self.told.append(("session_closed", (reason,)))

    def voice_usable(self, elapsed_ms: float) -> None:
        self.told.append(("voice_usable", (elapsed_ms,)))

    def voice_ready(self, elapsed_ms: float, clone_ms: float) -> None:
        self.told.append(("voice_ready", (elapsed_ms, clone_ms)))

    def voice_scored(self, score: float) -> None:
        self.told.append(("voice_scored", (score,)))

    def embedded(self, took_ms: float) -> None:
        self.told.append(("embedded", (took_ms,)))

    def resembled(self, cosine: float) -> None:
        self.told.append(("resembled", (cosine,)))

    def heard_back(self, figures: LinkFigures) -> None:
        self.told.append(("heard_back", (figures,)))

    def utterance_accepted(self) -> None:
        self.told.append(("utterance_accepted", ()))

    def utterance_started(self, parts: Beginning) -> None:
        self.told.append(("utterance_started", (parts,)))

    def speech_paced(self, lead_ms: float, stale_chunks: int) -> None:
        self.told.append(("speech_paced", (lead_ms, stale_chunks)))

    def utterance_done(self, audio_ms: float, rtf: float | None, underruns: int) -> None:
        self.told.append(("utterance_done", (audio_ms, rtf, underruns)))

    def utterance_cancelled(self) -> None:
        self.told.append(("utterance_cancelled", ()))

    def utterance_failed(self, code: str) -> None:
        self.told.append(("utterance_failed", (code,)))

    def user_interrupted(self) -> None:
        self.told.append(("user_interrupted", ()))

    def session_resumed(self) -> None:
        self.told.append(("session_resumed", ()))

    def voice_rejected(self, reason: str) -> None:
        self.told.append(("voice_rejected", (reason,)))

    def error_sent(self, code: str) -> None:
        self.told.append(("error_sent", (code,)))

    def speech_damaged(self, skipped: int, failed: int, repaired: int) -> None:
        self.told.append(("speech_damaged", (skipped, failed, repaired)))

    def mic_frames_lost(self, frames: int) -> None:
        self.told.append(("mic_frames_lost", (frames,)))


@dataclass
class Connected:
    """Both ends of a call, and every message that the caller got."""

    session: Session
    call: Call
    engine: Engine
    shelf: MemoryShelf
    observer: Counting
    messages: list[ServerMessage] = field(default_factory=list)
    closed_for: list[str] = field(default_factory=list)
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    def send(self, *messages: ClientMessage) -> None:
        for message in messages:
            self.call.send(message)

    def got(self, kind: type[MessageT]) -> list[MessageT]:
        return [message for message in self.messages if isinstance(message, kind)]

    async def wait_for(
        self, kind: type[MessageT], count: int = 1, within_s: float = 40
    ) -> MessageT:
        """The ``count``-th message of a kind, counted from the start of the call."""
        try:
            async with asyncio.timeout(within_s), self._changed:
                await self._changed.wait_for(lambda: len(self.got(kind)) >= count)
        except TimeoutError:
            seen = [type(message).__name__ for message in self.messages]
            raise AssertionError(f"no {kind.__name__} number {count}, but {seen}") from None
        return self.got(kind)[count - 1]

    async def use_stock_voice(self, name: str = "mid") -> None:
        self.send(VoiceUse(voice_id=name))
        await self.wait_for(VoiceSelected)

    async def keep_messages(self, stream: AsyncIterator[ServerMessage]) -> None:
        async for message in stream:
            async with self._changed:
                self.messages.append(message)
                self._changed.notify_all()


@asynccontextmanager
async def connected(
    engine: Engine | None = None,
    settings: SessionSettings | None = None,
    request: SessionRequest | None = None,
    conferences: Conferences | None = None,
    economy: Economy | None = None,
) -> AsyncIterator[Connected]:
    """A caller that is connected to a session over loopback."""
    made = unconnected(engine or LocalEngine(), settings, request, conferences, economy)
    async with made as both:
        await both.call.accept(await both.session.answer(await both.call.offer()))
        yield both


@asynccontextmanager
async def unconnected(
    engine: Engine,
    settings: SessionSettings | None = None,
    request: SessionRequest | None = None,
    conferences: Conferences | None = None,
    economy: Economy | None = None,
) -> AsyncIterator[Connected]:
    """A caller and a session that do not know of each other yet."""
    shelf, observer = MemoryShelf(), Counting()
    request = request or SessionRequest("room", "name")
    session = Session(
        request, engine, shelf, settings, observer, conferences=conferences, economy=economy
    )
    both = Connected(session, Call(), engine, shelf, observer)
    session.on_closed(both.closed_for.append)
    with both.call.listening() as stream:
        keeping = asyncio.create_task(both.keep_messages(stream))
        try:
            yield both
        finally:
            await both.call.close()
            await session.close("test over")
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)

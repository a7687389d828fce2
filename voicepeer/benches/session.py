"""A session and a caller in one process, without signaling between them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from signaling.sessions import SessionRequest
from voicepeer.call import Call
from voicepeer.core.errors import ConsentNotFound, VoiceNotFound
from voicepeer.core.messages import ServerMessage, VoiceSelected, VoiceUse
from voicepeer.ports import Engine
from voicepeer.session import Session
from voicepeer.voice_store import ConsentRecord
from voicepeer.voices import Agreement, FoundVoice, LearnedVoice

MessageT = TypeVar("MessageT")


class _NoShelf:
    """Keeps no voices; stock voices are enough."""

    async def find(self, key: str) -> FoundVoice:
        raise VoiceNotFound(f"there is no voice {key!r}")

    async def put(self, learned: LearnedVoice) -> None:
        """Nothing is kept."""

    async def agreement(self, consent_id: str) -> Agreement:
        raise ConsentNotFound(f"there is no consent {consent_id!r}")

    async def agree(self, statement: str, who: str, version: int) -> Agreement:
        return Agreement(ConsentRecord(statement, who, time.time(), version))


@dataclass
class Line:
    """Both ends of a call, and what the caller was told so far."""

    session: Session
    call: Call
    told: list[ServerMessage] = field(default_factory=list)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def keep(self, messages: AsyncIterator[ServerMessage]) -> None:
        """Read what comes until the call ends."""
        async for message in messages:
            self.told.append(message)
            self._changed.set()

    async def wait_for(
        self, *kinds: type[MessageT], utterance_id: str | None = None, within_s: float = 20.0
    ) -> MessageT:
        """The first message of some kinds, about one utterance if that is given."""
        async with asyncio.timeout(within_s):
            while True:
                for message in self.told:
                    about = getattr(message, "utterance_id", None)
                    if isinstance(message, kinds) and utterance_id in (None, about):
                        return message
                self._changed.clear()
                await self._changed.wait()


@asynccontextmanager
async def connected(engine: Engine) -> AsyncIterator[Line]:
    """A caller who is connected to a session and has chosen the engine's first stock voice."""
    session = Session(SessionRequest("bench", "bench"), engine, _NoShelf())
    line = Line(session, Call())
    with line.call.listening() as messages:
        keeping = asyncio.create_task(line.keep(messages))
        try:
            await line.call.accept(await session.answer(await line.call.offer()))
            stock = sorted(await engine.stock_voices())
            line.call.send(VoiceUse(voice_id=stock[0]))
            await line.wait_for(VoiceSelected)
            yield line
        finally:
            await line.call.close()
            await session.close("bench over")
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)

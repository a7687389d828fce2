"""The voices of one session: the one being learned, those that were kept, those of the engine."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Protocol

from engines.api import Embedding, Voice
from voicepeer.core.errors import PeerSentBadMessage, VoiceNotReady
from voicepeer.ports import Engine

MAX_CONSENT_CHARS = 2_000
MAX_NAME_CHARS = 100


@dataclass(frozen=True, slots=True)
class LearnedVoice:
    """A voice that a session made, with the consent it was made under."""

    voice_id: str
    name: str
    voice: Voice
    embedding: Embedding | None
    consent: str
    session_id: str
    saved: bool
    """Whether to keep it after the call; otherwise it is forgotten some minutes later."""


class VoiceShelf(Protocol):
    """Where voices are kept between calls."""

    async def get(self, voice_id: str) -> tuple[Voice, str]:
        """A voice and its name; raises ``VoiceNotFound``."""
        ...

    async def put(self, learned: LearnedVoice) -> None:
        """Keep a voice, replacing an earlier state of it."""
        ...


class SessionVoices:
    """Knows which voice is being learned and under which consent."""

    def __init__(self, engine: Engine, shelf: VoiceShelf, session_id: str) -> None:
        self._engine = engine
        self._shelf = shelf
        self._session_id = session_id
        self._voice_id: str | None = None
        self._name = ""
        self._consent = ""
        self._voice: Voice | None = None

    def begin(self, consent: str, name: str | None) -> str:
        """Note the consent to learn a new voice; the id that it will have.

        Raises:
            PeerSentBadMessage: the consent is empty, or a text is too long.
        """
        if not consent.strip():
            raise PeerSentBadMessage(
                "enrol.start needs the speaker's consent: say who agrees to what in 'consent'"
            )
        if len(consent) > MAX_CONSENT_CHARS or len(name or "") > MAX_NAME_CHARS:
            raise PeerSentBadMessage(
                f"a consent has at most {MAX_CONSENT_CHARS} characters, a name {MAX_NAME_CHARS}"
            )
        self._voice_id = secrets.token_hex(16)
        self._consent, self._name = consent.strip(), (name or "").strip()
        self._voice = None
        return self._voice_id

    def learned(self, voice_id: str, voice: Voice) -> None:
        """Note the newest state of the voice that ``begin`` named; others are ignored."""
        if voice_id == self._voice_id:
            self._voice = voice

    async def find(self, voice_id: str) -> tuple[Voice, str]:
        """A voice to speak with, and its name; raises ``VoiceNotFound``."""
        if voice_id == self._voice_id and self._voice is not None:
            return self._voice, self._name
        stock = (await self._engine.stock_voices()).get(voice_id)
        if stock is not None:
            return stock, voice_id
        return await self._shelf.get(voice_id)

    async def keep(self, embedding: Embedding | None) -> None:
        """Put the learned voice on the shelf for the next minutes."""
        await self._put(self._name, embedding, saved=False)

    async def save(self, name: str, embedding: Embedding | None) -> str:
        """Keep the learned voice for good; its id.

        Raises:
            VoiceNotReady: nothing was learned in this session yet.
            PeerSentBadMessage: the name is empty or too long.
        """
        if not 0 < len(name.strip()) <= MAX_NAME_CHARS:
            raise PeerSentBadMessage(f"a name has 1 to {MAX_NAME_CHARS} characters")
        return await self._put(name.strip(), embedding, saved=True)

    async def _put(self, name: str, embedding: Embedding | None, saved: bool) -> str:
        if self._voice_id is None or self._voice is None:
            raise VoiceNotReady("no voice was learned in this session: send enrol.start first")
        learned = LearnedVoice(
            self._voice_id,
            name,
            self._voice,
            embedding,
            self._consent,
            self._session_id,
            saved,
        )
        await self._shelf.put(learned)
        self._name = name
        return self._voice_id

"""The voices of one session: the one being learned, those that were kept, those of the engine."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, replace
from typing import Protocol

from engines.api import Embedding, Voice
from voicepeer.core.errors import PeerSentBadMessage, VoiceNotReady
from voicepeer.core.speaking.order import DEFAULT_LANGUAGE
from voicepeer.openai_voices import stand_in
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
    quality: float | None
    """Of the speech, 0 to 1."""
    consent: str
    consented_s: float
    """Unix time."""
    speaker: str
    """Who consented, as far as it is known: the name they joined or enrolled with."""
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


@dataclass(frozen=True, slots=True)
class BegunVoice:
    """A voice that is being learned, and the consent for that."""

    voice_id: str
    name: str
    consent: str
    at_s: float


@dataclass(frozen=True, slots=True)
class KeptVoices:
    """What another session of the same client needs to know."""

    learned: LearnedVoice | None
    begun: BegunVoice | None


class SessionVoices:
    """Knows which voice is being learned and under which consent."""

    def __init__(
        self, engine: Engine, shelf: VoiceShelf, session_id: str, participant: str = ""
    ) -> None:
        self._engine = engine
        self._shelf = shelf
        self._session_id = session_id
        self._participant = participant
        self._learned: LearnedVoice | None = None
        self._begun: BegunVoice | None = None

    def kept(self) -> KeptVoices:
        """What was learned and agreed to so far."""
        return KeptVoices(self._learned, self._begun)

    def resume(self, kept: KeptVoices) -> None:
        """Go on with what another session of the same client knew."""
        self._learned, self._begun = kept.learned, kept.begun

    def begin(self, consent: str, name: str | None) -> str:
        """Note the consent to learn a new voice; the id that it will have.

        Raises:
            PeerSentBadMessage: the consent is empty, or a text is too long.
        """
        consent, name = consent.strip(), (name or "").strip()
        if not consent:
            raise PeerSentBadMessage(
                "enrol.start needs the speaker's consent: say who agrees to what in 'consent'"
            )
        if len(consent) > MAX_CONSENT_CHARS or len(name) > MAX_NAME_CHARS:
            raise PeerSentBadMessage(
                f"a consent has at most {MAX_CONSENT_CHARS} characters, a name {MAX_NAME_CHARS}"
            )
        self._learned = None
        self._begun = BegunVoice(
            secrets.token_hex(16), name or self._participant, consent, time.time()
        )
        return self._begun.voice_id

    async def learned(
        self, voice_id: str, voice: Voice, embedding: Embedding | None, quality: float
    ) -> None:
        """Keep the newest state of the voice that ``begin`` named; others are ignored."""
        begun = self._begun
        if begun is None or begun.voice_id != voice_id:
            return
        earlier = self._learned
        self._learned = LearnedVoice(
            voice_id=voice_id,
            name=earlier.name if earlier else begun.name,
            voice=voice,
            embedding=embedding,
            quality=quality,
            consent=begun.consent,
            consented_s=begun.at_s,
            speaker=begun.name,
            session_id=self._session_id,
            saved=earlier.saved if earlier else False,
        )
        await self._shelf.put(self._learned)

    async def find(self, voice_id: str) -> tuple[Voice, str]:
        """A voice to speak with, and its name; raises ``VoiceNotFound``."""
        if self._learned is not None and self._learned.voice_id == voice_id:
            return self._learned.voice, self._learned.name
        stock = await self._engine.stock_voices()
        if voice_id in stock:
            return stock[voice_id], voice_id
        named = stand_in(voice_id, DEFAULT_LANGUAGE, stock, self._engine.info)
        if named is not None:
            return stock[named], named
        return await self._shelf.get(voice_id)

    async def save(self, name: str) -> str:
        """Keep the learned voice for good; its id.

        Raises:
            VoiceNotReady: nothing was learned in this session yet.
            PeerSentBadMessage: the name is empty or too long.
        """
        name = name.strip()
        if not 0 < len(name) <= MAX_NAME_CHARS:
            raise PeerSentBadMessage(f"a name has 1 to {MAX_NAME_CHARS} characters")
        if self._learned is None:
            raise VoiceNotReady("no voice was learned in this session: send enrol.start first")
        saved = replace(self._learned, name=name, saved=True)
        await self._shelf.put(saved)
        self._learned = saved
        return saved.voice_id

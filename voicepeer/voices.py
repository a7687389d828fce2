"""The voices of one session: the one being learned, those that were kept, those of the engine."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from engines.api import Embedding, Reference, Voice
from voicepeer.core.errors import (
    ConsentNotFound,
    ConsentOfAnother,
    PeerSentBadMessage,
    VoiceNotFound,
    VoiceNotReady,
)
from voicepeer.core.listening.identity import same_speaker
from voicepeer.core.messages import EnrolStart
from voicepeer.core.mixture import mix_id, weights_of
from voicepeer.core.naming import MAX_NAME_CHARS, is_name
from voicepeer.core.speaking.order import DEFAULT_LANGUAGE
from voicepeer.openai_voices import stand_in
from voicepeer.ports import Engine
from voicepeer.voice_store import ConsentRecord

MAX_CONSENT_CHARS = 2_000

UNNAMED_SPEAKER = "whoever spoke in a call"
"""Who agreed, where they gave no name: a voice file without one would be refused."""


@dataclass(frozen=True, slots=True)
class LearnedVoice:
    """A voice that a session made, with the consent it was made under."""

    voice_id: str
    name: str
    voice: Voice
    embedding: Embedding | None
    quality: float | None
    """Of the speech, 0 to 1."""
    consent: ConsentRecord
    session_id: str
    saved: bool
    """Whether to keep it after the call; otherwise it is forgotten some minutes later."""
    reference: Reference | None = field(default=None, compare=False, repr=False)
    """The speech it was made from."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """A consent on record, and the embedding of whoever spoke it, if it was spoken."""

    record: ConsentRecord
    embedding: Embedding | None = None


@dataclass(frozen=True, slots=True)
class FoundVoice:
    """A voice to speak with, by the id that it is known by whatever it was asked for as."""

    voice_id: str
    voice: Voice
    name: str


class VoiceShelf(Protocol):
    """Where the voices and consents of one owner are kept between calls."""

    async def find(self, key: str) -> FoundVoice:
        """A voice by its id, or else by its name.

        Raises:
            VoiceNotFound: there is none.
            VoiceAmbiguous: the name belongs to several.
        """
        ...

    async def put(self, learned: LearnedVoice) -> None:
        """Keep a voice, replacing an earlier state of it.

        Raises:
            ConsentNotFound: its consent was withdrawn.
        """
        ...

    async def agreement(self, consent_id: str) -> Agreement:
        """A consent that was given before; raises ``ConsentNotFound``."""
        ...

    async def agree(self, statement: str, who: str, version: int) -> Agreement:
        """Put a consent on record that is given now, for the voice of this call."""
        ...


@dataclass(frozen=True, slots=True)
class BegunVoice:
    """A voice that is being learned, and the consent for that."""

    voice_id: str
    name: str
    agreement: Agreement


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
        self._before = KeptVoices(None, None)
        """What was learned before ``begin``, until there is anything newer."""
        self._found: set[str] = set()
        """Ids of saved voices that were spoken with."""

    def kept(self) -> KeptVoices:
        """What was learned and agreed to so far."""
        return KeptVoices(self._learned, self._begun)

    def resume(self, kept: KeptVoices) -> None:
        """Go on with what another session of the same client knew, unless a voice is begun here."""
        if self._begun is None:
            self._learned, self._begun = kept.learned, kept.begun

    async def begin(self, message: EnrolStart) -> str:
        """Put the consent to learn a new voice on record; the id that the voice will have.

        Raises:
            PeerSentBadMessage: there is no consent, or a text is too long.
            ConsentNotFound: there is none with this id.
        """
        statement, name = message.consent.strip(), (message.name or "").strip()
        if not statement and message.consent_id is None:
            raise PeerSentBadMessage(
                "enrol.start needs the speaker's consent: say who agrees to what in 'consent', "
                "or name one that is on record in 'consent_id'"
            )
        if len(statement) > MAX_CONSENT_CHARS or not is_name(name):
            raise PeerSentBadMessage(
                f"a consent has at most {MAX_CONSENT_CHARS} characters, a name {MAX_NAME_CHARS} "
                "that can be printed"
            )
        name = name or self._participant
        if message.consent_id is not None:
            agreement = await self._shelf.agreement(message.consent_id)
        else:
            who = name or UNNAMED_SPEAKER
            agreement = await self._shelf.agree(statement, who, message.consent_version)
        if self._learned is not None:
            self._before = KeptVoices(self._learned, self._begun)
        self._learned = None
        self._begun = BegunVoice(secrets.token_hex(16), name, agreement)
        return self._begun.voice_id

    def give_up(self) -> None:
        """Nothing more is learned: if nothing was, what was learned before can be saved again."""
        if self._learned is None and self._before.learned is not None:
            self._learned, self._begun = self._before.learned, self._before.begun

    async def learned(
        self,
        voice_id: str,
        voice: Voice,
        embedding: Embedding | None,
        quality: float,
        *,
        identity: Embedding | None,
        reference: Reference | None = None,
    ) -> None:
        """Keep the newest state of the voice that ``begin`` named; others are ignored.

        ``embedding`` is of its speech as it was heard, ``identity`` what is compared with that of
        a spoken consent.

        Raises:
            ConsentOfAnother: whoever is heard is not who consented; the voice is forgotten.
            ConsentNotFound: the consent was withdrawn; so it is then.
        """
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
            consent=begun.agreement.record,
            session_id=self._session_id,
            saved=earlier.saved if earlier else False,
            reference=reference,
        )
        try:
            _check_speaker(begun.agreement.embedding, identity)
            await self._shelf.put(self._learned)
        except (ConsentOfAnother, ConsentNotFound):
            self.forget(voice_id)
            raise
        self._before = KeptVoices(None, None)

    @property
    def begun_id(self) -> str | None:
        """Id of the voice that is learned, or was last."""
        return None if self._begun is None else self._begun.voice_id

    def learned_from(self, voice: Voice | None) -> Embedding | None:
        """The embedding of the speech that a voice was learned from here, in its newest state."""
        learned = self._learned
        return learned.embedding if learned is not None and learned.voice is voice else None

    def forget(self, voice_id: str) -> bool:
        """A voice was deleted; whether this session had anything to do with it."""
        known = voice_id in self._found
        self._found.discard(voice_id)
        if self._before.learned is not None and self._before.learned.voice_id == voice_id:
            self._before = KeptVoices(None, None)
            known = True
        if self.begun_id == voice_id:
            self._begun = self._learned = None
            known = True
        return known

    async def find(self, key: str) -> FoundVoice:
        """A voice to speak with, or a mix of some.

        Raises:
            VoiceNotFound: there is no such voice.
            VoiceAmbiguous: several saved voices have this name.
            PeerSentBadMessage: the id begins like that of a mix and is none.
        """
        weights = weights_of(key)
        if weights is None:
            return await self._find(key)
        found = [await self._find(part) for part in weights]
        shares: dict[str, float] = {}
        for one, weight in zip(found, weights.values(), strict=True):
            shares[one.voice_id] = shares.get(one.voice_id, 0.0) + weight
        if len(shares) == 1:
            return found[0]
        voices = [one.voice for one in found]
        mixed = await self._engine.mix(list(zip(voices, weights.values(), strict=True)))
        return FoundVoice(mix_id(shares), mixed, " + ".join(one.name for one in found))

    async def _find(self, key: str) -> FoundVoice:
        """The one that is learned, or one of the engine's by its own name; then one that was saved,
        and last what stands for a name of OpenAI's."""
        if self._learned is not None and self._learned.voice_id == key:
            return FoundVoice(key, self._learned.voice, self._learned.name)
        stock = await self._engine.stock_voices()
        if key in stock:
            return FoundVoice(key, stock[key], key)
        try:
            found = await self._shelf.find(key)
        except VoiceNotFound:
            named = stand_in(key, DEFAULT_LANGUAGE, stock, self._engine.info)
            if named is None:
                raise
            return FoundVoice(key, stock[named], named)
        self._found.add(found.voice_id)
        return found

    async def stand_ins(self) -> Callable[[str], Voice | None]:
        """What gives the engine's voice for a language tag, or else that of the usual one."""
        stock, info = await self._engine.stock_voices(), self._engine.info

        def stand_in(language: str) -> Voice | None:
            name = info.default_voice(language) or info.default_voice(DEFAULT_LANGUAGE)
            return None if name is None else stock.get(name)

        return stand_in

    async def save(self, name: str) -> str:
        """Keep the learned voice for good; its id.

        Raises:
            VoiceNotReady: nothing was learned in this session yet.
            PeerSentBadMessage: the name is empty or too long.
        """
        name = name.strip()
        if not name or not is_name(name):
            raise PeerSentBadMessage(
                f"a name has 1 to {MAX_NAME_CHARS} characters that can be printed"
            )
        if self._learned is None:
            raise VoiceNotReady("no voice was learned in this session: send enrol.start first")
        # Before the shelf is waited for, so that a state learned meanwhile has the name as well.
        before, saved = self._learned, replace(self._learned, name=name, saved=True)
        self._learned = saved
        try:
            await self._shelf.put(saved)
        except BaseException:
            if self._learned is saved:
                self._learned = before
            raise
        return saved.voice_id


def _check_speaker(consent: Embedding | None, heard: Embedding | None) -> None:
    if consent is not None and heard is not None and not same_speaker(consent, heard):
        raise ConsentOfAnother(
            "the microphone hears another person than the one who consented: record the consent "
            "of this speaker, with the same microphone if possible"
        )

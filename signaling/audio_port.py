"""What the HTTP endpoints of ``/v1/audio`` need of the service; the root implements it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from signaling.audio_messages import (
    ConsentDeleted,
    ConsentObject,
    ConsentStatement,
    ModelObject,
    SpeechRequest,
    VoiceObject,
)
from signaling.principal import Principal


class Refused(Exception):
    """Something cannot be done; the message is for the client, the rest for programs.

    ``param`` is the field that is at fault, ``retry_after_s`` when asking again may help.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        param: str | None = None,
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that somebody sent; ``name`` is only what messages call it."""

    name: str
    data: bytes


class SpokenAudio(Protocol):
    """A file of speech while it is being made; ``aclose`` has to be called in any case."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not done as it was asked for."""
        ...

    @property
    def extra_chars(self) -> int:
        """How much longer the text is as it is said, with its numbers in words, than as written."""
        ...

    @property
    def audio_ms(self) -> float:
        """Length of the speech so far."""
        ...

    def __aiter__(self) -> AsyncIterator[bytes]:
        """The bytes of the file as they come; raises ``Refused``."""
        ...

    async def aclose(self) -> None:
        """Make no more; harmless when it is over."""
        ...


class AudioService(Protocol):
    """Speech, voices and consents of whoever asks. Every call may raise ``Refused``.

    What belongs to others is as if it were not there (404).
    """

    async def models(self) -> list[ModelObject]:
        """All that can be asked for as ``model``."""
        ...

    async def speak(self, principal: Principal, request: SpeechRequest) -> SpokenAudio:
        """Begin to say a text."""
        ...

    async def voices(self, principal: Principal) -> list[VoiceObject]:
        """Own voices, the newest first, then those of the engine."""
        ...

    async def voice(self, principal: Principal, key: str) -> VoiceObject:
        """A voice by its id or name."""
        ...

    async def create_voice(
        self,
        principal: Principal,
        name: str,
        sample: Upload,
        consent_id: str,
        ttl_s: float | None = None,
        match_channel: bool | None = None,
    ) -> VoiceObject:
        """Clone a voice from a recording, under a consent that was given before; for ``ttl_s``.

        With ``match_channel`` it sounds like the recording; ``None`` is as the service is set up.
        """
        ...

    async def rename_voice(self, principal: Principal, key: str, name: str) -> VoiceObject:
        """Call a voice something else."""
        ...

    async def delete_voice(self, principal: Principal, key: str) -> str:
        """Remove a voice everywhere and at once; its id."""
        ...

    async def export_voice(self, principal: Principal, key: str) -> bytes:
        """A voice with its consent, as a file."""
        ...

    async def import_voice(self, principal: Principal, data: bytes) -> VoiceObject:
        """Take in what ``export_voice`` gave, under a new id."""
        ...

    async def consents(self, principal: Principal) -> list[ConsentObject]:
        """Own consents, the newest first."""
        ...

    async def consent(self, principal: Principal, consent_id: str) -> ConsentObject:
        """A consent."""
        ...

    async def record_consent(
        self, principal: Principal, statement: ConsentStatement
    ) -> ConsentObject:
        """Keep a consent that was given in writing."""
        ...

    async def record_spoken_consent(
        self, principal: Principal, name: str, language: str, recording: Upload
    ) -> ConsentObject:
        """Keep a consent that was spoken; the recording itself is not kept."""
        ...

    async def rename_consent(
        self, principal: Principal, consent_id: str, name: str
    ) -> ConsentObject:
        """Label a consent anew."""
        ...

    async def delete_consent(self, principal: Principal, consent_id: str) -> ConsentDeleted:
        """Withdraw a consent: the voices that were made under it are removed, too."""
        ...

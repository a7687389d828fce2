"""What Realtime events are about: sessions, items and responses, as far as they mean something."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

MODEL: Final = "voicepeer"
NO_MODEL: Final = (
    "This service has no language model: it says the texts that it is given, word for word."
)
"""What sessions show as their instructions, because any others are ignored."""

ItemStatus: TypeAlias = Literal["in_progress", "completed", "incomplete"]
ResponseStatus: TypeAlias = Literal["in_progress", "completed", "cancelled", "failed"]


class VoiceId(msgspec.Struct, frozen=True, kw_only=True):
    """The other way to name a voice."""

    id: str


class TurnDetection(msgspec.Struct, frozen=True, kw_only=True):
    """That the user's speech is listened for, and whether it interrupts."""

    type: str = "server_vad"
    interrupt_response: bool = True


class AudioInputPatch(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of what is heard; ``null`` turns the detection off."""

    turn_detection: TurnDetection | None | UnsetType = UNSET


class AudioOutputPatch(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of what is said."""

    voice: str | VoiceId | None = None
    speed: float | None = None

    @property
    def voice_id(self) -> str | None:
        """The voice, however it was named."""
        return self.voice.id if isinstance(self.voice, VoiceId) else self.voice


class AudioPatch(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of audio; what is absent stays."""

    input: AudioInputPatch = AudioInputPatch()
    output: AudioOutputPatch = AudioOutputPatch()


class SessionPatch(msgspec.Struct, frozen=True, kw_only=True):
    """Settings to be changed; what is absent stays."""

    type: str = "realtime"
    audio: AudioPatch = AudioPatch()
    instructions: str | None = None
    output_modalities: list[str] | None = None


class AudioInput(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of what is heard, as they are; without a detection nothing is listened for."""

    turn_detection: TurnDetection | None = None


class AudioOutput(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of what is said, as they are; without a voice one has to be learned or chosen."""

    voice: str | None = None
    speed: float | None = None


class Audio(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of audio, as they are."""

    input: AudioInput | None = None
    output: AudioOutput = AudioOutput()


class Session(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="realtime"):
    """All settings that are in effect."""

    id: str
    audio: Audio
    object: str = "realtime.session"
    model: str = MODEL
    output_modalities: tuple[str, ...] = ("audio",)
    instructions: str = NO_MODEL


class ContentPart(msgspec.Struct, frozen=True, kw_only=True):
    """Content of an item: ``input_text``, ``output_text`` or ``output_audio`` with a transcript.

    In the events about a part itself the types are ``audio`` and ``text``.
    """

    type: str
    text: str | None = None
    transcript: str | None = None


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """A ``message`` of a role, or an ``item_reference`` to one."""

    type: str = "message"
    id: str | None = None
    object: str | None = None
    role: str | None = None
    status: str | None = None
    content: list[ContentPart] = []


class ResponseError(msgspec.Struct, frozen=True, kw_only=True):
    """Why a response failed."""

    type: str
    code: str
    message: str


class StatusDetails(msgspec.Struct, frozen=True, kw_only=True):
    """More about how a response ended.

    A cancelled one has the ``reason`` ``client_cancelled``, or ``turn_detected`` where something
    else than this channel has silenced it: the user's speech, or a message on another channel.
    """

    type: ResponseStatus
    reason: str | None = None
    error: ResponseError | None = None


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """A text that is said, with the one item in which it is."""

    id: str
    status: ResponseStatus
    object: str = "realtime.response"
    status_details: StatusDetails | None = None
    output: list[Item] = []
    output_modalities: tuple[str, ...] = ("audio",)
    conversation_id: str | None = None
    metadata: dict[str, str] | None = None
    audio: Audio | None = None

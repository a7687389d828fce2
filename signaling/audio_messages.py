"""The schema of ``/v1/audio`` and ``/v1/models``: what OpenAI's API has, and what we add to it.

Pure. Fields that OpenAI's objects do not have are told of in their docstrings.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

AudioFormat: TypeAlias = Literal["mp3", "opus", "aac", "flac", "wav", "pcm"]

CONTENT_TYPES: dict[AudioFormat, str] = {
    "mp3": "audio/mpeg",
    "opus": "audio/ogg",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "pcm": "audio/pcm",
}

MAX_NAME_CHARS = 100
NAME_PATTERN = r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+$(?!\n)"
"""Without what steers a terminal or turns the direction of what stands beside it."""

Name: TypeAlias = Annotated[
    str, Meta(min_length=1, max_length=MAX_NAME_CHARS, pattern=NAME_PATTERN)
]
NAME_SCHEMA: dict[str, Any] = {
    "type": "string",
    "minLength": 1,
    "maxLength": MAX_NAME_CHARS,
    "pattern": NAME_PATTERN,
}
"""The same for a form."""

Key: TypeAlias = Annotated[str, Meta(min_length=1, max_length=1000)]
"""An id or a name, or a mix of them: ``mix:a=0.6,b=0.4``."""

LanguageTag: TypeAlias = Annotated[
    str, Meta(min_length=2, max_length=35, pattern="^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$")
]
"""BCP 47, such as ``en-US``."""


class _Message(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all; unknown fields are ignored, as other services have more of them."""


class VoiceRef(_Message, frozen=True):
    """A voice by its id."""

    id: Key


class SpeechRequest(_Message, frozen=True):
    """A text and how to say it.

    ``voice`` is an id or a name: one of your own, of the engine's, or one of OpenAI's, which
    stand for voices of the engine. A ``speed`` beyond what the engine can do becomes the nearest
    that it can. Of ``instructions`` an emotion in English words is followed. What was not done as
    asked is told in the header ``VoicePeer-Notes``. ``language`` is ours: a tag, or ``auto``.
    """

    input: Annotated[str, Meta(min_length=1)]
    voice: Key | VoiceRef
    model: Annotated[str, Meta(max_length=100)] = "tts-1"
    response_format: AudioFormat = "mp3"
    speed: Annotated[float, Meta(ge=0.25, le=4.0)] = 1.0
    instructions: Annotated[str, Meta(max_length=4096)] = ""
    stream_format: Literal["audio", "sse"] = "audio"
    language: LanguageTag = "auto"

    @property
    def voice_key(self) -> str:
        """Id or name of the voice."""
        return self.voice.id if isinstance(self.voice, VoiceRef) else self.voice


class SpeechDelta(_Message, frozen=True, tag_field="type", tag="speech.audio.delta"):
    """The next bytes of the file, in base64."""

    audio: str


class SpeechUsage(_Message, frozen=True):
    """Nothing is counted in tokens here: characters of text, and 50 ms of speech each."""

    input_tokens: int
    output_tokens: int
    total_tokens: int


class SpeechDone(_Message, frozen=True, tag_field="type", tag="speech.audio.done"):
    """The file is complete."""

    usage: SpeechUsage


SpeechEvent: TypeAlias = SpeechDelta | SpeechDone


class VoiceObject(_Message, frozen=True, omit_defaults=True):
    """A voice, without the voice itself.

    All from ``consent`` on is ours: the id of the consent, what the recording was like, what its
    speaker should know (``warnings``), and when the voice is forgotten (Unix time).
    """

    id: str
    created_at: int
    name: str
    type: Literal["audio_sample", "stock"]
    object: Literal["audio.voice"]
    consent: str | None = None
    quality: float | None = None
    warnings: list[str] = []
    expires_at: int | None = None


class VoiceList(_Message, frozen=True):
    """A page of voices: the caller's own, the newest first, then those of the engine."""

    data: list[VoiceObject]
    has_more: bool
    first_id: str | None = None
    last_id: str | None = None
    object: Literal["list"] = "list"


class VoiceUpdate(_Message, frozen=True):
    """A new name."""

    name: Name


class VoiceDeleted(_Message, frozen=True):
    """A voice is gone, with its consent and its embedding."""

    id: str
    deleted: bool = True
    object: Literal["audio.voice.deleted"] = "audio.voice.deleted"


class ConsentStatement(_Message, frozen=True):
    """A consent that was given in writing.

    ``name`` is the speaker who agrees, ``version`` that of the wording they were shown.
    """

    name: Name
    statement: Annotated[str, Meta(min_length=10, max_length=2000)]
    language: LanguageTag = "en-US"
    version: Annotated[int, Meta(ge=1, le=1_000_000)] = 1


class ConsentObject(_Message, frozen=True, omit_defaults=True):
    """A consent. All from ``kind`` on is ours.

    ``words_checked`` says whether the phrase was heard in a recording; it is absent where nothing
    could listen to words.
    """

    id: str
    created_at: int
    language: str
    name: str
    object: Literal["audio.voice_consent"]
    kind: Literal["statement", "recording", "live", "clone", "import"] = "statement"
    statement: str = ""
    version: int = 0
    words_checked: bool | None = None


class ConsentList(_Message, frozen=True):
    """A page of consents, the newest first."""

    data: list[ConsentObject]
    has_more: bool
    first_id: str | None = None
    last_id: str | None = None
    object: Literal["list"] = "list"


class ConsentUpdate(_Message, frozen=True):
    """A new label."""

    name: Name


class ConsentDeleted(_Message, frozen=True):
    """A consent is withdrawn; ``voices_deleted`` (ours) were made under it and are gone, too."""

    id: str
    voices_deleted: list[str] = []
    deleted: bool = True
    object: Literal["audio.voice_consent"] = "audio.voice_consent"


class ModelObject(_Message, frozen=True):
    """A model that texts can be said with."""

    id: str
    created: int
    owned_by: str
    object: Literal["model"] = "model"


class ModelList(_Message, frozen=True):
    """All models."""

    data: list[ModelObject]
    object: Literal["list"] = "list"

"""The engine seam: protocols and frozen records that every model is wrapped in.

Calls block, state is explicit, work can be cancelled between chunks and capabilities are data.
Nothing here may import anything of ours, an event loop or a model runtime.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Pcm: TypeAlias = NDArray[np.float32]
"""Mono samples, shape ``[n]``, full scale at ±1.0."""

Embedding: TypeAlias = NDArray[np.float32]
"""A speaker embedding, shape ``[d]``, unit length."""

CHUNK_MS = 80
VOICE_FORMAT = 1
MAX_VOICE_BYTES = 16 * 1024 * 1024
_HEAD = "_head"


class EngineError(Exception):
    """An engine could not do what was asked; the message says what to do about it."""

    retryable = False


class ModelFilesMissing(EngineError):
    """Weights are not installed or not where the configuration says."""


class ModelFilesCorrupt(EngineError):
    """Weights are there but their checksum or structure is wrong."""


class LanguageUnsupported(EngineError):
    """The engine has no pronunciation for the language that was asked for."""


class PhonemesUnsupported(EngineError):
    """A pronunciation that was given has symbols that the engine cannot say."""


class ReferenceRejected(EngineError):
    """A reference recording cannot be cloned from; the message says why."""


class VoiceIncompatible(EngineError):
    """A saved voice belongs to another engine or to another version of this one."""


class EngineCrashed(EngineError):
    """The process that ran the engine ended; it is restarted, this request is lost."""

    retryable = True


class EngineBusy(EngineError):
    """As much is spoken at once as the configuration allows; later there is room again."""

    retryable = True


@dataclass(frozen=True, slots=True)
class ControlRanges:
    """What of an utterance can be steered, as inclusive ranges; ``None`` means not at all."""

    speed: tuple[float, float] | None = None
    pitch_semitones: tuple[float, float] | None = None
    energy: tuple[float, float] | None = None
    emotions: frozenset[str] = frozenset()
    pitch_range: tuple[float, float] | None = None
    pitch_slope_semitones: tuple[float, float] | None = None
    whisper: tuple[float, float] | None = None
    pauses: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """What an engine is and can do."""

    name: str
    version: str
    sample_rate_hz: int
    languages: frozenset[str]
    min_reference_s: float
    controls: ControlRanges
    streaming: bool
    word_times: bool
    licence: str
    encoder: str | None = None
    """Name of the speaker encoder whose embedding ``enrol`` needs in the reference."""
    provider: str = "cpu"
    precision: str = "fp32"
    ipa: bool = False
    """Whether pronunciations can be given with a segment."""
    default_voices: Mapping[str, str] = field(default_factory=dict)
    """The stock voice that suits each language best, by its tag."""
    voice_aliases: Mapping[str, str] = field(default_factory=dict)
    """Stock voices by names that are usual elsewhere: those of OpenAI's speech API."""
    first_chunk_ms: float = 0.0
    """What the first chunk of a short sentence took when the engine was warm and had nothing else
    to do, on the machine that it runs on; 0 where that was not measured."""

    def default_voice(self, language: str) -> str | None:
        """Name of the stock voice for a language tag, or for another region of its language."""
        primary = language.lower().partition("-")[0]
        regions = (tag for tag in self.default_voices if tag.partition("-")[0] == primary)
        found = language.lower() if language.lower() in self.default_voices else next(regions, "")
        return self.default_voices.get(found)


@dataclass(frozen=True, slots=True)
class Controls:
    """How an utterance is to be spoken; the defaults are the voice as it was heard."""

    speed: float = 1.0
    pitch_semitones: float = 0.0
    energy: float = 1.0
    """Factor on the amplitude."""
    pitch_range: float = 1.0
    """Factor on how far the melody moves around its middle, in semitones."""
    pitch_slope_semitones: float = 0.0
    """How much the melody rises from the first to the last sound of a clause, or falls."""
    whisper: float = 0.0
    """How much of the voicing is breath, 0 to 1."""
    pauses: float = 1.0
    """Factor on the silence between clauses and sentences, on top of the speed."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Speech of one person to clone from.

    ``pcm`` is mono speech at ``sample_rate_hz`` with silence already removed. ``embedding`` is
    given when ``EngineInfo.encoder`` asks for one. With ``match_channel`` the voice is to sound
    like the recording, its line and microphone included; engines that cannot do that refuse.
    """

    pcm: Pcm
    sample_rate_hz: int
    embedding: Embedding | None = None
    match_channel: bool = False


@dataclass(frozen=True, slots=True)
class Voice:
    """What an engine needs to speak as one person: opaque, small, saveable.

    Only the engine that made it reads ``arrays``; others carry it as bytes.
    """

    engine: str
    engine_version: str
    arrays: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """Serialize as an uncompressed ``.npz``; the same voice always gives the same bytes."""
        head = {"format": VOICE_FORMAT, "engine": self.engine, "version": self.engine_version}
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
            _write_array(archive, _HEAD, np.frombuffer(json.dumps(head).encode(), dtype=np.uint8))
            for name in sorted(self.arrays):
                _write_array(archive, name, np.asarray(self.arrays[name], dtype=np.float32))
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Voice:
        """Read what ``to_bytes`` wrote.

        A voice file may come from a stranger: nothing is unpickled or decompressed, and no more
        memory is taken than ``data`` itself has.

        Raises:
            VoiceIncompatible: the bytes are no voice, damaged, or of another format.
        """
        if len(data) > MAX_VOICE_BYTES:
            raise VoiceIncompatible(
                f"a voice file has at most {MAX_VOICE_BYTES} bytes, this one has {len(data)}"
            )
        try:
            return cls._read(data)
        except VoiceIncompatible:
            raise
        except Exception as error:
            raise VoiceIncompatible("this is not a voice file made by voicepeer") from error

    @classmethod
    def _read(cls, data: bytes) -> Voice:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            arrays = dict(_read_array(archive, entry) for entry in archive.infolist())
        head = json.loads(arrays.pop(_HEAD).tobytes())
        if head["format"] != VOICE_FORMAT:
            raise VoiceIncompatible(
                f"this voice file has format {head['format']}, this version reads "
                f"{VOICE_FORMAT}: update voicepeer"
            )
        if not all(a.dtype == np.float32 and np.isfinite(a).all() for a in arrays.values()):
            raise VoiceIncompatible("this voice file is damaged: it holds what are no numbers")
        return cls(str(head["engine"]), str(head["version"]), arrays)


def _write_array(archive: zipfile.ZipFile, name: str, array: NDArray[Any]) -> None:
    entry = zipfile.ZipInfo(f"{name}.npy")  # with zip's zero date: bytes must not depend on when
    with archive.open(entry, "w") as member:
        np.lib.format.write_array(member, np.asarray(array, order="C"), allow_pickle=False)


def _read_array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> tuple[str, NDArray[Any]]:
    """One array, without the allocation of whatever size its header claims."""
    if entry.compress_type != zipfile.ZIP_STORED:
        raise ValueError("voice files are not compressed")
    raw = archive.read(entry)
    member = io.BytesIO(raw)
    if np.lib.format.read_magic(member) != (1, 0):
        raise ValueError("not an array of a voice file")
    shape, fortran_order, dtype = np.lib.format.read_array_header_1_0(member)
    if fortran_order or dtype not in (np.dtype(np.float32), np.dtype(np.uint8)):
        raise ValueError("not an array of a voice file")
    values = np.frombuffer(raw, dtype, offset=member.tell())
    return entry.filename.removesuffix(".npy"), values.reshape(shape).copy()


@dataclass(frozen=True, slots=True)
class LanguageSpan:
    """``text[char_start:char_end]`` of a segment is in another language than the rest."""

    char_start: int
    char_end: int
    language: str


@dataclass(frozen=True, slots=True)
class Pronunciation:
    """How ``text[char_start:char_end]`` of a segment sounds, in the alphabet of the IPA."""

    char_start: int
    char_end: int
    ipa: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of an utterance that is synthesized in one go.

    ``text`` is the spoken form (numbers are already words). ``first`` and ``last`` tell the
    engine where an utterance begins and ends, so that it can trim silence there. ``languages``
    and ``pronunciations`` are in order and do not overlap among themselves; engines whose
    ``EngineInfo.ipa`` is false are given no pronunciations.
    """

    text: str
    language: str = "en-us"
    first: bool = True
    last: bool = True
    languages: tuple[LanguageSpan, ...] = ()
    pronunciations: tuple[Pronunciation, ...] = ()


@dataclass(frozen=True, slots=True)
class WordMark:
    """When a word is heard, in milliseconds from the first sample of its segment.

    ``char_start`` and ``char_end`` are offsets into the segment's text.
    """

    text: str
    start_ms: float
    end_ms: float
    char_start: int
    char_end: int


@dataclass(frozen=True, slots=True)
class PhoneMark:
    """When a sound is heard, in milliseconds from the first sample of its segment."""

    ipa: str
    start_ms: float
    end_ms: float


@dataclass(frozen=True, slots=True)
class Chunk:
    """At most ``CHUNK_MS`` of speech at the engine's rate; only the last one is shorter."""

    pcm: Pcm
    marks: tuple[WordMark, ...] = ()
    """Words that begin within this chunk."""
    phones: tuple[PhoneMark, ...] = ()
    """Sounds that begin within this chunk, from engines that know them."""
    front_ms: float = 0.0
    """Of a segment's first chunk: work on all of the segment before any of it could be decoded."""
    made_ms: float = 0.0
    """Work on this chunk, that on the segment included; whoever runs the engine measures it."""


class StopFlag(Protocol):
    """Tells an engine to give up; ``threading.Event`` is one."""

    def is_set(self) -> bool:
        """Whether the work should end before the next chunk."""
        ...


class SpeechEngine(Protocol):
    """Text and a voice in, speech out.

    Several ``speak`` iterators are stepped in turn by one thread; ``enrol`` and
    ``stock_voices`` may run in another thread meanwhile.
    """

    @property
    def info(self) -> EngineInfo:
        """Capabilities, constant for the life of the engine."""
        ...

    def stock_voices(self) -> Mapping[str, Voice]:
        """Voices that come with the engine, by name; may be empty."""
        ...

    def enrol(self, reference: Reference) -> Voice:
        """Make a voice from a reference.

        Raises:
            ReferenceRejected: too short, silent, or without the embedding it needs.
        """
        ...

    def speak(
        self, segment: Segment, voice: Voice, controls: Controls, stop: StopFlag
    ) -> Iterator[Chunk]:
        """Yield the segment's speech in chunks of exactly ``CHUNK_MS`` but the last.

        A segment with nothing to say yields nothing. Ends early once ``stop`` is set.

        Raises:
            LanguageUnsupported: names the languages that the engine speaks.
            PhonemesUnsupported: names the symbol that the engine cannot say.
            VoiceIncompatible: the voice is not one of this engine's.
        """
        ...


@runtime_checkable
class PreparesVoices(Protocol):
    """What a speech engine may do besides: spare a voice a measurement when it first speaks."""

    def prepared(self, voice: Voice) -> Voice:
        """The same voice, bringing what the engine would else measure; takes about a second.

        Raises:
            VoiceIncompatible: the voice is not one of this engine's.
        """
        ...


@runtime_checkable
class ForgetsVoices(Protocol):
    """What a speech engine that keeps something of voices in memory has to do besides."""

    def forget(self, voice: Voice) -> None:
        """Drop all that is kept of a voice that was deleted; what it is saying may end.

        Raises:
            VoiceIncompatible: the voice is not one of this engine's.
        """
        ...


@runtime_checkable
class RefinesVoices(Protocol):
    """What a speech engine may do besides: make a voice better while there is nothing to say."""

    def refine(
        self, voice: Voice, reference: Reference, encoder: SpeakerEncoder
    ) -> Iterator[Voice | None]:
        """Look for voices that are more like the speaker than ``voice``, which it made.

        Yields a voice when it is more like the speaker than all before, judged by speech that the
        search did not see, and ``None`` after every other half second of work or so, for whoever
        iterates to pause or to leave. Ends when more work would bring nothing.

        Raises:
            ReferenceRejected: too short or silent.
            VoiceIncompatible: the voice is not one of this engine's.
        """
        ...


class SpeakerEncoder(Protocol):
    """Speech in, speaker embedding out."""

    name: str
    sample_rate_hz: int
    window_samples: int
    """Length of one partial window."""

    def embed(self, pcm: Pcm) -> Embedding:
        """Embedding of speech of any length: the normalised mean of its partial windows."""
        ...

    def embed_window(self, pcm: Pcm) -> Embedding:
        """Embedding of exactly one window of ``window_samples``."""
        ...


VadMemory: TypeAlias = NDArray[np.float32]


class VoiceActivityModel(Protocol):
    """Scores short windows for the presence of speech; state is the caller's."""

    sample_rate_hz: int
    window_samples: int

    def memory(self) -> VadMemory:
        """State for a new stream."""
        ...

    def score(self, window: Pcm, memory: VadMemory) -> tuple[float, VadMemory]:
        """Probability of speech in one window of ``window_samples``, and the next state."""
        ...

"""What the host and its worker processes say to each other, and how it becomes bytes.

A frame is a 32-bit little-endian length and one msgpack message. Arrays travel as their raw
bytes; nothing is pickled, and a message that does not fit its type is refused.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

import msgspec
import numpy as np

import engines.api
from engines.api import (
    Chunk,
    Controls,
    Embedding,
    EngineError,
    EngineInfo,
    Pcm,
    Reference,
    Segment,
    VadMemory,
    Voice,
)

Role: TypeAlias = Literal["speech", "listening"]

MAX_FRAME_BYTES = 256 * 1024 * 1024
"""Ten minutes of 48 kHz reference speech are 115 MB; more is a broken stream, not a message."""

_LENGTH = struct.Struct("<I")


class Load(msgspec.Struct, frozen=True, tag=True):
    """First message to a worker: what to load and how to run."""

    role: Role
    speech: str
    encoder: str
    vad: str
    options: Mapping[str, str]
    nice: int


class Speak(msgspec.Struct, frozen=True, tag=True):
    """Start a stream; ``credit`` chunks may be sent before more is granted.

    ``in_hand_s`` is what the listener still has to hear of what it goes on with, if it does.
    """

    id: int
    segment: Segment
    voice: Voice
    controls: Controls
    credit: int
    in_hand_s: float | None = None


class Credit(msgspec.Struct, frozen=True, tag=True):
    """The listener took ``chunks`` of a stream: as many more may be sent."""

    id: int
    chunks: int


class Cancel(msgspec.Struct, frozen=True, tag=True):
    """Stop a stream before its next chunk; ``Ended`` confirms it."""

    id: int


class Enrol(msgspec.Struct, frozen=True, tag=True):
    """Make a voice; answered by ``Made``. One that is not ``urgent`` lets all others go first."""

    id: int
    reference: Reference
    urgent: bool = True


class Mix(msgspec.Struct, frozen=True, tag=True):
    """Make one voice of several, by weights over 0; answered by ``Made``."""

    id: int
    parts: list[tuple[Voice, float]]


class Refine(msgspec.Struct, frozen=True, tag=True):
    """Make a voice better, with at most ``budget_s`` of work while nothing else is to be done.

    Answered by ``Refined`` for each better voice, then ``Ended``; ``Cancel`` ends it before.
    """

    id: int
    voice: Voice
    reference: Reference
    budget_s: float


class Forget(msgspec.Struct, frozen=True, tag=True):
    """Drop what is kept of a voice in memory; answered by ``Forgotten``."""

    id: int
    voice: Voice


class ListVoices(msgspec.Struct, frozen=True, tag=True):
    """Ask for the voices that come with the engine; answered by ``Voices``."""

    id: int


class Embed(msgspec.Struct, frozen=True, tag=True):
    """Embed speech of any length, or exactly one ``window``; answered by ``Embedded``."""

    id: int
    pcm: Pcm
    window: bool


class Score(msgspec.Struct, frozen=True, tag=True):
    """Score windows that follow each other, from ``memory`` or from a new stream's."""

    id: int
    windows: Pcm
    memory: VadMemory | None


class Loaded(msgspec.Struct, frozen=True, tag=True):
    """The models of a worker are warm; fields of the other role are empty."""

    info: EngineInfo | None = None
    encoder: str = ""
    encoder_rate_hz: int = 0
    encoder_window_samples: int = 0
    vad_rate_hz: int = 0
    vad_window_samples: int = 0


class Spoken(msgspec.Struct, frozen=True, tag=True):
    """The next chunk of a stream."""

    id: int
    chunk: Chunk


class Ended(msgspec.Struct, frozen=True, tag=True):
    """Nothing more comes from a stream."""

    id: int


class Made(msgspec.Struct, frozen=True, tag=True):
    """The voice that was asked for."""

    id: int
    voice: Voice


class Refined(msgspec.Struct, frozen=True, tag=True):
    """A better voice; more may come."""

    id: int
    voice: Voice


class Forgotten(msgspec.Struct, frozen=True, tag=True):
    """Nothing is kept of the voice any more."""

    id: int


class Voices(msgspec.Struct, frozen=True, tag=True):
    """The engine's own voices by name."""

    id: int
    voices: Mapping[str, Voice]


class Embedded(msgspec.Struct, frozen=True, tag=True):
    """The embedding that was asked for."""

    id: int
    embedding: Embedding


class Scored(msgspec.Struct, frozen=True, tag=True):
    """Probabilities of speech, one a window, and the state after the last."""

    id: int
    probabilities: list[float]
    memory: VadMemory


class Failed(msgspec.Struct, frozen=True, tag=True):
    """A request, a stream or (id 0) the loading failed with an error of ``engines.api``."""

    id: int
    kind: str
    message: str


Request: TypeAlias = Enrol | Mix | Forget | ListVoices | Embed | Score
ToWorker: TypeAlias = Load | Speak | Refine | Credit | Cancel | Request
Reply: TypeAlias = Made | Forgotten | Voices | Embedded | Scored
ToHost: TypeAlias = Loaded | Spoken | Refined | Ended | Reply | Failed


def failure(id: int, error: Exception) -> Failed:
    """``error`` as a message.

    Its type becomes the nearest one that ``engines.api`` defines. The text of an exception that
    is none of ours may quote what was to be said, so it stays behind.
    """
    if not isinstance(error, EngineError):
        name = type(error).__name__
        return Failed(id, EngineError.__name__, f"the engine failed ({name}): see the log")
    known = (kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "engines.api")
    return Failed(id, next(known), str(error))


def raised(failed: Failed) -> EngineError:
    """The error that ``failure`` was made of."""
    kind = getattr(engines.api, failed.kind, EngineError)
    return EngineError(failed.message) if not _is_error(kind) else kind(failed.message)


def _is_error(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, EngineError)


def _pack_numpy(value: object) -> object:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot cross to another process")


def _unpack_numpy(_kind: type, value: Any) -> np.ndarray[Any, Any]:  # noqa: ANN401
    dtype, shape, data = value
    # Copied, because a view of the message would be read-only and keep the message alive.
    return np.frombuffer(data, dtype=dtype).reshape(shape).copy()


_encoder = msgspec.msgpack.Encoder(enc_hook=_pack_numpy)
_to_worker = msgspec.msgpack.Decoder(ToWorker, dec_hook=_unpack_numpy)
_to_host = msgspec.msgpack.Decoder(ToHost, dec_hook=_unpack_numpy)


def pack(message: ToWorker | ToHost) -> bytes:
    """``message`` as one frame."""
    return framed(_encoder.encode(message))


def framed(body: bytes) -> bytes:
    """The body of a message, of whatever language, as one frame."""
    return _LENGTH.pack(len(body)) + body


class FrameBuffer:
    """Cuts a byte stream back into message bodies."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def push(self, data: bytes) -> Iterator[bytes]:
        """Add bytes and take every body that is complete now.

        Raises:
            ValueError: a length beyond ``MAX_FRAME_BYTES``.
        """
        self._bytes += data
        while len(self._bytes) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._bytes)
            if length > MAX_FRAME_BYTES:
                raise ValueError(f"a frame of {length} bytes is no frame")
            end = _LENGTH.size + length
            if len(self._bytes) < end:
                return
            yield bytes(memoryview(self._bytes)[_LENGTH.size : end])
            del self._bytes[:end]


def unpack_to_worker(body: bytes) -> ToWorker:
    """A message from the host; raises ``msgspec.DecodeError`` or ``ValueError`` on a bad one."""
    return _to_worker.decode(body)


def unpack_to_host(body: bytes) -> ToHost:
    """A message from a worker; raises ``msgspec.DecodeError`` or ``ValueError`` on a bad one."""
    return _to_host.decode(body)

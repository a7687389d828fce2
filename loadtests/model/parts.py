"""What was measured of a service's parts, as ``python -m loadtests parts --json`` prints it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from engines.api import CHUNK_MS
from loadtests.figures_report import read_figures
from voicepeer.core.errors import VoicePeerError


class MeasuringFailed(VoicePeerError):
    """A part could not be measured; the message says why."""

    code = "measuring_failed"


_Ms: TypeAlias = Annotated[float, Meta(ge=0.0)]


class Said(msgspec.Struct, frozen=True):
    """One piece of a text, said once by an engine that had nothing else to do."""

    front_ms: float
    """Work on all of the piece before any of it could be decoded."""
    made_ms: Annotated[tuple[_Ms, ...], Meta(min_length=1)]
    """Work on each chunk in order, the front in the first."""
    last_ms: _Ms
    """How long the last chunk sounds; the others sound ``CHUNK_MS``."""

    @property
    def audio_ms(self) -> float:
        """How long the piece sounds."""
        return CHUNK_MS * (len(self.made_ms) - 1) + self.last_ms

    @property
    def work_ms(self) -> float:
        """What it took the engine in all."""
        return sum(self.made_ms)


_Times: TypeAlias = Annotated[tuple[Said, ...], Meta(min_length=1)]
_Pieces: TypeAlias = Annotated[tuple[_Times, ...], Meta(min_length=1)]


class Text(msgspec.Struct, frozen=True):
    """A text by its pieces, each said a few times."""

    words: int
    pieces: _Pieces
    """As the service cuts it when it has little to do."""
    early_pieces: _Pieces
    """As it cuts it when it has too much to do: with a shorter first piece."""

    @property
    def audio_ms(self) -> float:
        """How long it sounds, in the mean over the times it was said."""
        return sum(sum(one.audio_ms for one in said) / len(said) for said in self.pieces)


class EngineParts(msgspec.Struct, frozen=True):
    """The speech engine, in its own process as the service runs it."""

    engine: str
    provider: str
    precision: str
    rate_hz: Annotated[int, Meta(ge=8_000)]
    first_chunk_ms: float
    """What the engine itself found when it was loaded."""
    cores: float
    """Processor time by time of work: how many cores a step takes."""
    rss_mb: float
    texts: Annotated[tuple[Text, ...], Meta(min_length=1)]
    sentence: tuple[Said, ...] = ()
    """The ten words of `voicepeer bench engine`, in one go, each time that they were said."""

    @property
    def real_time_factor(self) -> float:
        """Time to make all of the speech by its length."""
        said = [one for text in self.texts for piece in text.pieces for one in piece]
        return sum(one.work_ms for one in said) / sum(one.audio_ms for one in said)


class MediaParts(msgspec.Struct, frozen=True):
    """Processor time of a session, in milliseconds a second."""

    idle_ms: float
    """Of the service with its workers while there is no session at all."""
    silent_ms: float
    """In the service's own process, while a session is connected and silent both ways."""
    heard_ms: float
    """More, while the caller speaks and nobody learns the voice."""
    speaking_ms: float
    """More, while the caller is spoken to: to take chunks, to encode and to send them."""
    listening_ms: float
    """In the process of voice activity and speaker encoder, while the caller speaks."""
    session_mb: float
    """Memory of the service's process that a session takes."""
    service_mb: float
    """Memory of the service and its workers with no session."""


class EnrolParts(msgspec.Struct, frozen=True):
    """One voice learned from a recording."""

    cpu_s: float
    """Processor time of the whole service, from the first speech to the ready voice."""
    clone_ms: float
    """From the last needed sample to the ready voice."""


class Parts(msgspec.Struct, frozen=True):
    """All that the model is fed with."""

    cores: Annotated[int, Meta(ge=1)]
    """Of the machine that it was measured on."""
    engine: EngineParts
    media: MediaParts
    enrolment: EnrolParts
    single_first_audible_ms: tuple[float, ...]
    """Of one caller alone, by the client: text sent to first audible sample received."""


def read_parts(path: Path) -> Parts:
    """Read a report of the parts, alone or as ``python -m loadtests record`` keeps it.

    Raises:
        ConfigInvalid: there is no such file, or it is none.
    """
    return read_figures(path, Parts)

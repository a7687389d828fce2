"""What a session needs of its surroundings, as narrow protocols that the root fills."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Protocol

from engines.api import (
    Chunk,
    Controls,
    Embedding,
    EngineInfo,
    Pcm,
    Reference,
    Segment,
    VadMemory,
    Voice,
)
from voicepeer.core.adaptation import LinkFigures
from voicepeer.core.speaking.beginning import Beginning


class ChunkStream(Protocol):
    """Speech of one segment as it is made; ``engines.host`` implements it."""

    def __aiter__(self) -> AsyncIterator[Chunk]:
        """The chunks in order; raises ``EngineError`` where the engine fails."""
        ...

    def cancel(self) -> None:
        """Stop making speech, without waiting; iterating further ends. Harmless when over."""
        ...


class VoiceStream(Protocol):
    """Voices of a refinement as they are found; ``engines.host`` implements it."""

    def __aiter__(self) -> AsyncIterator[Voice]:
        """Voices, each better than the one before; raises ``EngineError`` on a failure."""
        ...

    def cancel(self) -> None:
        """Look for no more, without waiting; iterating further ends. Harmless when over."""
        ...


class Engine(Protocol):
    """Speech engine, speaker encoder and voice activity model, as ``engines.host`` runs them.

    Every call may raise ``EngineError``.
    """

    @property
    def info(self) -> EngineInfo:
        """What the speech engine can do."""
        ...

    @property
    def encoder_window_samples(self) -> int:
        """Length at 16 kHz of what ``embed_window`` takes."""
        ...

    @property
    def vad_window_samples(self) -> int:
        """Length at 16 kHz of each window that ``score`` takes."""
        ...

    def speak(
        self, segment: Segment, voice: Voice, controls: Controls, in_hand_s: float | None = None
    ) -> ChunkStream:
        """Begin to say a segment; several may run at once, up to a limit (``EngineBusy``).

        With ``in_hand_s`` it goes on with what is heard already, of which there is so much left.
        """
        ...

    async def enrol(self, reference: Reference, *, urgent: bool = True) -> Voice:
        """Make a voice; raises ``ReferenceRejected`` or another ``EngineError``.

        One that is not ``urgent`` waits for all that are, and for speech.
        """
        ...

    async def forget(self, voice: Voice) -> None:
        """Have nothing of a deleted voice in memory."""
        ...

    async def embed(self, pcm: Pcm) -> Embedding:
        """Speaker embedding of speech of any length, at 16 kHz."""
        ...

    async def mix(self, parts: Sequence[tuple[Voice, float]]) -> Voice:
        """One voice of several, by weights over 0; takes a second or two."""
        ...

    def refine(self, voice: Voice, reference: Reference, budget_s: float) -> VoiceStream:
        """Begin to make a voice better, with so much work while nobody speaks."""
        ...

    async def embed_window(self, pcm: Pcm) -> Embedding:
        """Speaker embedding of one window."""
        ...

    async def score(self, windows: Pcm, memory: VadMemory | None) -> tuple[list[float], VadMemory]:
        """Speech probability of each window in ``windows``, and the memory for the next call."""
        ...

    async def stock_voices(self) -> Mapping[str, Voice]:
        """Voices that come with the engine, by name."""
        ...


class SessionObserver(Protocol):
    """Counts what happens in sessions; every call must be quick and must not raise."""

    def session_opened(self) -> None:
        """A session exists."""
        ...

    def session_closed(self, reason: str) -> None:
        """A session has ended; the reason is one of a few fixed words."""
        ...

    def voice_usable(self, elapsed_ms: float) -> None:
        """A voice can be spoken with, so long after its first speech was heard."""
        ...

    def voice_ready(self, elapsed_ms: float, clone_ms: float) -> None:
        """A voice is complete; ``clone_ms`` from its last needed sample."""
        ...

    def voice_rejected(self, reason: str) -> None:
        """A microphone gave nothing to clone from; the reason is one of a few fixed words."""
        ...

    def voice_scored(self, score: float) -> None:
        """How much at one the windows are that a voice was just made from, 0 to 1."""
        ...

    def embedded(self, took_ms: float) -> None:
        """A window of a microphone was embedded, with the wait for others."""
        ...

    def resembled(self, cosine: float) -> None:
        """An utterance was compared with its speaker."""
        ...

    def heard_back(self, figures: LinkFigures) -> None:
        """A client reported on what it receives of our speech."""
        ...

    def utterance_accepted(self) -> None:
        """An utterance is queued; ``done``, ``cancelled`` or ``failed`` follows."""
        ...

    def utterance_started(self, parts: Beginning) -> None:
        """The first audible frame was sent of an utterance that had to wait for no other."""
        ...

    def speech_paced(self, lead_ms: float, stale_chunks: int) -> None:
        """An utterance is over: the lead now, and chunks dropped as stale since the one before."""
        ...

    def utterance_done(self, audio_ms: float, rtf: float | None, underruns: int) -> None:
        """An utterance was sent to its end."""
        ...

    def utterance_cancelled(self) -> None:
        """An utterance ended because someone asked for it."""
        ...

    def utterance_failed(self, code: str) -> None:
        """An utterance could not be spoken; ``code`` as on the wire."""
        ...

    def user_interrupted(self) -> None:
        """Somebody spoke over us, and we fell silent."""
        ...

    def session_resumed(self) -> None:
        """A client that was lost has come back, and its session goes on."""
        ...

    def error_sent(self, code: str) -> None:
        """A client was told of an error; ``code`` as on the wire."""
        ...

    def speech_damaged(self, skipped: int, failed: int, repaired: int) -> None:
        """Frames never sent after a stall, frames replaced by silence, and chunks repaired."""
        ...

    def mic_frames_lost(self, frames: int) -> None:
        """So many more frames of a microphone never came."""
        ...


class NobodyObserves:
    """An observer for sessions that nobody counts."""

    def session_opened(self) -> None:
        """Ignored."""

    def session_closed(self, reason: str) -> None:
        """Ignored."""

    def voice_usable(self, elapsed_ms: float) -> None:
        """Ignored."""

    def voice_ready(self, elapsed_ms: float, clone_ms: float) -> None:
        """Ignored."""

    def voice_rejected(self, reason: str) -> None:
        """Ignored."""

    def voice_scored(self, score: float) -> None:
        """Ignored."""

    def embedded(self, took_ms: float) -> None:
        """Ignored."""

    def resembled(self, cosine: float) -> None:
        """Ignored."""

    def heard_back(self, figures: LinkFigures) -> None:
        """Ignored."""

    def utterance_accepted(self) -> None:
        """Ignored."""

    def utterance_started(self, parts: Beginning) -> None:
        """Ignored."""

    def speech_paced(self, lead_ms: float, stale_chunks: int) -> None:
        """Ignored."""

    def utterance_done(self, audio_ms: float, rtf: float | None, underruns: int) -> None:
        """Ignored."""

    def utterance_cancelled(self) -> None:
        """Ignored."""

    def utterance_failed(self, code: str) -> None:
        """Ignored."""

    def user_interrupted(self) -> None:
        """Ignored."""

    def session_resumed(self) -> None:
        """Ignored."""

    def error_sent(self, code: str) -> None:
        """Ignored."""

    def speech_damaged(self, skipped: int, failed: int, repaired: int) -> None:
        """Ignored."""

    def mic_frames_lost(self, frames: int) -> None:
        """Ignored."""

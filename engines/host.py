"""Runs engines away from the event loop: bounded, cancellable, restartable.

The speech engine lives in one niced process, the speaker encoder and voice activity in another;
the process of the event loop does no model work. Knows nothing of any concrete engine.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
import socket
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol, Self, TypeVar

from engines import registry
from engines.api import (
    Chunk,
    Controls,
    Embedding,
    EngineBusy,
    EngineError,
    EngineInfo,
    Pcm,
    Reference,
    Segment,
    VadMemory,
    Voice,
)
from engines.lending import PATIENT, BorrowedWorker
from engines.process import frames
from engines.process.frames import (
    Embed,
    Embedded,
    Ended,
    Enrol,
    Failed,
    Forget,
    Forgotten,
    ListVoices,
    Load,
    Loaded,
    Made,
    Mix,
    Refine,
    Refined,
    Reply,
    Request,
    Role,
    Score,
    Scored,
    Speak,
    Spoken,
    ToHost,
    Voices,
)
from engines.process.keeper import Keeper, Limits

ReplyT = TypeVar("ReplyT", bound=Reply)


@dataclass(frozen=True)
class HostSpec:
    """Which models to run, and how.

    ``lead_chunks`` is how many chunks of a stream may be made before its listener takes one.
    ``options`` go to every model; ``threads`` among them also limits numpy's own threads.
    """

    speech: str
    encoder: str
    vad: str
    options: Mapping[str, str] = field(default_factory=dict)
    nice: int = 10
    max_streams: int = 16
    lead_chunks: int = 16
    limits: Limits = Limits()
    spare: bool = False
    """Whether another speech worker waits, warm, for the one at work to end."""


class _Stream(Protocol):
    """Something that takes one of the engine's streams."""

    begun: bool
    """Whether any of it has come."""

    @property
    def ended(self) -> bool:
        """Whether it takes it no longer."""
        ...


class SpeechStream:
    """Chunks of one segment as they are made; for one consumer.

    Iterating raises what the engine raised, or ``EngineCrashed``, after the chunks before it.
    """

    def __init__(self, keeper: Keeper, request: Speak) -> None:
        self._keeper = keeper
        self._id = request.id
        self._grant_chunks = max(1, request.credit // 4)
        self._chunks: deque[Chunk] = deque()
        self._taken = 0
        self.begun = False
        """Whether the engine has made any of it."""
        self._changed = asyncio.Event()
        self._error: EngineError | None = None
        self._ended = False
        keeper.call(request, self)

    @property
    def ended(self) -> bool:
        """Whether the worker has nothing more to do for this stream."""
        return self._ended

    def __aiter__(self) -> AsyncIterator[Chunk]:
        return self

    async def __anext__(self) -> Chunk:
        while not self._chunks and not self.ended:
            self._changed.clear()
            await self._changed.wait()
        if self._chunks:
            return self._take()
        if self._error is not None:
            raise self._error
        raise StopAsyncIteration

    def _take(self) -> Chunk:
        self._taken += 1
        if self._taken % self._grant_chunks == 0:
            self._keeper.grant(self._id, self._grant_chunks)
        return self._chunks.popleft()

    def cancel(self) -> None:
        """End the stream now: nothing more is yielded, and the engine stops within a chunk."""
        if not self.ended:
            self._keeper.cancel(self._id)
        self._chunks.clear()
        self._error = None
        self._end()

    async def aclose(self) -> None:
        """The same as ``cancel``, for ``contextlib.aclosing``."""
        self.cancel()

    def receive(self, message: ToHost) -> None:
        """Called by the keeper with what the worker says to this stream."""
        match message:
            case Spoken(_, chunk):
                self._chunks.append(chunk)
                self.begun = True
                self._changed.set()
            case Ended():
                self._end()
            case Failed():
                self.fail(frames.raised(message))
            case _:
                self.fail(EngineError(f"a stream was sent {type(message).__name__}"))

    def fail(self, error: EngineError) -> None:
        """Called by the keeper when no more can come."""
        self._error = error
        self._end()

    def _end(self) -> None:
        self._ended = True
        self._changed.set()


class Refinement:
    """Voices of a refinement, each better than the one before; for one consumer.

    Iterating raises what the engine raised, or ``EngineCrashed``.
    """

    def __init__(self, keeper: Keeper, request: Refine) -> None:
        self._keeper = keeper
        self._id = request.id
        self._found: asyncio.Queue[Voice | EngineError | None] = asyncio.Queue()
        self._ended = False
        keeper.call(request, self)

    def __aiter__(self) -> AsyncIterator[Voice]:
        return self

    async def __anext__(self) -> Voice:
        found = None if self._ended and self._found.empty() else await self._found.get()
        if isinstance(found, EngineError):
            raise found
        if found is None:
            raise StopAsyncIteration
        return found

    def cancel(self) -> None:
        """End it now: the engine stops within half a second, and iterating ends."""
        if not self._ended:
            self._keeper.leave(self._id)
            self._end(None)

    def receive(self, message: ToHost) -> None:
        """Called by the keeper with what the worker says to this refinement."""
        match message:
            case Refined(_, voice):
                self._found.put_nowait(voice)
            case Ended():
                self._end(None)
            case Failed():
                self._end(frames.raised(message))
            case _:
                self._end(EngineError(f"a refinement was sent {type(message).__name__}"))

    def fail(self, error: EngineError) -> None:
        """Called by the keeper when no more can come."""
        self._end(error)

    def _end(self, error: EngineError | None) -> None:
        self._ended = True
        self._found.put_nowait(error)


class _Answer:
    """A request's one reply, for whoever awaits it."""

    def __init__(self) -> None:
        self.reply: asyncio.Future[ToHost] = asyncio.get_running_loop().create_future()

    def receive(self, message: ToHost) -> None:
        if isinstance(message, Failed):
            self.fail(frames.raised(message))
        elif not self.reply.done():
            self.reply.set_result(message)

    def fail(self, error: EngineError) -> None:
        if not self.reply.done():
            self.reply.set_exception(error)


class EngineHost:
    """The models of one configuration, in processes of their own; an async context manager.

    Every method that talks to a model raises what the model raised (a subclass of
    ``EngineError``), ``EngineCrashed`` if its process ended meanwhile, and ``EngineError`` once
    the host is closed. While a process is being restarted, calls wait for it.

    With ``lent``, a socket of ``engines.lending.Lender`` for each role, it starts none but uses
    those of another process's host.
    """

    def __init__(self, spec: HostSpec, lent: Mapping[Role, socket.socket] | None = None) -> None:
        self.spec = spec
        self._speech = _keeper("speech", spec, lent)
        self._listening = _keeper("listening", spec, lent)
        self._speech_loaded: Loaded | None = None
        self._listening_loaded: Loaded | None = None
        self._ids = itertools.count(1)
        self._streams: list[_Stream] = []
        self.max_begun = spec.max_streams
        """Of utterances that are begun while others are in progress; may be set at any time."""
        self._stock: Mapping[str, Voice] | None = None

    async def start(self) -> None:
        """Start the processes and wait until all models are loaded and warm.

        Raises:
            EngineError: why a model cannot be used; nothing is left running.
        """
        registry.check("speech", self.spec.speech)
        registry.check("encoder", self.spec.encoder)
        registry.check("vad", self.spec.vad)
        try:
            # Both at once; the first error ends the wait.
            self._speech_loaded, self._listening_loaded = await asyncio.gather(
                self._speech.start(), self._listening.start()
            )
            self._check_encoder()
        except BaseException:
            await self.close()
            raise

    def _check_encoder(self) -> None:
        wanted = self.info.encoder
        if wanted is not None and wanted != self.spec.encoder:
            raise EngineError(
                f"{self.spec.speech} clones from embeddings of the {wanted} encoder: "
                f"configure that one instead of {self.spec.encoder}"
            )

    async def close(self) -> None:
        """End the processes; streams and calls in progress raise ``EngineError``."""
        await asyncio.gather(self._speech.close(), self._listening.close())

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    @property
    def ready(self) -> bool:
        """Whether both processes are there with their models loaded."""
        return self._speech.ready and self._listening.ready

    @property
    def info(self) -> EngineInfo:
        """Of the speech engine."""
        info = _started(self._speech_loaded).info
        assert info is not None, "a speech worker says what it loaded"
        return info

    @property
    def spare_pid(self) -> int | None:
        """Process id of the speech worker that would take over, if one is warm."""
        return self._speech.spare_pid

    @property
    def waiting(self) -> int:
        """Streams from which nothing has come yet, those of other processes among them."""
        return sum(not stream.begun and not stream.ended for stream in self._streams)

    @property
    def restarts(self) -> int:
        """How often a process that had been ready ended by itself or was stuck."""
        return self._speech.restarts + self._listening.restarts

    @property
    def worker_pids(self) -> Mapping[Role, int]:
        """Process ids of the workers that are ready, for metrics."""
        keepers: Mapping[Role, Keeper] = {"speech": self._speech, "listening": self._listening}
        pids = {role: keeper.pid for role, keeper in keepers.items()}
        return {role: pid for role, pid in pids.items() if pid is not None}

    @property
    def encoder_rate_hz(self) -> int:
        """Rate of the speech that the speaker encoder takes."""
        return _started(self._listening_loaded).encoder_rate_hz

    @property
    def encoder_window_samples(self) -> int:
        """Length of the windows that ``embed_window`` takes."""
        return _started(self._listening_loaded).encoder_window_samples

    @property
    def vad_rate_hz(self) -> int:
        """Rate of the speech that ``score`` takes."""
        return _started(self._listening_loaded).vad_rate_hz

    @property
    def vad_window_samples(self) -> int:
        """Length of the windows that ``score`` takes."""
        return _started(self._listening_loaded).vad_window_samples

    def speak(
        self,
        segment: Segment,
        voice: Voice,
        controls: Controls | None = None,
        in_hand_s: float | None = None,
    ) -> SpeechStream:
        """Begin to speak; the engine works ahead of the consumer by ``lead_chunks``.

        With ``in_hand_s`` it goes on with what is heard already, of which there is so much left.

        Raises:
            EngineBusy: ``max_streams`` streams are in progress, or as many as are wanted and this
                is the first of an utterance.
        """
        _started(self._speech_loaded)
        self._check_streams(first=segment.first)
        request = Speak(
            next(self._ids),
            segment,
            voice,
            controls or Controls(),
            self.spec.lead_chunks,
            in_hand_s,
        )
        stream = SpeechStream(self._speech, request)
        self._streams.append(stream)
        return stream

    def _check_streams(self, *, first: bool) -> None:
        self._streams = [stream for stream in self._streams if not stream.ended]
        most = self.max_begun if first else self.spec.max_streams
        if len(self._streams) >= min(most, self.spec.max_streams):
            raise EngineBusy(f"{len(self._streams)} are speaking already: try again later")

    async def enrol(self, reference: Reference, *, urgent: bool = True) -> Voice:
        """Make a voice from a reference; others go on speaking meanwhile.

        One that is not ``urgent`` is made after all that are, and when speech leaves time for it.
        """
        request = Enrol(next(self._ids), reference, urgent)
        return (await self._ask(self._speech, request, Made)).voice

    async def mix(self, parts: Sequence[tuple[Voice, float]]) -> Voice:
        """One voice of several, by weights over 0; others go on speaking meanwhile."""
        request = Mix(next(self._ids), list(parts))
        return (await self._ask(self._speech, request, Made)).voice

    def refine(self, voice: Voice, reference: Reference, budget_s: float) -> Refinement:
        """Begin to make a voice better, while nobody speaks and with at most so much work.

        An engine that cannot do that gives no voice.
        """
        _started(self._speech_loaded)
        return Refinement(self._speech, Refine(next(self._ids), voice, reference, budget_s))

    async def forget(self, voice: Voice) -> None:
        """Have nothing of a deleted voice in memory; what it is saying may end."""
        await self._ask(self._speech, Forget(next(self._ids), voice), Forgotten)

    async def stock_voices(self) -> Mapping[str, Voice]:
        """Voices that come with the speech engine; asked for once."""
        if self._stock is None:
            reply = await self._ask(self._speech, ListVoices(next(self._ids)), Voices)
            self._stock = reply.voices
        return self._stock

    async def embed(self, pcm: Pcm) -> Embedding:
        """Embedding of speech of any length at ``encoder_rate_hz``."""
        request = Embed(next(self._ids), pcm, window=False)
        return (await self._ask(self._listening, request, Embedded)).embedding

    async def embed_window(self, pcm: Pcm) -> Embedding:
        """Embedding of exactly ``encoder_window_samples`` of speech."""
        if pcm.shape != (self.encoder_window_samples,):
            raise ValueError(f"a window has {self.encoder_window_samples} samples, not {pcm.shape}")
        request = Embed(next(self._ids), pcm, window=True)
        return (await self._ask(self._listening, request, Embedded)).embedding

    async def score(
        self, windows: Pcm, memory: VadMemory | None = None
    ) -> tuple[list[float], VadMemory]:
        """Probability of speech in each of the windows that ``windows`` is made of.

        ``windows`` is a multiple of ``vad_window_samples`` long; ``memory`` is what the call
        before returned, or ``None`` for the beginning of a stream.
        """
        if windows.ndim != 1 or windows.size % self.vad_window_samples:
            raise ValueError(f"windows have {self.vad_window_samples} samples each")
        request = Score(next(self._ids), windows, memory)
        reply = await self._ask(self._listening, request, Scored)
        return reply.probabilities, reply.memory

    # --- what is lent to other processes --------------------------------------------------------

    def keeper(self, role: Role) -> Keeper:
        """Who keeps the worker of a role."""
        return self._speech if role == "speech" else self._listening

    def loaded(self, role: Role) -> Loaded:
        """What a worker has loaded."""
        return _started(self._speech_loaded if role == "speech" else self._listening_loaded)

    def new_id(self) -> int:
        """For one request."""
        return next(self._ids)

    def admit(self, stream: _Stream, *, first: bool) -> None:
        """Count a stream of another process among ours; raises ``EngineBusy`` as ``speak``."""
        self._check_streams(first=first)
        self._streams.append(stream)

    async def _ask(self, keeper: Keeper, request: Request, kind: type[ReplyT]) -> ReplyT:
        _started(self._speech_loaded)
        answer = _Answer()
        keeper.call(request, answer)
        try:
            reply = await answer.reply
        except asyncio.CancelledError:
            keeper.forget(request.id)
            raise
        if not isinstance(reply, kind):
            raise EngineError(f"the answer was {type(reply).__name__}, not {kind.__name__}")
        return reply


def _keeper(role: Role, spec: HostSpec, lent: Mapping[Role, socket.socket] | None) -> Keeper:
    if lent is None:
        return Keeper(_load(role, spec), spec.limits, spare=spec.spare and role == "speech")
    return Keeper(_load(role, spec), PATIENT, functools.partial(BorrowedWorker, lent[role]))


def _load(role: Role, spec: HostSpec) -> Load:
    return Load(role, spec.speech, spec.encoder, spec.vad, spec.options, spec.nice)


def _started(loaded: Loaded | None) -> Loaded:
    if loaded is None:
        raise RuntimeError("the engine host has not been started")
    return loaded

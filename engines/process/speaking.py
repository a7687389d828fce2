"""In the worker: a speech engine's streams, stepped in turn, and enrolments beside them."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from queue import Empty, SimpleQueue
from typing import NoReturn, assert_never

import numpy as np

from engines import registry
from engines.api import (
    CHUNK_MS,
    Chunk,
    Controls,
    EngineError,
    EngineInfo,
    ForgetsVoices,
    PreparesVoices,
    SpeakerEncoder,
    SpeechEngine,
    Voice,
)
from engines.courtesy import courteous
from engines.process import frames
from engines.process.frames import (
    Cancel,
    Credit,
    Ended,
    Enrol,
    Failed,
    Forget,
    Forgotten,
    ListVoices,
    Made,
    Mix,
    Refine,
    Reply,
    Speak,
    Spoken,
    ToWorker,
    Voices,
)
from engines.process.lane import Lane, Outbox, log_bug
from engines.process.precedence import HURRIED, PATIENT, Patience, Precedence
from engines.process.refining import Quiet, Refinements
from engines.process.schedule import Schedule

REFINE_EXTRA_NICE = 9
"""Behind everything: with the worker's own 10 the lowest there is."""


class SpeakingWorker:
    """Runs a speech engine: many streams in turn, enrolments beside them."""

    def __init__(
        self, engine: SpeechEngine, encoder: Callable[[], SpeakerEncoder], outbox: Outbox
    ) -> None:
        """Take the engine, and what opens the speaker encoder that refining listens with."""
        self._engine = engine
        self._outbox = outbox
        self._inbox: SimpleQueue[Speak | Credit | Cancel] = SimpleQueue()
        self._stops: dict[int, threading.Event] = {}
        self._chunks: dict[int, Iterator[Chunk]] = {}
        self._going_on: set[int] = set()
        """Streams after which another piece of the same utterance follows."""
        self._schedule = Schedule()
        self._precedence = Precedence()
        self._enrolments = Lane(outbox)
        self._quiet = Quiet()
        self._refinements = Refinements(engine, encoder, outbox, self._quiet)

    def receive(self, message: ToWorker) -> None:
        """Take a message, in the reading thread; a stop is seen by the step in progress."""
        match message:
            case Enrol(id, reference, urgent):
                self._make(id, functools.partial(self._engine.enrol, reference), urgent)
            case Mix(id, parts):
                self._make(id, functools.partial(self._mix, parts), urgent=True)
            case Refine():
                self._refinements.submit(message)
            case Forget(id, voice):
                self._submit(id, lambda: self._forget(id, voice))
            case ListVoices(id):
                self._submit(id, lambda: Voices(id, self._engine.stock_voices()))
            case Speak(id):
                self._quiet.disturb(id)
                self._stops[id] = threading.Event()
                self._inbox.put(message)
            case Cancel(id):
                if (stop := self._stops.get(id)) is not None:
                    stop.set()
                self._refinements.cancel(id)
                self._inbox.put(message)
            case Credit():
                self._inbox.put(message)
            case _:
                raise TypeError(f"a speech worker was sent {type(message).__name__}")

    def run(self) -> NoReturn:
        """Step streams for ever."""
        self._enrolments.run_in_thread()
        self._refinements.run_in_thread(REFINE_EXTRA_NICE)
        while True:
            while (stream := self._next()) is None or not self._inbox.empty():
                self._apply(self._inbox.get())
            if not self._await_next_piece():
                self._step(stream)

    def _await_next_piece(self) -> bool:
        """Wait a moment for what is more urgent than whose turn it is; whether it came."""
        if (pause_s := self._schedule.pause_s(time.monotonic())) <= 0.0:
            return False
        try:
            self._apply(self._inbox.get(timeout=pause_s))
        except Empty:
            return False
        return True

    def _next(self) -> int | None:
        now = time.monotonic()
        self._precedence.claim(not self._schedule.at_ease(now))
        return self._schedule.next(now)

    def _apply(self, message: Speak | Credit | Cancel) -> None:
        match message:
            case Speak(id):
                self._chunks[id] = checked_chunks(self._engine, message, self._stops[id])
                self._schedule.add(id, message.credit, time.monotonic(), message.in_hand_s)
                if not message.segment.last:
                    self._going_on.add(id)
            case Credit(id, chunks):
                self._schedule.grant(id, chunks)
            case Cancel(id):
                if id in self._chunks:
                    self._end(id, Ended(id))
            case _:
                assert_never(message)

    def _step(self, id: int) -> None:
        began_s = time.perf_counter()
        try:
            chunk = next(self._chunks[id], None)
        except Exception as error:  # the edge of a stream
            log_bug(error)
            self._end(id, frames.failure(id, error))
            return
        if self._stops[id].is_set():
            self._end(id, Ended(id))
            return
        if chunk is None:
            if id in self._going_on:
                self._schedule.expect(id, time.monotonic())
            self._end(id, Ended(id))
            return
        made_ms = (time.perf_counter() - began_s) * 1000.0
        self._outbox.send(Spoken(id, replace(chunk, made_ms=made_ms)))
        self._schedule.said(id, CHUNK_MS / 1000.0, time.monotonic())

    def _end(self, id: int, last: Ended | Failed) -> None:
        self._schedule.remove(id)
        self._going_on.discard(id)
        del self._chunks[id], self._stops[id]
        self._quiet.settle(id)
        self._outbox.send(last)

    def _make(self, id: int, make: Callable[[], Voice], urgent: bool) -> None:
        self._quiet.disturb(id)
        self._submit(id, lambda: self._made(id, make), urgent)

    def _made(self, id: int, make: Callable[[], Voice]) -> Made:
        try:
            return Made(id, make())
        finally:
            self._quiet.settle(id)

    def _submit(self, id: int, job: Callable[[], Reply], urgent: bool = True) -> None:
        """Queue a job, which lets speech go first."""
        if urgent:
            self._precedence.hasten()
        self._enrolments.submit(id, lambda: self._done(job, urgent), urgent=urgent)

    def _done(self, job: Callable[[], Reply], urgent: bool) -> Reply:
        patience = Patience(self._precedence, HURRIED if urgent else PATIENT)
        try:
            with courteous(patience.wait):
                return job()
        finally:
            if urgent:
                self._precedence.calm()

    def _mix(self, parts: Sequence[tuple[Voice, float]]) -> Voice:
        voice = registry.mix_voices(self._engine.info.name, parts)
        return self._engine.prepared(voice) if isinstance(self._engine, PreparesVoices) else voice

    def _forget(self, id: int, voice: Voice) -> Forgotten:
        if isinstance(self._engine, ForgetsVoices):
            self._engine.forget(voice)
        return Forgotten(id)


def checked_chunks(engine: SpeechEngine, request: Speak, stop: threading.Event) -> Iterator[Chunk]:
    """The engine's chunks, held to what the seam promises.

    Raises:
        EngineError: a control that the engine does not have the range for; a chunk of another
            size than ``CHUNK_MS`` that is not the last one, or samples that are no numbers;
            nobody should have to hear those.
    """
    _check_controls(engine.info, request.controls)
    name, size = engine.info.name, engine.info.sample_rate_hz * CHUNK_MS // 1000
    complete = True
    for chunk in engine.speak(request.segment, request.voice, request.controls, stop):
        if not complete or not 0 < chunk.pcm.size <= size:
            raise EngineError(f"{name} gave a chunk of a wrong size: the engine has a bug")
        if chunk.pcm.dtype != np.float32 or chunk.pcm.ndim != 1:
            raise EngineError(f"{name} gave no mono float32 samples: the engine has a bug")
        if not np.isfinite(chunk.pcm).all():
            raise EngineError(f"{name} gave samples that are not numbers: the engine has a bug")
        complete = chunk.pcm.size == size
        yield chunk


def _check_controls(info: EngineInfo, controls: Controls) -> None:
    for control in fields(controls):
        allowed, value = getattr(info.controls, control.name, None), getattr(controls, control.name)
        # Not a number is outside of every range.
        if allowed is not None and not allowed[0] <= value <= allowed[1]:
            raise EngineError(
                f"{control.name} must be {allowed[0]:g} to {allowed[1]:g} with {info.name}, "
                f"not {value:g}"
            )

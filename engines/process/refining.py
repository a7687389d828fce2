"""In the worker: voices made better, one at a time and only while there is nothing else to do."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import NoReturn

from engines.api import RefinesVoices, SpeakerEncoder, SpeechEngine, StopFlag, Voice
from engines.process import frames
from engines.process.frames import Ended, Refine, Refined
from engines.process.lane import Outbox, at_low_priority, log_bug

QUIET_S = 1.0
"""Nobody has spoken or was cloned for so long; who talks with a machine pauses for less."""

_LOOK_S = 0.1


class Quiet:
    """Knows since when nothing urgent is in progress; from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._urgent: set[int] = set()
        self._since_s = time.monotonic()

    def disturb(self, id: int) -> None:
        """Something urgent begins."""
        with self._lock:
            self._urgent.add(id)

    def settle(self, id: int) -> None:
        """It is over."""
        with self._lock:
            self._urgent.discard(id)
            self._since_s = time.monotonic()

    def lasts(self) -> bool:
        """Whether it has been quiet for ``QUIET_S``."""
        with self._lock:
            return not self._urgent and time.monotonic() - self._since_s >= QUIET_S


class Refinements:
    """Refines voices in the order they were asked for."""

    def __init__(
        self,
        engine: SpeechEngine,
        encoder: Callable[[], SpeakerEncoder],
        outbox: Outbox,
        quiet: Quiet,
    ) -> None:
        """``encoder`` opens the one to listen with, once it is needed."""
        self._engine, self._open, self._outbox, self._quiet = engine, encoder, outbox, quiet
        self._encoder: SpeakerEncoder | None = None
        self._jobs: SimpleQueue[Refine] = SimpleQueue()
        self._stops: dict[int, threading.Event] = {}

    def submit(self, request: Refine) -> None:
        """Queue a request."""
        self._stops[request.id] = threading.Event()
        self._jobs.put(request)

    def cancel(self, id: int) -> None:
        """Stop it before its next part, whether it has begun or not."""
        stop = self._stops.get(id)
        if stop is not None:
            stop.set()

    def run_in_thread(self, extra_nice: int) -> None:
        """Work for ever in a thread of its own."""

        def run() -> None:
            at_low_priority(extra_nice)
            self._run()

        threading.Thread(target=run, daemon=True).start()

    def _run(self) -> NoReturn:
        while True:
            request = self._jobs.get()
            try:
                for voice in self._better(request, self._stops[request.id]):
                    self._outbox.send(Refined(request.id, voice))
            except Exception as error:  # the edge of a request
                log_bug(error)
                self._outbox.send(frames.failure(request.id, error))
            else:
                self._outbox.send(Ended(request.id))
            del self._stops[request.id]

    def _better(self, request: Refine, stop: StopFlag) -> Iterator[Voice]:
        if not isinstance(self._engine, RefinesVoices):
            return
        if self._encoder is None:
            self._encoder = self._open()
        parts = self._engine.refine(request.voice, request.reference, self._encoder)
        worked_s = 0.0
        while worked_s < request.budget_s and self._wait(stop):
            began_s = time.monotonic()
            try:
                voice = next(parts)
            except StopIteration:
                return
            worked_s += time.monotonic() - began_s
            if voice is not None:
                yield voice

    def _wait(self, stop: StopFlag) -> bool:
        """Wait until it is quiet; false when it was stopped."""
        while not stop.is_set() and not self._quiet.lasts():
            time.sleep(_LOOK_S)
        return not stop.is_set()

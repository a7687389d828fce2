"""The sessions of one process: opens them, and has what they share with each other."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from engines.host import EngineHost
from signaling.config import Load
from signaling.sessions import SessionHandle, SessionRefused, SessionRequest
from voicepeer import __version__, wiring
from voicepeer.audience import Audience
from voicepeer.conference import Conferences
from voicepeer.config import Config
from voicepeer.core.degradation.vitals import Notes, Vitals
from voicepeer.core.resumption import Resumptions
from voicepeer.core.speaking.beginning import Beginning
from voicepeer.degrader import Degrader, look_every
from voicepeer.economy import Economy
from voicepeer.gpu import Gpus, free_share
from voicepeer.keeping import Keeping
from voicepeer.machine import free_memory_share, process_usage
from voicepeer.metrics import BuildInfo, Metrics
from voicepeer.presence import is_kept_out
from voicepeer.room_voices import RoomVoices
from voicepeer.service_figures import ServiceFigures
from voicepeer.session import Session
from voicepeer.session_state import SessionState
from voicepeer.shelf import StoreShelf
from voicepeer.store_watch import AuditFigures
from voicepeer.tasks import beside

PURGE_EVERY_S = 30.0

ON_GPU = ("tensorrt", "cuda")
"""Providers that compute there."""

FEWER = 4
"""Of the engine's streams, a part as small as this is for new utterances when there is too much."""


class Media:
    """Makes sessions that speak with one engine, and meet each other in rooms.

    With ``notes`` it is one of several processes of a service: what shows how that keeps up goes
    there, and the steps of ``economy`` are set from there.
    """

    def __init__(
        self,
        settings: Config,
        engine: EngineHost,
        keeping: Keeping,
        notes: Notes | None = None,
    ) -> None:
        self._settings = wiring.session_settings(settings)
        self._engine = engine
        self._shelf = StoreShelf(keeping, settings.voices.ttl_s)
        self._revocations = keeping.revocations
        self._resumptions: Resumptions[SessionState] = Resumptions(settings.session.resume_ttl_s)
        keeping.revocations.listen(
            lambda voice_id: self._resumptions.forget(lambda state: state.has(voice_id))
        )
        self._room_voices = RoomVoices()
        self._recordings = wiring.recordings(settings, keeping.audit)
        self._conferences = Conferences(settings.server.kept_out_s, self._recordings)
        self._max_sessions = settings.server.max_sessions
        self._gpus = Gpus()
        self._tracer = wiring.tracer(settings)
        degradation = wiring.degradation_settings(settings)
        self.retry_after_s = degradation.retry_after_s
        """For those who are refused because there is too much to do."""
        self._every_s = degradation.every_s
        self._is_part = notes is not None
        self.vitals = Vitals(degradation.window_s, degradation.min_utterances)
        """Of the whole service, unless this is a part of it."""
        self.ready: Callable[[], bool] = lambda: self._engine.ready
        """Whether there can be sessions, for metrics."""
        self.metrics = Metrics(
            BuildInfo(__version__),
            self._figures,
            notes if notes is not None else self.vitals,
            self._tracer.began if self._tracer is not None else _untraced,
        )
        """Of its sessions."""
        self.metrics.registry.register(AuditFigures(keeping.audit))
        self.economy = Economy()
        self.economy.listen(self._on_economy)
        self.degrader = Degrader(
            degradation,
            self.economy,
            self.vitals,
            self.metrics,
            lambda: self._engine.waiting,
            free_memory_share,
            self._free_gpu_share,
        )

    def on_loaded(self) -> None:
        """The models are there."""
        info = self._engine.info
        self.metrics.describe(
            BuildInfo(__version__, info.name, info.version, info.provider, info.precision)
        )
        if not self._is_part:
            self.degrader.begin(info)

    @property
    def load(self) -> Load:
        """How much there is to do, and what is done with less for that."""
        condition, steps = self.degrader.condition, self.economy.steps
        severities = {str(cause): bad for cause, bad in condition.severities.items()}
        return Load(steps, severities, condition.baseline_ms, "no_new_sessions" in steps)

    def _free_gpu_share(self) -> float | None:
        """Of a GPU that models run on; others' are no concern of ours."""
        ours = self._engine.ready and self._engine.info.provider in ON_GPU
        return free_share(self._gpus.read()) if ours else None

    def _on_economy(self) -> None:
        most = self._engine.spec.max_streams
        fewer = "fewer_utterances" in self.economy
        self._engine.max_begun = max(1, most // FEWER) if fewer else most

    def _figures(self) -> ServiceFigures:
        if self._is_part:
            return ServiceFigures(part=True, rooms=self._conferences.figures())
        pids = [*self._engine.worker_pids.items(), ("spare", self._engine.spare_pid)]
        usages = {role: process_usage(pid) for role, pid in pids if pid is not None}
        condition = self.degrader.condition
        return ServiceFigures(
            ready=self.ready(),
            max_sessions=self._max_sessions,
            engine_waiting=self._engine.waiting,
            workers={role: usage for role, usage in usages.items() if usage is not None},
            free_memory_share=free_memory_share(),
            steps=self.economy.steps,
            severities=condition.severities,
            baseline_s=condition.baseline_ms / 1000.0,
            gpus=self._gpus.read(),
            engine_restarts=self._engine.restarts,
            rooms=self._conferences.figures(),
        )

    async def open(self, request: SessionRequest) -> SessionHandle:
        """A new session.

        Raises:
            SessionRefused: ``at_capacity``, but for whoever goes on from another session.
        """
        if "no_new_sessions" in self.economy and request.resume_token is None:
            raise SessionRefused(
                "at_capacity", "there is too much to do at present: try again soon"
            )
        if request.purpose == "listen":
            if is_kept_out(request, self._conferences):
                raise SessionRefused("forbidden", "you were put out of this room: try again later")
            return Audience(request, self._room_voices, self._settings, self.metrics)
        return Session(
            request,
            self._engine,
            self._shelf.of(request.principal),
            self._settings,
            self.metrics,
            self._resumptions,
            self._room_voices,
            self._revocations,
            self._conferences,
            self.economy,
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Look after what is kept; around all use of it."""
        watching = look_every(self._every_s, self.metrics) if self._is_part else self.degrader.run()
        works = {"forget lost clients": self._forget(), "watch the load": watching}
        if self._recordings is not None:
            works["purge recordings"] = self._recordings.purge()
        try:
            async with beside(works):
                yield
        finally:
            if self._recordings is not None:
                await self._recordings.close()
            if self._tracer is not None:
                await asyncio.to_thread(self._tracer.close)

    async def _forget(self) -> None:
        """Forget what was left for clients who did not come back in time."""
        while True:
            await asyncio.sleep(PURGE_EVERY_S)
            self._resumptions.purge(time.monotonic())


def _untraced(parts: Beginning) -> None:
    """Where nobody has asked for traces."""

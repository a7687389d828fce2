"""The sessions of one process: opens them, and has what they share with each other."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from engines.host import EngineHost
from signaling.sessions import SessionHandle, SessionRequest
from voicepeer import __version__, wiring
from voicepeer.audience import Audience
from voicepeer.conference import Conferences
from voicepeer.config import Config
from voicepeer.core.resumption import Resumptions
from voicepeer.keeping import Keeping
from voicepeer.metrics import BuildInfo, Metrics
from voicepeer.room_voices import RoomVoices
from voicepeer.session import Session
from voicepeer.session_state import SessionState
from voicepeer.shelf import StoreShelf

PURGE_EVERY_S = 30.0


class Media:
    """Makes sessions that speak with one engine, and meet each other in rooms."""

    def __init__(self, settings: Config, engine: EngineHost, keeping: Keeping) -> None:
        self._settings = wiring.session_settings(settings)
        self._engine = engine
        self._shelf = StoreShelf(keeping, settings.voices.ttl_s)
        self._revocations = keeping.revocations
        self._resumptions: Resumptions[SessionState] = Resumptions(settings.session.resume_ttl_s)
        keeping.revocations.listen(
            lambda voice_id: self._resumptions.forget(lambda state: state.has(voice_id))
        )
        self._room_voices = RoomVoices()
        self._conferences = Conferences(settings.server.kept_out_s)
        self.metrics = self._new_metrics(BuildInfo(__version__))
        """Of its sessions."""

    def _new_metrics(self, build: BuildInfo) -> Metrics:
        return Metrics(build, lambda: self._engine.restarts, self._conferences.figures)

    def on_loaded(self) -> None:
        """The models are there, and nothing was counted before because there was no session."""
        info = self._engine.info
        self.metrics = self._new_metrics(
            BuildInfo(__version__, info.name, info.version, info.provider, info.precision)
        )

    async def open(self, request: SessionRequest) -> SessionHandle:
        """A new session."""
        if request.purpose == "listen":
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
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Look after what is kept; around all use of it."""
        tasks = [asyncio.create_task(self._forget(), name="forget lost clients")]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    async def _forget(self) -> None:
        """Forget what was left for clients who did not come back in time."""
        while True:
            await asyncio.sleep(PURGE_EVERY_S)
            self._resumptions.purge(time.monotonic())

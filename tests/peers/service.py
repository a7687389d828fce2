"""Signaling and sessions with fake models on a free port of loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

from signaling.app import Readiness, SignalingConfig, create_app
from signaling.sessions import SessionHandle, SessionRequest
from tests.peers.caller import Counting, MemoryShelf
from tests.peers.engine import LocalEngine
from voicepeer.audience import Audience
from voicepeer.conference import Conferences
from voicepeer.core.resumption import Resumptions
from voicepeer.room_voices import RoomVoices
from voicepeer.session import Session
from voicepeer.session_state import SessionSettings, SessionState
from voicepeer.withdrawals import Withdrawals


@dataclass
class LocalService:
    """What the root of a service puts together, with everything replaceable."""

    engine: LocalEngine = field(default_factory=LocalEngine)
    settings: SessionSettings = SessionSettings()
    config: SignalingConfig = SignalingConfig()
    shelf: MemoryShelf = field(default_factory=MemoryShelf)
    observer: Counting = field(default_factory=Counting)
    sessions: list[Session] = field(default_factory=list)
    resumptions: Resumptions[SessionState] = field(default_factory=Resumptions)
    rooms: RoomVoices = field(default_factory=RoomVoices)
    conferences: Conferences = field(default_factory=Conferences)
    listeners: list[Audience] = field(default_factory=list)
    recorded: Withdrawals | None = None
    url: str = ""

    async def open(self, request: SessionRequest) -> SessionHandle:
        if request.purpose == "listen":
            self.listeners.append(Audience(request, self.rooms, self.settings, self.observer))
            return self.listeners[-1]
        session = Session(
            request,
            self.engine,
            self.shelf,
            self.settings,
            self.observer,
            self.resumptions,
            self.rooms,
            conferences=self.conferences,
        )
        self.sessions.append(session)
        return session


@asynccontextmanager
async def running(service: LocalService | None = None) -> AsyncIterator[LocalService]:
    """A service that listens; its sessions are closed at the end."""
    service = service or LocalService()
    app = create_app(
        service.config,
        service.open,
        lambda: Readiness(True),
        lambda: b"",
        recordings=service.recorded,
    )
    runner = web.AppRunner(app, shutdown_timeout=5.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        service.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield service
    finally:
        await runner.cleanup()

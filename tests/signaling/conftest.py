"""A running signaling service and a client for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace

import pytest
from aiohttp import ClientResponse, ClientSession, ClientWebSocketResponse, WSMsgType, web
from yarl import URL

from signaling.app import REGISTRY, Readiness, SignalingConfig, create_app
from signaling.connections import create_runner
from signaling.messages import ClientSignal, ServerSignal, decode_server, encode
from signaling.registry import SessionRegistry
from tests.signaling.sessions import EchoPeer

RECEIVE_TIMEOUT_S = 30.0


@dataclass
class Service:
    """The service under test, run as the command line runs it."""

    peer: EchoPeer = field(default_factory=EchoPeer)
    config: SignalingConfig = field(default_factory=lambda: SignalingConfig(grace_s=0.2))
    state: Readiness = field(default_factory=lambda: Readiness(ready=True))
    metrics: bytes = b"voicepeer_sessions 0\n"
    running: Running | None = None
    sockets: list[Socket] = field(default_factory=list)
    """All that were opened: one that nobody holds would be closed."""

    async def start(self, **changes: object) -> Running:
        """Run the service with some settings changed."""
        self.config = replace(self.config, **changes)  # type: ignore[arg-type]
        app = create_app(self.config, self.peer.open, lambda: self.state, lambda: self.metrics)
        runner = create_runner(app, self.config, 5.0)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = int(runner.addresses[0][1])
        http = ClientSession(f"http://127.0.0.1:{port}")
        self.running = Running(app[REGISTRY], http, runner, port)
        return self.running

    async def connect(self, **headers: str) -> Socket:
        """Open a socket to ``/ws``."""
        running = self.running or await self.start()
        socket = Socket(await running.http.ws_connect("/ws", headers=headers))
        self.sockets.append(socket)
        return socket


@dataclass
class Running:
    """A started service and an HTTP client for it."""

    registry: SessionRegistry
    http: ClientSession
    runner: web.AppRunner
    port: int

    async def get(self, path: str, headers: dict[str, str] | None = None) -> ClientResponse:
        """GET, with the body read."""
        url = URL(f"http://127.0.0.1:{self.port}{path}", encoded=True)
        answer = await self.http.get(url, headers=headers)
        await answer.read()
        return answer

    async def stop(self) -> None:
        """Stop the service, then the client."""
        await self.runner.cleanup()
        await self.http.close()


@dataclass
class Socket:
    """A client's socket that speaks typed signals."""

    raw: ClientWebSocketResponse

    async def send(self, signal: ClientSignal) -> None:
        """Send a signal."""
        await self.raw.send_str(encode(signal))

    async def receive(self) -> ServerSignal:
        """The next signal; fails when the socket is closed instead."""
        message = await self.raw.receive(RECEIVE_TIMEOUT_S)
        assert message.type is WSMsgType.TEXT, f"{message.type!r} {message.data!r}"
        return decode_server(message.data)

    async def ask(self, signal: ClientSignal) -> ServerSignal:
        """Send a signal and take the answer."""
        await self.send(signal)
        return await self.receive()

    async def closed(self) -> int | None:
        """The code with which the service closes the socket; fails on any further signal."""
        message = await self.raw.receive(RECEIVE_TIMEOUT_S)
        assert message.type in {WSMsgType.CLOSE, WSMsgType.CLOSED}, message
        return self.raw.close_code

    def cut(self) -> None:
        """Break the connection without a closing handshake."""
        connection = self.raw._response.connection
        assert connection is not None
        assert connection.transport is not None
        connection.transport.abort()


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    """A service that is stopped, and must leave no task, at the end of the test."""
    before = asyncio.all_tasks()
    running = Service()
    yield running
    if running.running is not None:
        await running.running.stop()
    leaked = asyncio.all_tasks() - before - {asyncio.current_task()}
    assert not leaked, leaked
    assert all(session.closed_with is not None for session in running.peer.opened)


async def eventually(what: Callable[[], bool], timeout_s: float = 30.0) -> None:
    """Wait until ``what`` holds."""
    async with asyncio.timeout(timeout_s):
        while not what():  # noqa: ASYNC110 - what is awaited lies in the service, not in the test
            await asyncio.sleep(0.01)

"""A running signaling service and a client for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace

import pytest
from aiohttp import ClientWebSocketResponse, WSMsgType
from aiohttp.test_utils import TestClient, TestServer
from aiohttp.web import Application, Request

from signaling.app import Readiness, SignalingConfig, create_app
from signaling.messages import ClientSignal, ServerSignal, decode_server, encode
from tests.signaling.sessions import EchoPeer

RECEIVE_TIMEOUT_S = 5.0


@dataclass
class Service:
    """The service under test; ``config`` may be changed before ``start``."""

    peer: EchoPeer = field(default_factory=EchoPeer)
    config: SignalingConfig = field(default_factory=lambda: SignalingConfig(grace_s=0.2))
    state: Readiness = field(default_factory=lambda: Readiness(ready=True))
    metrics: bytes = b"voicepeer_sessions 0\n"
    client: TestClient[Request, Application] | None = None

    async def start(self, **changes: object) -> TestClient[Request, Application]:
        """Run the service with some settings changed."""
        self.config = replace(self.config, **changes)  # type: ignore[arg-type]
        app = create_app(self.config, self.peer.open, lambda: self.state, lambda: self.metrics)
        self.client = TestClient(TestServer(app))
        await self.client.start_server()
        return self.client

    async def connect(self, **headers: str) -> Socket:
        """Open a socket to ``/ws``."""
        client = self.client or await self.start()
        return Socket(await client.ws_connect("/ws", headers=headers))


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
    if running.client is not None:
        await running.client.close()
    leaked = asyncio.all_tasks() - before - {asyncio.current_task()}
    assert not leaked, leaked
    assert all(session.closed_with is not None for session in running.peer.opened)


async def eventually(what: Callable[[], bool], timeout_s: float = 3.0) -> None:
    """Wait until ``what`` holds."""
    async with asyncio.timeout(timeout_s):
        while not what():  # noqa: ASYNC110 - what is awaited lies in the service, not in the test
            await asyncio.sleep(0.01)


Eventually = Callable[[Callable[[], bool]], Awaitable[None]]

"""A web server on a free port, for frameworks that come with routes for FastAPI."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import uvicorn

from loadtests.peers.bots import harness
from loadtests.peers.protocol import Ready


async def serve(
    app: Any,  # noqa: ANN401 - FastAPI is not installed where this is checked
    path: str,
    teller: harness.Teller,
    versions: dict[str, str],
) -> None:
    """Serve an application until standard input ends; ``path`` takes the offers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(app, log_level="warning", access_log=False)
        server = uvicorn.Server(config)
        # The socket listens already, so that no offer can come too early.
        teller.tell(Ready(f"http://127.0.0.1:{listener.getsockname()[1]}{path}", versions))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        async for _ in harness.commands():
            pass  # what is to be said comes over data channels
        server.should_exit = True
        await serving

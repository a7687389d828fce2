"""``voicepeer serve`` in a process of its own, for pages to call."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

READY_TIMEOUT_S = 60.0

_STEADY = ("--set", "degradation.enabled=false")
"""Whatever else the machine does meanwhile, the service does everything."""

PATIENT = ("--set", "session.silence_timeout_s=15")
"""Settings of a service whose clients may be held up on a machine that has much else to do."""


@dataclass
class Served:
    """A running service."""

    url: str
    process: asyncio.subprocess.Process

    @property
    def port(self) -> int:
        """Where it listens."""
        port = urlsplit(self.url).port
        assert port is not None
        return port


@asynccontextmanager
async def serve(
    folder: Path, *flags: str, engine: str = "fake", port: int = 0, ready: bool = False
) -> AsyncIterator[Served]:
    """A service on a free port, once it listens, or even has its models.

    Its voices are in ``folder``, where the next service finds them; of this machine's settings it
    sees none.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "voicepeer", "serve", "--engine", engine, "--port", str(port),
        "--json", "--stop-on-eof", "--database", str(folder / "voices.sqlite"), *_STEADY, *flags,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env=_environment(folder),
    )  # fmt: skip
    try:
        assert process.stdout is not None
        async with asyncio.timeout(READY_TIMEOUT_S):
            state = json.loads(await process.stdout.readline())
            while ready and state["name"] != "ready":
                state = json.loads(await process.stdout.readline())
        yield Served(state["url"], process)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()


def _environment(folder: Path) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("VOICEPEER_") or name == "VOICEPEER_CACHE"
    }
    return {**kept, "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)}


@dataclass
class Relay:
    """A TCP connection in between, as a proxy's, that can be cut without a goodbye."""

    port: int
    writers: set[asyncio.StreamWriter]

    def cut(self) -> None:
        """Break all connections; new ones may be made."""
        for writer in self.writers:
            writer.transport.abort()


@asynccontextmanager
async def relay(url: str) -> AsyncIterator[Relay]:
    """A relay to a service, on a free port."""
    parts = urlsplit(url)
    between = Relay(0, set())

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65_536):
                writer.write(data)
        except ConnectionError:
            pass
        writer.close()

    async def serve_one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        onward = await asyncio.open_connection(parts.hostname, parts.port)
        between.writers |= {writer, onward[1]}
        await asyncio.gather(pump(reader, onward[1]), pump(onward[0], writer))

    server = await asyncio.start_server(serve_one, "127.0.0.1", 0)
    between.port = server.sockets[0].getsockname()[1]
    async with server:
        yield between
        between.cut()

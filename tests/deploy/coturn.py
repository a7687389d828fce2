"""A real coturn on loopback, with our configuration and what tests need besides."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from signaling.ice_servers import IceConfig
from signaling.turn_conf import turn_conf
from voicepeer import rtc

CONF = Path(__file__).parents[2] / "coturn" / "turnserver.conf"
SECRET = "a-secret-of-this-test"
START_TIMEOUT_S = 10.0

LOOPBACK_PEERS = ("--allow-loopback-peers", "--allowed-peer-ip=127.0.0.1")
"""Without these nothing on this machine can be reached through the relay."""

MEDIA = ("127.0.0.1", "::1", *rtc.host_addresses())
"""Where relays lead that share a database with the service: its media is not on loopback."""


@dataclass
class Coturn:
    """One server; ``said`` is what it has written so far.

    With ``shared`` its configuration is that of ``voicepeer turn-config`` for those settings.
    """

    port: int
    tls_port: int
    folder: Path
    flags: tuple[str, ...]
    shared: IceConfig | None = None
    secret: str = SECRET
    said: str = ""
    _process: asyncio.subprocess.Process | None = None
    _reader: asyncio.Task[None] | None = None
    _grown: asyncio.Event = field(default_factory=asyncio.Event)

    def ice(self, transport: str = "udp", ttl_s: int = 600) -> IceConfig:
        """What a service is configured with to use it."""
        url = f"turn:127.0.0.1:{self.port}?transport={transport}"
        if self.shared is not None:
            return replace(self.shared, turn_urls=(url,), turn_ttl_s=ttl_s)
        return IceConfig(turn_urls=(url,), turn_secret=SECRET, turn_ttl_s=ttl_s)

    async def start(self) -> None:
        """Start, or start again after ``kill``, and wait until it serves."""
        self.said = ""
        self._process = await asyncio.create_subprocess_exec(
            "turnserver", *self._configuration(),
            "--listening-ip=127.0.0.1", "--relay-ip=127.0.0.1", f"--listening-port={self.port}",
            f"--tls-listening-port={self.tls_port}", f"--pidfile={self.folder / 'pid'}",
            "--verbose", *self.flags,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        self._reader = asyncio.create_task(self._read(self._process), name="coturn's output")
        await self.until("admin thread")

    def _configuration(self) -> list[str]:
        if self.shared is None:
            secret = [f"--static-auth-secret={self.secret}"] if self.secret else []
            return ["-c", str(CONF), *secret]
        made = self.folder / "turnserver.conf"
        made.write_text(turn_conf(self.shared, CONF.read_text()))
        return ["-c", str(made)]

    async def until(self, pattern: str, within_s: float = START_TIMEOUT_S) -> re.Match[str]:
        """Wait until it has written something."""
        try:
            async with asyncio.timeout(within_s):
                while not (found := re.search(pattern, self.said)):
                    self._grown.clear()
                    await self._grown.wait()
                return found
        except TimeoutError:
            raise AssertionError(f"coturn never said {pattern!r}: {self.said}") from None

    async def kill(self) -> None:
        """End it as a machine that fails does."""
        if self._process is None or self._process.returncode is not None:
            return
        self._process.kill()
        await self._process.wait()
        if self._reader is not None:
            await self._reader

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while chunk := await process.stdout.read(4096):
            self.said += chunk.decode(errors="replace")
            self._grown.set()


@asynccontextmanager
async def coturn(
    folder: Path, *flags: str, shared: IceConfig | None = None, secret: str = SECRET
) -> AsyncIterator[Coturn]:
    """A server that is there, and gone at the end."""
    server = Coturn(free_port(), free_port(), folder, flags, shared, secret)
    await server.start()
    try:
        yield server
    finally:
        await server.kill()


@asynccontextmanager
async def sharing(folder: Path, *flags: str) -> AsyncIterator[Coturn]:
    """One that shares a database with the service, whose media is on loopback."""
    shared = IceConfig(turn_database=folder / "turn.sqlite", media_addresses=MEDIA)
    async with coturn(folder, "--allow-loopback-peers", *flags, shared=shared) as server:
        yield server


def free_port(kind: socket.SocketKind = socket.SOCK_DGRAM) -> int:
    """A port of UDP, or of TCP, that nobody has now."""
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

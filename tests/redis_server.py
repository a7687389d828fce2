"""Debian's Redis on a free port of loopback: started, killed and started again by tests."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.deploy.coturn import free_port

START_TIMEOUT_S = 20.0
_ATTEMPTS = 3
"""Somebody else may take the port between the look and the leap."""


@dataclass
class RedisServer:
    """One server; ``folder`` keeps its data where ``durable``, as a service's would have to be."""

    folder: Path
    durable: bool = False
    password: str = ""
    more: tuple[str, ...] = ()
    port: int = field(default_factory=lambda: free_port(socket.SOCK_STREAM))
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """How it is reached, without the password."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Run it, on the port that it had before."""
        for _ in range(_ATTEMPTS):
            self._process = subprocess.Popen(self._command(), stdout=subprocess.DEVNULL)
            if self._answers(self._process):
                return
        raise AssertionError("redis-server does not start")

    def kill(self) -> None:
        """End it as a machine that fails does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """For as long as the block lasts it does nothing, and then it goes on."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def _command(self) -> list[str]:
        durable = ["--appendonly", "yes", "--appendfsync", "always"] if self.durable else []
        password = ["--requirepass", self.password] if self.password else []
        return [
            "redis-server", "--bind", "127.0.0.1", "--port", str(self.port), "--save", "",
            "--dir", str(self.folder), *durable, *password, *self.more,
        ]  # fmt: skip

    def _answers(self, process: subprocess.Popen[bytes]) -> bool:
        deadline_s = time.monotonic() + START_TIMEOUT_S
        while process.poll() is None and time.monotonic() < deadline_s:
            try:
                with socket.create_connection(("127.0.0.1", self.port), 1.0) as probe:
                    probe.sendall(b"PING\r\n")
                    # While it loads what it kept it answers -LOADING.
                    if probe.recv(64).startswith((b"+PONG", b"-NOAUTH")):
                        return True
            except OSError:
                pass
            time.sleep(0.02)
        return False


@contextmanager
def redis_server(
    folder: Path, *more: str, durable: bool = False, password: str = ""
) -> Iterator[RedisServer]:
    """A server that is there, and gone at the end; ``more`` are options of its own."""
    server = RedisServer(folder, durable, password, more)
    server.start()
    try:
        yield server
    finally:
        server.kill()

"""In the host: one worker process, from its start to its end."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping

import msgspec

from engines.process import frames
from engines.process.frames import FrameBuffer, Load, ToHost, ToWorker

logger = logging.getLogger(__name__)

REAP_EVERY_S = 0.005
EXIT_GRACE_S = 2.0
"""A worker ends at once when its socket closes; after this long it is killed."""

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_MAX_LOG_LINE_BYTES = 4096


class Child(asyncio.Protocol):
    """A worker process and the socket to it.

    ``receive`` gets every message; ``ended`` is set once the process can say nothing more.
    """

    def __init__(self, load: Load, receive: Callable[[ToHost], None]) -> None:
        self._load = load
        self._receive = receive
        self._buffer = FrameBuffer()
        self._log = _WorkerLog(load.role)
        self._process: subprocess.Popen[bytes] | None = None
        self._ours: socket.socket | None = None
        self._socket: asyncio.Transport | None = None
        self._stderr: asyncio.ReadTransport | None = None
        self.ended = asyncio.Event()

    async def start(self) -> None:
        """Start the process and let it load its models, without waiting for it.

        However this ends, ``close`` has to follow.

        Raises:
            OSError: the system has no room for another process or its pipes.
        """
        loop = asyncio.get_running_loop()
        self._ours, theirs = socket.socketpair()
        with theirs:
            self._process = _launch(theirs, self._load.options)
        self._socket, _ = await loop.create_connection(lambda: self, sock=self._ours)
        self._stderr, _ = await loop.connect_read_pipe(lambda: self._log, self._process.stderr)
        self.send(self._load)

    @property
    def pid(self) -> int:
        """Of the process, which may have ended."""
        return self._running.pid

    @property
    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None, "start comes first"
        return self._process

    def send(self, message: ToWorker) -> None:
        """Send a message; one that the process does not live to read is lost."""
        assert self._socket is not None, "start comes first"
        self._socket.write(frames.pack(message))

    def kill(self) -> None:
        """End the process whatever it does; ``ended`` follows."""
        self._running.kill()

    async def close(self) -> str:
        """Let the process end, make sure that it did, and free all that it held.

        Returns how it ended, for the log.
        """
        await self._hang_up()
        if self._process is None:
            return "never started"
        try:
            await self._exit(self._process)
        finally:
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()
            await self._close_log(self._process)
        return _describe_exit(self._process.returncode)

    async def _hang_up(self) -> None:
        if self._socket is not None:
            self._socket.abort()
            await self.ended.wait()
        elif self._ours is not None:
            self._ours.close()

    async def _close_log(self, process: subprocess.Popen[bytes]) -> None:
        if self._stderr is not None:
            self._stderr.close()
            await self._log.closed.wait()
        elif process.stderr is not None:
            process.stderr.close()

    async def _exit(self, process: subprocess.Popen[bytes]) -> None:
        # Polled, because the portable ways to wait for a process cost a thread or own SIGCHLD.
        for _ in range(int(EXIT_GRACE_S / REAP_EVERY_S)):
            if process.poll() is not None:
                return
            await asyncio.sleep(REAP_EVERY_S)

    def data_received(self, data: bytes) -> None:
        """Called by the event loop with what the process sent."""
        try:
            for body in self._buffer.push(data):
                self._receive(frames.unpack_to_host(body))
        except (msgspec.DecodeError, ValueError):
            logger.exception("%s worker: sent what is no message", self._load.role)
            self.kill()

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the event loop when the process closed the socket, mostly by ending."""
        self.ended.set()


def _launch(connection: socket.socket, options: Mapping[str, str]) -> subprocess.Popen[bytes]:
    level = logging.getLevelName(logging.getLogger("engines").getEffectiveLevel())
    threads = options.get("threads", "1")
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "engines.worker", str(connection.fileno()), level],
        pass_fds=(connection.fileno(),),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ | dict.fromkeys(_THREAD_VARIABLES, threads),
        # Out of the terminal's process group: Ctrl-C is for the service, which then ends us.
        start_new_session=True,
    )


def _describe_exit(returncode: int) -> str:
    if returncode >= 0:
        return f"exit status {returncode}"
    try:
        return f"signal {signal.Signals(-returncode).name}"
    except ValueError:
        return f"signal {-returncode}"


class _WorkerLog(asyncio.Protocol):
    """Passes a worker's stderr on to our log, line by line, at the level that the line names."""

    def __init__(self, role: str) -> None:
        self._role = role
        self._line = b""
        self._level = logging.WARNING
        self.closed = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        *lines, self._line = (self._line + data).split(b"\n")
        self._line = self._line[-_MAX_LOG_LINE_BYTES:]
        for line in lines:
            self._pass_on(line[:_MAX_LOG_LINE_BYTES].decode(errors="replace").rstrip())

    def _pass_on(self, line: str) -> None:
        first, _, rest = line.partition(" ")
        level = logging.getLevelNamesMapping().get(first)
        if level is not None:
            self._level, line = level, rest
        # Lines without a level continue the one before, as tracebacks do.
        logger.log(self._level, "%s worker: %s", self._role, line)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._line:
            self._pass_on(self._line.decode(errors="replace"))
        self.closed.set()

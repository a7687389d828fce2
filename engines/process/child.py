"""A process of ours that works for this one, from its start to its end; knows not what it does."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence

import msgspec

from engines.process.frames import FrameBuffer

logger = logging.getLogger(__name__)

REAP_EVERY_S = 0.005
EXIT_GRACE_S = 2.0
"""It ends at once when its socket closes; after this long it is killed."""

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""How many threads numerical libraries start."""

ALLOCATOR = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
"""Models in huge pages, where the system gives them to who asks.

Some hosts of virtual machines take pages that rest for a second away and give them back one fault
at a time: after a pause of three seconds the first sound came after 392 ms instead of 207
(docs/performance.md).
"""

_MAX_LOG_LINE_BYTES = 4096


class Child(asyncio.Protocol):
    """A process and the socket to it.

    The process is ``python -m MODULE FD LEVEL…``: the descriptor of its end of the socket, and from
    which level on it has to log. Lines of its standard error begin with a level's name.

    Args:
        name: what it is called in the log.
        module: what it runs.
        receive: gets the body of every frame; may raise ``msgspec.DecodeError`` or ``ValueError``
            for what is no message, which ends the process.
        handed: sockets that it gets as well, whose descriptors follow ``LEVEL``; closed here once
            it has them.
        threads: that numerical libraries may start in it.
        environ: its environment in place of ours.
        log: where its lines go.

    ``ended`` is set once the process can say nothing more.
    """

    def __init__(
        self,
        name: str,
        module: str,
        receive: Callable[[bytes], None],
        handed: Sequence[socket.socket] = (),
        threads: str = "1",
        environ: Mapping[str, str] | None = None,
        log: logging.Logger = logger,
    ) -> None:
        self._name = name
        self._module = module
        self._receive = receive
        self._handed = handed
        self._environ = os.environ if environ is None else environ
        self._threads = threads
        self._buffer = FrameBuffer()
        self._logger = log
        self._log = _Log(name, log)
        self._process: subprocess.Popen[bytes] | None = None
        self._ours: socket.socket | None = None
        self._socket: asyncio.Transport | None = None
        self._stderr: asyncio.ReadTransport | None = None
        self.ended = asyncio.Event()

    async def start(self) -> None:
        """Start the process, without waiting for anything that it does.

        However this ends, ``close`` has to follow.

        Raises:
            OSError: the system has no room for another process or its pipes.
        """
        loop = asyncio.get_running_loop()
        self._ours, theirs = socket.socketpair()
        with contextlib.ExitStack() as stack:
            for one in (theirs, *self._handed):
                stack.enter_context(one)
            self._process = self._launch([theirs, *self._handed])
        self._socket, _ = await loop.create_connection(lambda: self, sock=self._ours)
        self._stderr, _ = await loop.connect_read_pipe(lambda: self._log, self._process.stderr)

    def _launch(self, handed: Sequence[socket.socket]) -> subprocess.Popen[bytes]:
        level = logging.getLevelName(self._logger.getEffectiveLevel())
        first, *others = [one.fileno() for one in handed]
        return subprocess.Popen(
            [sys.executable, "-P", "-m", self._module, str(first), level, *map(str, others)],
            pass_fds=(first, *others),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**ALLOCATOR, **self._environ, **dict.fromkeys(THREAD_VARIABLES, self._threads)},
            # Out of the terminal's process group: Ctrl-C is for the service, which then ends us.
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """Of the process, which may have ended."""
        return self._running.pid

    @property
    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None, "start comes first"
        return self._process

    def send(self, frame: bytes) -> None:
        """Send a frame; one that the process does not live to read is lost."""
        assert self._socket is not None, "start comes first"
        self._socket.write(frame)

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
                self._receive(body)
        except (msgspec.DecodeError, ValueError):
            logger.exception("%s: sent what is no message", self._name)
            self.kill()

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the event loop when the process closed the socket, mostly by ending."""
        self.ended.set()


def _describe_exit(returncode: int) -> str:
    if returncode >= 0:
        return f"exit status {returncode}"
    try:
        return f"signal {signal.Signals(-returncode).name}"
    except ValueError:
        return f"signal {-returncode}"


class _Log(asyncio.Protocol):
    """Passes a process's stderr on to our log, line by line, at the level that the line names."""

    def __init__(self, name: str, log: logging.Logger) -> None:
        self._name = name
        self._logger = log
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
        self._logger.log(self._level, "%s: %s", self._name, line)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._line:
            self._pass_on(self._line.decode(errors="replace"))
        self.closed.set()

"""In the worker: the way back to the host, and requests that are done one after the other."""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import socket
import sys
import threading
import traceback
from collections.abc import Callable
from queue import PriorityQueue
from typing import NoReturn

from engines.api import EngineError
from engines.process import frames
from engines.process.frames import Failed, Reply, ToHost

logger = logging.getLogger(__name__)


class Outbox:
    """Sends messages to the host, from any thread."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    def send(self, message: ToHost) -> None:
        """Send one message; without a host it is lost, and the reading thread ends us."""
        frame = frames.pack(message)
        with self._lock, contextlib.suppress(OSError):
            self._connection.sendall(frame)


class Lane:
    """Does requests one after the other, in the order they came; what is urgent goes first."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._count = itertools.count()
        self._jobs: PriorityQueue[tuple[bool, int, int, Callable[[], Reply]]] = PriorityQueue()

    def submit(self, id: int, job: Callable[[], Reply], *, urgent: bool = True) -> None:
        """Queue a job whose result, or failure, is sent as the reply to ``id``."""
        self._jobs.put((not urgent, next(self._count), id, job))

    def run(self) -> NoReturn:
        """Work for ever."""
        while True:
            _, _, id, job = self._jobs.get()
            self._outbox.send(_reply(id, job))

    def run_in_thread(self) -> None:
        """Work for ever in a thread of its own."""
        threading.Thread(target=self.run, daemon=True).start()


def at_low_priority(extra_nice: int) -> None:
    """Let the thread that calls this wait behind others, if the system can do that."""
    if sys.platform == "linux" and extra_nice > 0:
        own = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, own, os.nice(0) + extra_nice)


def _reply(id: int, job: Callable[[], Reply]) -> Reply | Failed:
    try:
        return job()
    except Exception as error:  # the edge of a request
        log_bug(error)
        return frames.failure(id, error)


def log_bug(error: Exception) -> None:
    """Log where, but not with what: the text of a foreign exception may quote what was said."""
    if not isinstance(error, EngineError):
        where = "".join(traceback.format_tb(error.__traceback__))
        logger.error("the engine raised %s\n%s", type(error).__name__, where)

"""One builder at a time for a folder of engine files, also over several processes."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engines.api import EngineError
from engines.cache import explained

_POLL_S = 0.1


class BuildBusy(EngineError):
    """Another process is making the same engine files."""

    retryable = True


@contextmanager
def exclusive(target: Path, wait_s: float = 0.0) -> Iterator[None]:
    """Hold the lock that belongs to ``target``; the kernel frees it if the process dies.

    Raises:
        BuildBusy: another process has held it for all of ``wait_s``.
        CacheUnwritable: the folder cannot be made or written.
    """
    with explained(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        lock = target.parent / f".{target.name}.lock"
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _acquire(handle, target, time.monotonic() + wait_s)
        yield
    finally:
        os.close(handle)


def _acquire(handle: int, target: Path, deadline_s: float) -> None:
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise
        if time.monotonic() >= deadline_s:
            raise BuildBusy(
                f"another process is building {target.name}: wait for it, or stop it"
            ) from None
        time.sleep(_POLL_S)

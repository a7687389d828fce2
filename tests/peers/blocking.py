"""Finds calls that hold up the event loop: files, sleeps, look-ups, and long computations.

Python's audit events (PEP 578) tell of the former, whoever makes them; a computation is one step
of the loop that takes much processor time, which a busy machine does not change.
"""

from __future__ import annotations

import asyncio
import asyncio.events
import gc
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

BLOCKING = frozenset(
    {
        "open", "time.sleep", "os.listdir", "os.scandir", "os.mkdir", "os.remove", "os.rename",
        "shutil.copyfile", "shutil.rmtree", "socket.connect", "socket.getaddrinfo",
        "socket.gethostbyname", "sqlite3.connect", "subprocess.Popen", "urllib.Request",
    }
)  # fmt: skip

STEP_MAX_S = 0.25
"""Processor time of one step of the loop; the longest of ours are the crypto of a handshake."""

_ROOT = Path(__file__).parents[2]
_OURS = tuple(f"{_ROOT / package}/" for package in ("engines", "signaling", "voicepeer"))
_ALLOWED = ("importlib", "asyncio/", "linecache.py", "traceback.py")
"""What may wait once (an import), is asyncio's own way, or only tells of an error."""

_EXCUSED = (
    "engines/process/child.py",
    "signaling/pages.py",
    "voicepeer/benches/",
    "voicepeer/machine.py",
)
"""Starting a process, as asyncio itself does it in the loop; files read before the first client;
and what reads ``/proc``, where there is no disk to wait for."""

_watching: list[list[str]] = []
_hooked = False


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if not _watching or event not in BLOCKING or asyncio._get_running_loop() is None:
        return
    culprit = _culprit(sys._getframe(1))
    if culprit is not None:
        _watching[-1].append(f"{event} in {culprit}")


def _culprit(frame: FrameType | None) -> str | None:
    """The line of ours that made a call, unless something allowed stands between."""
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(_OURS):
            line = f"{Path(name).relative_to(_ROOT)}:{frame.f_lineno}"
            return None if line.startswith(_EXCUSED) else line
        if any(part in name for part in _ALLOWED):
            return None
        frame = frame.f_back
    return None


@contextmanager
def nothing_blocks() -> Iterator[list[str]]:
    """Fail if code of ours blocked a running loop inside; gives what was found so far."""
    global _hooked  # noqa: PLW0603 - an audit hook stays for the life of the process
    if not _hooked:
        sys.addaudithook(_audit)
        _hooked = True
    found: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        run = asyncio.events.Handle._run

        def timed(self: asyncio.Handle) -> None:
            begun_s = time.thread_time()
            run(self)
            if (spent_s := time.thread_time() - begun_s) > STEP_MAX_S:
                found.append(f"{spent_s:.2f} s of computing in {self}")

        patch.setattr(asyncio.events.Handle, "_run", timed)
        _watching.append(found)
        # What thousands of tests before left to be collected is not this one's to pay for.
        gc.freeze()
        try:
            yield found
        finally:
            gc.unfreeze()
            _watching.remove(found)
    if found:
        raise AssertionError(f"the event loop was blocked: {'; '.join(found)}")

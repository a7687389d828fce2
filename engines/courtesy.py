"""Work in the background lets what is urgent go first, between two runs of a model.

A run cannot be interrupted, and it takes locks and threads that models share along: a thread of low
priority that holds them keeps everybody waiting. So such work asks before each run, and then runs
like any other.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

_of_thread = threading.local()


@contextlib.contextmanager
def courteous(wait: Callable[[], None]) -> Iterator[None]:
    """Call ``wait`` before each run of a model in this thread, for as long as this lasts."""
    before = getattr(_of_thread, "wait", None)
    _of_thread.wait = wait
    try:
        yield
    finally:
        _of_thread.wait = before


def give_way() -> None:
    """Wait if this thread is a courteous one, and somebody else is in a hurry."""
    wait: Callable[[], None] | None = getattr(_of_thread, "wait", None)
    if wait is not None:
        wait()

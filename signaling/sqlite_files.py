"""How an SQLite file is made that several processes use: private, with a write-ahead log."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from pathlib import Path

BUSY_TIMEOUT_S = 5.0
BUSY_POLL_S = 0.02

_making = threading.Lock()


def make_private(path: Path) -> None:
    """Create the file for its owner only where there is none; SQLite's others get the same mode.

    A file that is there is not even opened: whoever closes a descriptor of it takes the locks of
    all connections that their process has. Another process then takes the database for unused, and
    deletes the log that is being written (https://sqlite.org/howtocorrupt.html section 2.2).

    Raises:
        OSError: it is not there and cannot be made.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _making:  # so that no other thread has a connection to it before this closes it
        try:
            # As SQLite follows links, and O_EXCL does not.
            made = os.open(os.path.realpath(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return
        os.close(made)


def switch_to_wal(opened: sqlite3.Connection) -> None:
    """Give the database a write-ahead log, trying for as long as any other statement would wait.

    SQLite itself gives up at once where another connection is about to write in the old mode,
    which two processes that open one new file are, or has it open in that mode.

    Raises:
        sqlite3.Error: it cannot be.
    """
    deadline_s = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            opened.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            busy = getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY")
            if not busy or time.monotonic() > deadline_s:
                raise
        time.sleep(BUSY_POLL_S)

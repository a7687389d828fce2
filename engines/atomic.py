"""Writes files that are there as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

PRIVATE = 0o600
READABLE = 0o644


@contextmanager
def writing(target: Path, mode: int = PRIVATE) -> Iterator[BinaryIO]:
    """Write a file that appears under its name only when it is complete and on the disk.

    Two processes may do this at once: each writes its own file, and the last rename wins. Until
    then a reader sees the old file; when the block fails, the old file stays.

    Raises:
        OSError: the folder is not there or not writable, or the disk is full.
    """
    handle, scratch = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(scratch, mode)
        os.replace(scratch, target)
    finally:
        Path(scratch).unlink(missing_ok=True)

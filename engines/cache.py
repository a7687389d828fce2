"""The folder that engine files are made in, and what to say when it cannot be written."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engines.api import EngineError

_FULL = (errno.ENOSPC, errno.EDQUOT)


class CacheUnwritable(EngineError):
    """The cache folder cannot be written: disk full, read-only, not ours, or no folder."""


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Do something in the cache, and tell the user what to do if the system does not let us.

    Raises:
        CacheUnwritable: instead of any ``OSError``.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            advice = "the disk is full: free 500 MB"
        else:
            advice = f"it is not writable ({(error.strerror or type(error).__name__).lower()})"
        where = (
            str(folder)
            if len(str(folder)) < 200
            else f"a folder with a long name ({folder.name[:40]}…)"
        )
        raise CacheUnwritable(
            f"cannot write engine files to {where}: {advice}; mend that, or name another folder "
            "in VOICEPEER_CACHE"
        ) from error

"""Files that commands write: which must not be replaced, whatever was asked for."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from voicepeer.core.errors import CannotWrite

_BESIDE = ("", "-wal", "-shm", "-journal", "-served")
"""What is beside a database: SQLite's (https://sqlite.org/tempfiles.html), and ``serving``'s."""


def check(target: Path, database: Path | None) -> None:
    """Refuse a target that replacing would do harm to.

    Args:
        target: the file to write; it need not be there.
        database: where voices are kept, if that is a file.

    Raises:
        CannotWrite: it is the database in use or one of the files beside it, under whatever name,
            or it is there and no regular file: a folder, a device, or a link to one.
    """
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise CannotWrite(f"{target} cannot be written: {reason}") from error
    if not stat.S_ISREG(mode):
        raise CannotWrite(f"{target} is no regular file: name one, which need not be there yet")
    if database is not None and _is_of(database, target):
        raise CannotWrite(f"{target} is of the voice database in use: name another file")


def _is_of(database: Path, target: Path) -> bool:
    wanted = os.path.realpath(target)
    for end in _BESIDE:
        one = os.path.realpath(database) + end
        if one == wanted:
            return True
        if os.path.exists(one) and os.path.exists(wanted) and os.path.samefile(one, wanted):
            return True  # by another link
    return False

"""Files of a report that are written again and again while it grows."""

from __future__ import annotations

import tempfile
from pathlib import Path

from engines import atomic
from voicepeer.core.errors import CannotWrite


def write_text(file: Path, text: str) -> None:
    """Write a file so that whoever reads it meanwhile sees the old one or the new one.

    Raises:
        CannotWrite: there is no room or no right to.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with atomic.writing(file, atomic.READABLE) as new:
            new.write(text.encode())
    except OSError as error:
        raise CannotWrite(f"cannot write {file}: {error.strerror}") from error


def check_folder(folder: Path) -> None:
    """Make the folder of a report that takes long to come, and see that files can be made there.

    Raises:
        CannotWrite: there is no room or no right to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise CannotWrite(f"cannot write into {folder}: {error.strerror}") from error

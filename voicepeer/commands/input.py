"""Files that commands are given by a person."""

from __future__ import annotations

from pathlib import Path

from voicepeer.core.errors import ConfigInvalid


def lines_of(path: Path, called: str) -> list[str]:
    """The lines of a text file; ``called`` says what it is, for people.

    Raises:
        ConfigInvalid: it is not there, cannot be read, or is no text.
    """
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise ConfigInvalid(f"{called} {path} cannot be read: {reason}") from error
    except UnicodeDecodeError as error:
        raise ConfigInvalid(f"{called} {path} is no text: write it in UTF-8") from error

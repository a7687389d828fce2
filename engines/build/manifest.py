"""The record beside a folder of engine files: what made them, what they are, how good they are."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from engines.api import ModelFilesCorrupt, ModelFilesMissing

FORMAT = 1
NAME = "manifest.json"
_BLOCK_BYTES = 1 << 20
_DAMAGED = "the record of the engine files is damaged: run `voicepeer engines build`"
_PACKAGES = ("voicepeer", "onnx", "onnxruntime", "openvino", "numpy")


@dataclass(frozen=True, slots=True)
class Manifest:
    """One build: ``files`` maps names to sha256, ``figures`` are those of its verification.

    ``verified_with`` is the provider and precision that it was verified with, which is not the
    wanted one on a machine that lacks that.
    """

    engine: str
    build_version: int
    recipe: str
    weights_sha256: str
    files: Mapping[str, str]
    packages: Mapping[str, str]
    figures: Mapping[str, float] = field(default_factory=dict)
    verified_with: str = ""
    format: int = FORMAT

    def to_json(self) -> str:
        """The record as it is stored."""
        return json.dumps(asdict(self), indent=1, sort_keys=True) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Manifest:
        """Read what ``to_json`` wrote.

        Raises:
            ModelFilesCorrupt: it is no such record, or of a later format.
        """
        try:
            stored = json.loads(text)
            if stored["format"] != FORMAT:
                raise ModelFilesCorrupt(
                    f"these engine files have format {stored['format']}, this version reads "
                    f"{FORMAT}: build them again"
                )
            made = cls(**stored)
            if not all(isinstance(one, dict) for one in (made.files, made.packages, made.figures)):
                raise TypeError("a table is something else")
            return made
        except (ValueError, TypeError, KeyError) as error:
            raise ModelFilesCorrupt(_DAMAGED) from error


def read(folder: Path) -> Manifest:
    """The record of a folder.

    Raises:
        ModelFilesMissing: there is none: the build was never finished.
        ModelFilesCorrupt: it cannot be read.
    """
    try:
        return Manifest.from_json((folder / NAME).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ModelFilesMissing(
            "there are no finished engine files for this provider and precision: run "
            "`voicepeer engines build`"
        ) from error
    except UnicodeDecodeError as error:
        raise ModelFilesCorrupt(_DAMAGED) from error


def check_files(folder: Path, manifest: Manifest) -> None:
    """Compare every file with its hash.

    Raises:
        ModelFilesMissing: a file is gone.
        ModelFilesCorrupt: a file has other bytes than it was built with.
    """
    for name, expected in manifest.files.items():
        path = folder / name
        if not path.is_file():
            raise ModelFilesMissing(f"the engine file {name} is gone: build the engine again")
        if hash_file(path) != expected:
            raise ModelFilesCorrupt(f"the engine file {name} is damaged: build the engine again")


def hash_files(paths: Iterable[Path]) -> dict[str, str]:
    """Names and sha256 of files."""
    return {path.name: hash_file(path) for path in paths}


def hash_file(path: Path) -> str:
    """The sha256 of a file, in hex."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()


def package_versions() -> dict[str, str]:
    """Versions of what shapes a build."""
    found: dict[str, str] = {}
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found

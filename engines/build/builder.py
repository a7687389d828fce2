"""Builds and verifies the files of any engine that has files to build."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Protocol, cast

from engines.build.manifest import Manifest
from engines.progress import Progress


class Building(Protocol):
    """What an engine's module ``building`` offers."""

    def build(
        self,
        *,
        provider: str,
        precision: str,
        cache: Path,
        weights: Path | None = None,
        progress: Progress,
    ) -> Manifest:
        """Make, verify and publish engine files."""
        ...

    def verify(
        self,
        *,
        provider: str,
        precision: str,
        cache: Path,
        weights: Path | None = None,
        progress: Progress,
    ) -> Manifest:
        """Check the published engine files, with new figures in the record."""
        ...


def building(engine: str) -> Building:
    """The builder of an engine.

    Raises:
        ValueError: there is no such engine, or it has no files to build.
    """
    name = f"engines.{engine}.building"
    try:
        found = importlib.util.find_spec(name) if engine.isidentifier() else None
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise ValueError(f"the engine {engine!r} has no files to build: try kokoro")
    return cast(Building, importlib.import_module(name))

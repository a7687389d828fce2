"""The engine files made from the published weights: which ones, where, and how to make them."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engines.kokoro import decoder, front
from engines.kokoro.checkpoint import Checkpoint
from engines.kokoro.weights import Progress, no_progress, writing

BUILD_VERSION = 4
"""Raised whenever the same weights would give other files."""

_HARMONIC_MIX = "onnx::MatMul_6993"
_HARMONIC_BIAS = "decoder.decoder.generator.m_source.l_linear.bias"


@dataclass(frozen=True, slots=True)
class EngineFiles:
    """One folder of engine files."""

    folder: Path

    @property
    def front(self) -> Path:
        """Tokens to acoustics."""
        return self.folder / "front.onnx"

    @property
    def features(self) -> Path:
        """Acoustics to features, whole segment."""
        return self.folder / "features.onnx"

    @property
    def generator(self) -> Path:
        """Features to spectrum, window by window."""
        return self.folder / "generator.onnx"

    @property
    def calibrator(self) -> Path:
        """Features to spectrum, whole, with the statistics of its norms."""
        return self.folder / "calibrator.onnx"

    @property
    def constants(self) -> Path:
        """Small arrays that stay outside of the graphs."""
        return self.folder / "constants.npz"

    def all(self) -> tuple[Path, ...]:
        """Every file of the engine."""
        return (self.front, self.features, self.generator, self.calibrator, self.constants)

    def complete(self) -> bool:
        """Whether every file is there."""
        return all(path.is_file() for path in self.all())


def make_files(
    weights: Path,
    files: EngineFiles,
    *,
    polynomial_sine: bool = True,
    progress: Progress = no_progress,
) -> None:
    """Make the files that are not there yet; each appears only when it is complete.

    Raises:
        ModelFilesCorrupt: the weights are not the published ones.
        CacheUnwritable: there is no room or no right to write.
    """
    checkpoint: Checkpoint | None = None
    makers: dict[Path, Callable[[Checkpoint], bytes]] = {
        files.front: front.build_front,
        files.features: lambda c: decoder.build_features(c).bytes(),
        files.generator: lambda c: decoder.build_generator(
            c, polynomial_sine=polynomial_sine
        ).bytes(),
        files.calibrator: lambda c: decoder.build_calibrator(
            c, polynomial_sine=polynomial_sine
        ).bytes(),
        files.constants: _constants,
    }
    for index, (path, make) in enumerate(makers.items()):
        progress(f"making {path.name}", index / len(makers))
        if not path.is_file():
            checkpoint = checkpoint or Checkpoint(weights)
            with writing(path) as file:
                file.write(make(checkpoint))
    progress("engine files made", 1.0)


def _constants(checkpoint: Checkpoint) -> bytes:
    matrix, bias = decoder.style_gains(checkpoint)
    buffer = io.BytesIO()
    np.savez(
        buffer,
        gain_matrix=matrix,
        gain_bias=bias,
        harmonic_mix=checkpoint.tensor(_HARMONIC_MIX).ravel(),
        harmonic_bias=checkpoint.tensor(_HARMONIC_BIAS),
    )
    return buffer.getvalue()


def default_files(cache: Path) -> EngineFiles:
    """The folder of this version's files inside a cache folder."""
    return EngineFiles(cache / f"kokoro-82m-v{BUILD_VERSION}")

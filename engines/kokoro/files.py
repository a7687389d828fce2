"""The engine files made from the published weights: which ones, where, and how to make them."""

from __future__ import annotations

import contextlib
import io
import logging
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engines.build import manifest
from engines.build.lock import BuildBusy, exclusive
from engines.build.manifest import Manifest
from engines.cache import explained
from engines.kokoro import decoder, front
from engines.kokoro.checkpoint import Checkpoint
from engines.kokoro.weights import WEIGHTS_SHA256, writing
from engines.progress import Progress, no_progress
from engines.runtime import SessionOptions, check_precision

logger = logging.getLogger(__name__)

ENGINE_NAME = "kokoro"

BUILD_VERSION = 5
"""Raised whenever the same weights would give other files."""

_HARMONIC_MIX = "onnx::MatMul_6993"
_HARMONIC_BIAS = "decoder.decoder.generator.m_source.l_linear.bias"
_FASTEST = {"cpu": "int8", "cuda": "fp16", "tensorrt": "fp16"}
"""Precisions with files of their own; elsewhere the runtime chooses by the CPU."""

_WAIT_S = 300.0
_FLOAT_FOLDER = "float"

COMPILED = "compiled"
"""Folder of the cache for what runtimes compile from engine files."""
_THREADS = 2


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a set of engine files is made for.

    Sine as a polynomial is several times faster where a compiler fuses it (OpenVINO); elsewhere
    the operation itself is. ``half`` stores and runs the generator in fp16, for GPUs; ``int8``
    quantizes its convolutions, for onnxruntime on CPUs.
    """

    polynomial_sine: bool = True
    half: bool = False
    int8: bool = False

    @property
    def label(self) -> str:
        """Short name, part of the folder's."""
        sine = "fused" if self.polynomial_sine else "plain"
        return sine + ("-fp16" if self.half else "") + ("-int8" if self.int8 else "")


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


def chosen_precision(provider: str, wanted: str) -> str:
    """What ``auto`` stands for with a provider; anything else stands for itself."""
    return _FASTEST.get(provider, wanted) if wanted == "auto" else wanted


def recipe_for(provider: str, precision: str) -> Recipe:
    """The files that a provider runs best at a precision.

    Raises:
        PrecisionUnsupported: the provider does not have it.
    """
    check_precision(provider, precision)
    on_gpu = provider in ("cuda", "tensorrt")
    return Recipe(
        polynomial_sine=provider == "openvino",
        half=on_gpu and precision == "fp16",
        int8=provider == "cpu" and precision == "int8",
    )


def folder_for(recipe: Recipe, cache: Path) -> EngineFiles:
    """Where the published files of a recipe are, or will be."""
    return EngineFiles(cache / f"kokoro-82m-v{BUILD_VERSION}-{recipe.label}")


def ready_files(
    recipe: Recipe, cache: Path, weights: Callable[[], Path], progress: Progress = no_progress
) -> EngineFiles:
    """The files of a recipe, made now if they are not there; two processes make them once.

    Raises:
        ModelFilesMissing: ``weights`` finds none.
        ModelFilesCorrupt: the weights are not the published ones.
        CacheUnwritable: there is no room or no right to write.
        BuildBusy: another process has been building for five minutes.
    """
    files = folder_for(recipe, cache)
    with explained(cache):
        if is_ready(files):
            return files
    source = weights()
    with contextlib.suppress(BuildBusy), exclusive(files.folder):
        return _finished(recipe, files, source, progress)
    progress("waiting for another process that makes these files", 0.0)
    with exclusive(files.folder, _WAIT_S):
        return _finished(recipe, files, source, progress)


def _finished(recipe: Recipe, files: EngineFiles, weights: Path, progress: Progress) -> EngineFiles:
    if not is_ready(files):
        staged = stage(recipe, files, weights, progress)
        publish(staged, files, record(recipe, staged, {}))
    return files


def is_ready(files: EngineFiles) -> bool:
    """Whether a folder was finished; a damaged file in it is found when it is opened."""
    return (files.folder / manifest.NAME).is_file() and all(p.is_file() for p in files.all())


def staged_files(target: EngineFiles) -> EngineFiles:
    """Where files are made before they are published."""
    return EngineFiles(target.folder.with_name(f"{target.folder.name}.partial"))


def stage(
    recipe: Recipe, target: EngineFiles, weights: Path, progress: Progress = no_progress
) -> EngineFiles:
    """Make the files beside their final place; what an earlier try finished is kept."""
    staged = staged_files(target)
    if not staged.folder.is_dir():
        _remove(staged.folder)
    make_files(weights, staged, recipe, progress)
    return staged


def publish(staged: EngineFiles, target: EngineFiles, made: Manifest) -> None:
    """Put finished files in place of older ones, which stay usable until then."""
    with writing(staged.folder / manifest.NAME) as file:
        file.write(made.to_json().encode())
    with explained(target.folder.parent):
        _clear(staged)
        older = target.folder.with_name(f"{target.folder.name}.older")
        _remove(older)
        if target.folder.exists():
            target.folder.rename(older)
        staged.folder.rename(target.folder)
        _remove(older)
    logger.info("engine files %s are ready", target.folder.name)


def _clear(files: EngineFiles) -> None:
    """Remove what builds that were killed left beside the files."""
    wanted = {path.name for path in files.all()} | {manifest.NAME}
    for path in files.folder.iterdir():
        if path.name not in wanted:
            _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def record(
    recipe: Recipe, files: EngineFiles, figures: dict[str, float], verified_with: str = ""
) -> Manifest:
    """The manifest of finished files."""
    return Manifest(
        engine=ENGINE_NAME,
        build_version=BUILD_VERSION,
        recipe=recipe.label,
        weights_sha256=WEIGHTS_SHA256,
        files=manifest.hash_files(files.all()),
        packages=manifest.package_versions(),
        figures=figures,
        verified_with=verified_with,
    )


def make_files(
    weights: Path, files: EngineFiles, recipe: Recipe, progress: Progress = no_progress
) -> None:
    """Make the files that are not there yet; each appears only when it is complete.

    Raises:
        ModelFilesCorrupt: the weights are not the published ones.
        CacheUnwritable: there is no room or no right to write.
    """
    checkpoint: Checkpoint | None = None
    sine = recipe.polynomial_sine
    makers: dict[Path, Callable[[Checkpoint], bytes]] = {
        files.front: front.build_front,
        files.features: lambda c: decoder.build_features(c).bytes(),
        files.generator: lambda c: (
            _quantized_generator(weights, files.folder / _FLOAT_FOLDER, progress)
            if recipe.int8
            else decoder.build_generator(c, polynomial_sine=sine, half=recipe.half).bytes()
        ),
        files.calibrator: lambda c: decoder.build_calibrator(c, polynomial_sine=sine).bytes(),
        files.constants: _constants,
    }
    for index, (path, make) in enumerate(makers.items()):
        progress(f"making {path.name}", index / len(makers))
        if not path.is_file():
            checkpoint = checkpoint or Checkpoint(weights)
            with writing(path) as file:
                file.write(make(checkpoint))
    shutil.rmtree(files.folder / _FLOAT_FOLDER, ignore_errors=True)
    progress("engine files made", 1.0)


def _quantized_generator(weights: Path, folder: Path, progress: Progress) -> bytes:
    """The generator in int8, by way of a whole float32 engine in a folder of its own."""
    # Only here, because it runs what else is only opened by the engine.
    from engines.kokoro.quantization import quantize
    from engines.kokoro.synth import Synthesizer

    plain = EngineFiles(folder)
    make_files(weights, plain, Recipe(polynomial_sine=False), progress)
    synth = Synthesizer(plain, SessionOptions("cpu", "fp32", _THREADS))
    return quantize(synth, plain.generator, progress)


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

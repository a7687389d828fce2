"""Builds and verifies engine files on request: ``voicepeer engines build|verify``."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from engines.api import ModelFilesCorrupt
from engines.build import manifest
from engines.build.lock import exclusive
from engines.build.manifest import Manifest
from engines.kokoro import files as engine_files
from engines.kokoro import verification
from engines.kokoro.files import EngineFiles, Recipe, chosen_precision, folder_for, recipe_for
from engines.kokoro.synth import Synthesizer
from engines.kokoro.weights import weights_file
from engines.progress import Progress, no_progress
from engines.runtime import SessionOptions, resolve_provider

_THREADS = 2


def build(
    *,
    provider: str,
    precision: str,
    cache: Path,
    weights: Path | None = None,
    progress: Progress = no_progress,
) -> Manifest:
    """Make engine files, verify them, and only then put them in place of older ones.

    Raises:
        ModelFilesMissing, ModelFilesCorrupt: the weights are not there or not the right ones.
        PrecisionUnsupported: the provider does not have the precision.
        BuildBusy: another process is building the same files.
        BuildRejected: the files are not good enough; older ones stay in place.
        CacheUnwritable: there is no room or no right to write.
        QualityModelMissing: the ``eval`` extra, which judges the speech, is not installed.
    """
    options = _options(provider, precision, cache)
    recipe = recipe_for(options.provider, options.precision)
    target = folder_for(recipe, cache)
    source = weights_file(weights, cache, progress)
    with exclusive(target.folder):
        # Whoever builds may do so because what was compiled is damaged.
        shutil.rmtree(cache / engine_files.COMPILED, ignore_errors=True)
        resumed = engine_files.staged_files(target).folder.exists()
        try:
            staged, figures, verified_with = _made(recipe, target, options, source, progress)
        except ModelFilesCorrupt:
            if not resumed:
                raise
            progress("starting over, as what an earlier build left is damaged", 0.0)
            staged, figures, verified_with = _made(recipe, target, options, source, progress)
        made = engine_files.record(recipe, staged, figures.to_dict(), verified_with)
        engine_files.publish(staged, target, made)
    return made


def _made(
    recipe: Recipe,
    target: EngineFiles,
    options: SessionOptions,
    weights: Path,
    progress: Progress,
) -> tuple[EngineFiles, verification.Figures, str]:
    """Files that are good enough, beside their place; nothing is left of others."""
    staged = engine_files.stage(recipe, target, weights, progress)
    try:
        figures, verified_with = _figures(staged, recipe, options, weights, progress)
        figures.check()
    except (verification.BuildRejected, ModelFilesCorrupt):
        # What failed must not be taken for an unfinished build and be resumed.
        shutil.rmtree(staged.folder, ignore_errors=True)
        raise
    return staged, figures, verified_with


def verify(
    *,
    provider: str,
    precision: str,
    cache: Path,
    weights: Path | None = None,
    progress: Progress = no_progress,
) -> Manifest:
    """Check the files that are in use: their hashes, and how they sound on this machine.

    Raises:
        ModelFilesMissing: nothing was built for this provider and precision.
        ModelFilesCorrupt: a file is not what was built.
        BuildRejected: the speech is not good enough.
        QualityModelMissing: the ``eval`` extra, which judges the speech, is not installed.
    """
    options = _options(provider, precision, cache)
    recipe = recipe_for(options.provider, options.precision)
    files = folder_for(recipe, cache)
    made = manifest.read(files.folder)
    manifest.check_files(files.folder, made)
    source = weights_file(weights, cache, progress)
    figures, verified_with = _figures(files, recipe, options, source, progress)
    figures.check()
    return replace(made, figures=figures.to_dict(), verified_with=verified_with)


def _options(provider: str, precision: str, cache: Path) -> SessionOptions:
    # Compiled programs are cached by content, so those of a rejected build do no harm.
    provider = resolve_provider(provider, precision)
    chosen = chosen_precision(provider, precision)
    return SessionOptions(provider, chosen, _THREADS, cache / engine_files.COMPILED)


def _figures(
    files: EngineFiles,
    recipe: Recipe,
    options: SessionOptions,
    weights: Path,
    progress: Progress,
) -> tuple[verification.Figures, str]:
    """Compare with float32 in onnxruntime, of these files or of others where these have none.

    Also tells what really ran the candidate.
    """
    candidate = Synthesizer(files, options)
    plain = files
    if recipe.half or recipe.int8:
        cache = files.folder.parent
        plain = engine_files.ready_files(Recipe(False), cache, lambda: weights, progress)
    reference = Synthesizer(plain, SessionOptions("cpu", "fp32", _THREADS))
    ran = candidate.session
    figures = verification.compare(candidate, reference, weights, progress)
    return figures, f"{ran.provider} {ran.precision}"

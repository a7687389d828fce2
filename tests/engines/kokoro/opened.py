"""The real engine, opened once for all tests of a run."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np

from engines.kokoro import engine as kokoro
from engines.kokoro.checkpoint import Checkpoint
from engines.kokoro.engine import KokoroEngine
from engines.kokoro.files import EngineFiles, ready_files, recipe_for
from engines.kokoro.synth import Synthesizer
from engines.kokoro.voices import Style, stock_styles
from engines.kokoro.weights import cache_dir, weights_file
from engines.runtime import Session, SessionOptions, open_session

SENTENCE = "ðə kwˈɪk bɹˈWn fˈɑks."


@functools.cache
def engine() -> KokoroEngine:
    """The engine as a user opens it."""
    return kokoro.open_engine({})


@functools.cache
def files() -> EngineFiles:
    """The files that OpenVINO would run."""
    return ready_files(recipe_for("openvino", "bf16"), cache_dir(), weights_file)


@functools.cache
def exact() -> Synthesizer:
    """The same graphs in float32 in onnxruntime."""
    return Synthesizer(files(), SessionOptions("cpu", "fp32", 2))


@functools.cache
def checkpoint() -> Checkpoint:
    """The published weights."""
    return Checkpoint(weights_file())


@functools.cache
def published() -> Session:
    """The published graph as it is."""
    return open_session(weights_file(), SessionOptions("cpu", "int8", 2))


def style(name: str = "af_heart") -> Style:
    """A stock voice."""
    return stock_styles()[name]


def similarity(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Correlation of two signals of one length."""
    return float(np.corrcoef(ours, theirs)[0, 1])


def scratch_weights(folder: Path) -> Path:
    """A small file that is no model."""
    path = folder / "bad.onnx"
    path.write_bytes(b"\xff\xff not a model")
    return path

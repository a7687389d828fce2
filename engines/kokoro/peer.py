"""The package kokoro-onnx on the same weights and voice, to be measured beside this engine."""

from __future__ import annotations

import asyncio
import importlib
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import EngineError, Pcm
from engines.kokoro import voices
from engines.kokoro.source import SAMPLE_RATE_HZ
from engines.kokoro.weights import weights_file

_VOICE = "af_heart"


class PeerMissing(EngineError):
    """The package to compare with is not installed."""


class KokoroOnnx:
    """``create_stream`` of kokoro-onnx as its users call it, with its own defaults."""

    rate_hz = SAMPLE_RATE_HZ

    def __init__(self) -> None:
        """Load the package and the model.

        Raises:
            PeerMissing: the package or one that it needs is not installed.
            ModelFilesMissing: the weights are not installed.
        """
        try:
            package = importlib.import_module("kokoro_onnx")
        except ImportError as error:
            raise PeerMissing("comparing needs: pip install kokoro-onnx==0.6.1") from error
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "voices.npz"
            style = voices.stock_styles()[_VOICE]
            rows = [voices.style_for_length(style, tokens)[None] for tokens in range(1, 511)]
            np.savez(path, allow_pickle=False, **{_VOICE: np.stack(rows)})
            self._model: Any = package.Kokoro(str(weights_file()), str(path))
            # It reads voices when asked for them; the file is gone by then.
            self._model.voices = {_VOICE: np.load(path)[_VOICE]}

    def say(self, text: str) -> Iterator[Pcm]:
        """Samples as it yields them."""
        with asyncio.Runner() as runner:
            stream: AsyncIterator[tuple[Pcm, int]] = self._model.create_stream(
                text, voice=_VOICE, lang="en-us"
            )
            while (part := runner.run(_next(stream))) is not None:
                yield part


async def _next(stream: AsyncIterator[tuple[Pcm, int]]) -> Pcm | None:
    async for pcm, _ in stream:
        return pcm
    return None

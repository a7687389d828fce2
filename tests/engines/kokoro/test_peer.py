"""The package to compare with, which is not installed for tests."""

from __future__ import annotations

import sys
import types
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from engines.api import Pcm
from engines.kokoro import peer
from engines.kokoro.peer import KokoroOnnx, PeerMissing

pytestmark = pytest.mark.unit


def test_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kokoro_onnx", None)
    with pytest.raises(PeerMissing, match="pip install kokoro-onnx"):
        KokoroOnnx()


class Package:
    """The part of the package's interface that is used."""

    def __init__(self, model_path: str, voices_path: str) -> None:
        with np.load(voices_path) as stored:
            self.voices = {name: stored[name] for name in stored.files}

    async def create_stream(
        self, text: str, voice: str, lang: str
    ) -> AsyncIterator[tuple[Pcm, int]]:
        for length in (3, 5):
            yield np.full(length, float(len(text)), np.float32), 24_000


def test_says_what_the_package_yields(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module = types.ModuleType("kokoro_onnx")
    module.Kokoro = Package  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "kokoro_onnx", module)
    monkeypatch.setattr(peer, "weights_file", lambda: tmp_path / "weights.onnx")
    opened = KokoroOnnx()
    assert opened._model.voices["af_heart"].shape == (510, 1, 256)
    assert [part.tolist() for part in opened.say("ab")] == [[2.0] * 3, [2.0] * 5]
    assert opened.rate_hz == 24_000

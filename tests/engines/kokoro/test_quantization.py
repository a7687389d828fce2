"""The generator in static int8, and in fp16."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engines.build.quality import log_mel_error, spectral_cosine
from engines.kokoro import quantization
from engines.kokoro.decoder import NORM_CHANNELS, build_generator
from engines.kokoro.quantization import _Reader, quantize, quantizer_inputs
from engines.kokoro.source import SAMPLE_RATE_HZ, synthesise
from engines.runtime import SessionOptions, Tensor, open_session
from tests.engines.kokoro.opened import checkpoint, engine

pytestmark = pytest.mark.engine


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """One voice and one span, so that a test takes seconds."""
    monkeypatch.setattr(quantization, "VOICES", quantization.VOICES[:1])
    monkeypatch.setattr(quantization, "_SPANS", quantization._SPANS[:1])


def inputs() -> Iterator[dict[str, Tensor]]:
    return quantizer_inputs(engine().synth)


def test_inputs_are_what_the_generator_takes(few: None) -> None:
    (feeds,) = inputs()
    frames = feeds["features"].shape[2]
    assert feeds["features"].shape == (1, 512, frames)
    assert feeds["source"].shape == (1, 22, 60 * frames + 1)
    assert feeds["scale"].shape == feeds["shift"].shape == (1, NORM_CHANNELS, 1)
    assert all(np.isfinite(value).all() for value in feeds.values())


def test_a_reader_ends() -> None:
    reader = _Reader(iter([{"x": np.zeros(1)}]))
    assert reader.get_next() is not None
    assert reader.get_next() is None
    assert list(_Reader(iter([{"x": np.zeros(1)}]))) != []


def test_int8_is_smaller_and_sounds_alike(few: None, tmp_path: Path) -> None:
    path = tmp_path / "generator.onnx"
    build_generator(checkpoint(), polynomial_sine=False).save(path)
    quantized = quantize(engine().synth, path)
    assert len(quantized) < 0.4 * path.stat().st_size
    (feeds,) = inputs()
    heard = [
        synthesise(open_session(model, SessionOptions("cpu", "int8", 2)).run(feeds)[0][0])
        for model in (quantized, path)
    ]
    assert np.isfinite(heard[0]).all()
    assert log_mel_error(heard[0], heard[1], SAMPLE_RATE_HZ) < 0.05
    assert spectral_cosine(heard[0], heard[1], SAMPLE_RATE_HZ) > 0.95


def test_fp16_sounds_the_same(few: None) -> None:
    """What a GPU runs; here by CPU kernels that round to fp16 just the same."""
    half = build_generator(checkpoint(), polynomial_sine=False, half=True).bytes()
    plain = build_generator(checkpoint(), polynomial_sine=False).bytes()
    assert len(half) < 0.51 * len(plain)
    (feeds,) = inputs()
    heard = [
        synthesise(open_session(model, SessionOptions("cpu", "fp32", 2)).run(feeds)[0][0])
        for model in (half, plain)
    ]
    assert np.isfinite(heard[0]).all()
    assert log_mel_error(heard[0], heard[1], SAMPLE_RATE_HZ) < 0.005
    assert spectral_cosine(heard[0], heard[1], SAMPLE_RATE_HZ) > 0.999

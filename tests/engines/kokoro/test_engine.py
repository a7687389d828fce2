"""Kokoro behind the seam: what the conformance suite does not ask."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engines import kokoro
from engines.api import Controls, ModelFilesMissing, Segment, Voice, VoiceIncompatible
from engines.kokoro import voices
from engines.kokoro.engine import session_options
from tests.engines.kokoro.opened import engine

pytestmark = pytest.mark.engine


def speak(voice: Voice, text: str = "Good morning.") -> np.ndarray:
    stream = engine().speak(Segment(text), voice, Controls(), threading.Event())
    return np.concatenate([chunk.pcm for chunk in stream])


def test_says_what_it_runs_on() -> None:
    info = engine().info
    assert info.provider in ("openvino", "cuda", "cpu")
    assert info.precision in ("bf16", "fp32", "fp16")
    assert info.encoder == "ge2e"
    assert info.streaming
    assert info.word_times


def own(name: str) -> Voice:
    """A stock voice as if somebody had cloned it: without norms of its own."""
    return voices.make_voice(voices.stock_styles()[name])


@pytest.mark.parametrize("name", ["af_heart", "em_alex"])
def test_shipped_norms_are_what_would_be_measured(name: str) -> None:
    shipped = engine().stock_voices()[name].arrays[voices.NORMS]
    measured = engine().prepared(own(name)).arrays[voices.NORMS]
    spread = np.sqrt(measured[1])
    # In bf16 here and in float32 when they were measured.
    assert np.median(np.abs(shipped[0] - measured[0]) / spread) < 0.02
    assert np.median(np.abs(np.sqrt(shipped[1]) / spread - 1.0)) < 0.02


def test_a_stock_voice_speaks_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(*_: object) -> None:
        raise AssertionError("nobody waits for norms that ship")

    monkeypatch.setattr("engines.kokoro.calibration.calibrate", measure)
    assert speak(engine().stock_voices()["zf_xiaoni"]).size > 0


def test_a_prepared_voice_brings_its_norms_and_sounds_the_same() -> None:
    voice = own("bm_george")
    prepared = engine().prepared(voice)
    assert prepared.arrays[voices.NORMS].shape == (2, 9216)
    np.testing.assert_allclose(speak(prepared), speak(voice), atol=1e-3)
    again = engine().prepared(prepared)
    np.testing.assert_array_equal(again.arrays[voices.NORMS], prepared.arrays[voices.NORMS])


def test_damaged_norms_are_measured_anew() -> None:
    voice = own("bm_george")
    broken = replace(voice, arrays={**voice.arrays, voices.NORMS: np.zeros((3, 3), np.float32)})
    np.testing.assert_allclose(speak(broken), speak(voice), atol=1e-3)


def test_a_voice_without_style_is_refused() -> None:
    voice = engine().stock_voices()["bm_george"]
    with pytest.raises(VoiceIncompatible):
        speak(replace(voice, arrays={}))


def test_stages_are_timed() -> None:
    times = engine().stage_times_ms()
    assert set(times) == {"front_ms", "features_ms", "first_chunk_ms"}
    assert all(time_ms > 0.0 for time_ms in times.values())


@pytest.mark.unit
def test_options_are_read() -> None:
    options = session_options(
        {"provider": "openvino", "precision": "fp32", "threads": "3"}, Path("/c")
    )
    assert (options.provider, options.precision, options.threads) == ("openvino", "fp32", 3)
    assert options.cache_dir == Path("/c/compiled")


@pytest.mark.unit
def test_by_default_two_cores_and_the_best_provider() -> None:
    options = session_options({}, Path("/c"))
    assert 1 <= options.threads <= 2
    assert options.provider != "auto"
    assert options.precision == "auto"


@pytest.mark.unit
@pytest.mark.parametrize(
    ("provider", "chosen"),
    [("cpu", "int8"), ("cuda", "fp16"), ("tensorrt", "fp16"), ("openvino", "auto")],
)
def test_each_provider_has_its_fastest_precision(provider: str, chosen: str) -> None:
    assert session_options({"provider": provider}, Path("/c")).precision == chosen
    assert session_options({"provider": provider, "precision": "fp32"}, Path("/c")).precision == (
        "fp32"
    )


@pytest.mark.unit
@pytest.mark.parametrize("threads", ["0", "-1", "two"])
def test_impossible_thread_counts_are_refused(threads: str) -> None:
    with pytest.raises(ValueError, match=threads):
        session_options({"threads": threads}, Path("/c"))


@pytest.mark.unit
def test_a_weights_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    options = {"weights": str(tmp_path / "gone.onnx"), "cache": str(tmp_path)}
    with pytest.raises(ModelFilesMissing, match="gone"):
        kokoro.create(options)

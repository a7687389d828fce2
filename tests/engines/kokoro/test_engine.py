"""Kokoro behind the seam: what the conformance suite does not ask."""

from __future__ import annotations

import shutil
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engines import kokoro
from engines.api import (
    Controls,
    EngineError,
    ModelFilesCorrupt,
    ModelFilesMissing,
    Segment,
    Voice,
    VoiceIncompatible,
)
from engines.kokoro import voices
from engines.kokoro.engine import session_options
from engines.kokoro.files import EngineFiles, chosen_precision, folder_for, recipe_for
from tests.engines.kokoro.opened import engine, files

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


@pytest.fixture
def copied(tmp_path: Path) -> EngineFiles:
    """The engine files in a cache of their own, as files that may be damaged."""
    target = folder_for(recipe_for("openvino", "auto"), tmp_path)
    shutil.copytree(files().folder, target.folder)
    return target


def flip(path: Path, at: float, count: int = 20_000) -> None:
    """Damage that leaves the length as it is."""
    with path.open("r+b") as file:
        file.seek(round(at * path.stat().st_size))
        file.write(np.random.default_rng(1).bytes(count))


def test_damaged_files_are_named_as_such_when_the_engine_opens(copied: EngineFiles) -> None:
    pytest.importorskip("openvino")
    flip(copied.generator, 0.5)
    with pytest.raises(ModelFilesCorrupt, match="voicepeer engines build"):
        kokoro.create({"provider": "openvino", "cache": str(copied.folder.parent)})


def test_damaged_programs_are_compiled_anew(
    copied: EngineFiles, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("openvino")
    options = {"provider": "openvino", "cache": str(copied.folder.parent)}
    kokoro.create(options)
    compiled = copied.folder.parent / "compiled"
    for path in compiled.glob("*.blob"):
        flip(path, 0.5)
    spoken = speak(kokoro.create(options).stock_voices()["af_heart"])
    assert np.abs(spoken).max() > 0.05


def test_a_voice_of_no_numbers_is_an_error_and_no_silence() -> None:
    voice = own("bm_george")
    broken = np.full((2, 9216), np.float32(3e38))
    with pytest.raises(EngineError, match="not numbers"):
        speak(replace(voice, arrays={**voice.arrays, voices.NORMS: broken}))


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
    assert chosen_precision(provider, "auto") == chosen
    assert chosen_precision(provider, "fp32") == "fp32"


@pytest.mark.unit
def test_without_a_gpu_the_files_of_the_best_other_provider_are_taken() -> None:
    wanted = session_options({"provider": "tensorrt", "precision": "fp16"}, Path("/c"))
    assert wanted == session_options({}, Path("/c"))


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

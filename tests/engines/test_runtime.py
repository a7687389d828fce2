"""Opening models: the wanted provider, the way back to CPU, and what a broken model says."""

from __future__ import annotations

import errno
import locale
import logging
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from engines import runtime
from engines.api import ModelFilesCorrupt, ModelFilesMissing
from engines.kokoro.graph import GraphBuilder
from engines.runtime import (
    PROVIDERS,
    PrecisionUnsupported,
    SessionOptions,
    available_providers,
    check_precision,
    fallback_counts,
    open_session,
)

pytestmark = pytest.mark.unit

ALL_PROVIDERS = ["TensorrtExecutionProvider", "CUDAExecutionProvider", "CPUExecutionProvider"]


@pytest.fixture
def model() -> bytes:
    """``y = 3 x`` over any number of frames."""
    graph = GraphBuilder("triple")
    graph.output(graph.scaled(graph.input("x", [1, 1, "n"]), 3.0), "y", [1, 1, "n"])
    return graph.bytes()


def feeds(*values: float) -> dict[str, np.ndarray]:
    return {"x": np.array(values, np.float32).reshape(1, 1, -1)}


def test_no_runtime_takes_notes_of_its_use(tmp_path: Path) -> None:
    code = "from engines.runtime import available_providers; assert available_providers()"
    unwanted = ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "ORT_DISABLE_TELEMETRY")
    environ = {name: value for name, value in os.environ.items() if name not in unwanted}
    subprocess.run([sys.executable, "-c", code], check=True, env=environ | {"HOME": str(tmp_path)})
    assert list(tmp_path.rglob("*")) == []


def test_cpu_is_always_there_and_last() -> None:
    assert available_providers()[-1] == "cpu"


@pytest.mark.parametrize("provider", ["cpu", "openvino", "auto"])
def test_runs_a_model_from_bytes(model: bytes, provider: str) -> None:
    session = open_session(model, SessionOptions(provider))
    (output,) = session.run(feeds(1.0, 2.0))
    np.testing.assert_allclose(output.ravel(), [3.0, 6.0])


def test_runs_a_model_from_a_file(model: bytes, tmp_path: Path) -> None:
    path = tmp_path / "triple.onnx"
    path.write_bytes(model)
    (output,) = open_session(path).run(feeds(2.0))
    assert output.ravel().tolist() == [6.0]


@pytest.mark.parametrize("provider", ["cpu", "openvino"])
def test_outputs_belong_to_the_caller(model: bytes, provider: str) -> None:
    session = open_session(model, SessionOptions(provider))
    (first,) = session.run(feeds(1.0))
    session.run(feeds(5.0))
    assert first.ravel().tolist() == [3.0]


def test_a_fixed_shape_runs_that_shape(model: bytes) -> None:
    options = SessionOptions("openvino", fixed_shapes={"x": (1, 1, 2)})
    (output,) = open_session(model, options).run(feeds(1.0, 2.0))
    assert output.shape == (1, 1, 2)


def test_a_cache_folder_is_filled(model: bytes, tmp_path: Path) -> None:
    open_session(model, SessionOptions("openvino", cache_dir=tmp_path))
    assert any(tmp_path.iterdir())


def test_a_copy_with_half_weights_is_made_once_and_computes_the_same(tmp_path: Path) -> None:
    openvino = pytest.importorskip("openvino")
    random = np.random.default_rng(1)
    graph, weight = GraphBuilder("conv"), random.normal(0.0, 0.1, (64, 64, 3)).astype(np.float32)
    heard = graph.conv(graph.input("x", [1, 64, "n"]), weight, np.zeros(64, np.float32))
    graph.output(heard, "y", [1, 64, "n"])
    path, folder = tmp_path / "model.onnx", tmp_path / "compiled"
    graph.save(path)
    core = openvino.Core()
    with ThreadPoolExecutor(4) as pool:
        copies = set(pool.map(lambda _: runtime._half_copy(core, path, folder), range(8)))
    (copy,) = copies
    assert sorted(one.suffix for one in folder.iterdir()) == [".bin", ".xml"]
    assert copy.with_suffix(".bin").stat().st_size < 0.6 * weight.nbytes
    x = {"x": random.normal(0.0, 1.0, (1, 64, 20)).astype(np.float32)}
    plain, half = (
        np.asarray(core.compile_model(str(one), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(x)[0])
        for one in (path, copy)
    )
    np.testing.assert_allclose(half, plain, atol=5e-3)
    # A model of the same name with other content has a copy of its own.
    path.write_bytes(path.read_bytes())
    os.utime(path, ns=(1, 1))
    assert runtime._half_copy(core, path, folder) != copy


@pytest.mark.parametrize(
    "damage", ["truncated weights", "no weights", "truncated graph", "no room"]
)
def test_a_damaged_copy_is_done_without(
    model: bytes, tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    openvino = pytest.importorskip("openvino")
    path, folder = tmp_path / "model.onnx", tmp_path / "compiled"
    path.write_bytes(model)
    core = openvino.Core()
    if damage == "no room":
        folder.write_bytes(b"a file is in the way")
    else:
        copy = runtime._half_copy(core, path, folder)
        spoilt = copy if "graph" in damage else copy.with_suffix(".bin")
        spoilt.write_bytes(spoilt.read_bytes()[: 0 if "no" in damage else 1])
    with caplog.at_level(logging.WARNING):
        compiled = core.compile_model(runtime._read(core, path, folder), "CPU")
    assert np.asarray(compiled(feeds(2.0))[0]).ravel().tolist() == [6.0]
    assert "model.onnx" in caplog.text


def test_several_threads_share_a_session(model: bytes) -> None:
    session = open_session(model, SessionOptions("openvino"))
    wrong: list[float] = []

    def work(value: float) -> None:
        for _ in range(50):
            (output,) = session.run(feeds(value))
            if output.ravel().tolist() != [3.0 * value]:
                wrong.append(value)

    threads = [threading.Thread(target=work, args=(float(value),)) for value in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_provider_without_runtime_falls_back_logged_and_counted(
    model: bytes, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: ["CPUExecutionProvider"])
    before = fallback_counts().get("cuda", 0)
    with caplog.at_level(logging.WARNING):
        session = open_session(model, SessionOptions("cuda"))
    assert session.provider == "cpu"
    assert fallback_counts()["cuda"] == before + 1
    assert "cuda" in caplog.text


@pytest.mark.parametrize("provider", ["cuda", "tensorrt"])
def test_a_provider_without_device_falls_back(
    model: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, provider: str
) -> None:
    """onnxruntime lists a provider whose libraries then do not load: it silently uses the CPU."""
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: ALL_PROVIDERS)
    before = fallback_counts().get(provider, 0)
    session = open_session(model, SessionOptions(provider, "fp16", cache_dir=tmp_path))
    assert (session.provider, session.precision) == ("cpu", "fp32")
    assert fallback_counts()[provider] == before + 1
    (output,) = session.run(feeds(2.0))
    assert output.ravel().tolist() == [6.0]


@pytest.mark.parametrize("provider", ["cuda", "tensorrt", "cpu"])
def test_libraries_that_pip_installed_are_found_and_stdout_is_left_alone(
    model: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], provider: str
) -> None:
    def preload() -> None:
        print("no libcudnn")  # noqa: T201  # as the real one does

    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: ALL_PROVIDERS)
    monkeypatch.setattr("onnxruntime.preload_dlls", preload, raising=False)
    runtime._preload_cuda.cache_clear()
    open_session(model, SessionOptions(provider))
    out, err = capsys.readouterr()
    assert "libcudnn" not in out
    assert ("libcudnn" in err) is (provider != "cpu")


def test_auto_prefers_a_gpu_but_never_waits_for_tensorrt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: ALL_PROVIDERS)
    assert available_providers()[:2] == ("tensorrt", "cuda")
    assert runtime.resolve_provider("auto") == "cuda"
    assert runtime.resolve_provider("tensorrt") == "tensorrt"


def test_tensorrt_keeps_cuda_and_cpu_for_what_it_cannot_do(tmp_path: Path) -> None:
    chain = runtime._ort_providers("tensorrt", SessionOptions("tensorrt", "fp16", 1, tmp_path))
    assert [name for name, _ in chain] == ALL_PROVIDERS
    assert chain[0][1]["trt_fp16_enable"] == "True"
    assert chain[0][1]["trt_engine_cache_path"] == str(tmp_path)


@pytest.mark.parametrize(
    ("wanted", "native", "used"),
    [
        ("auto", ["FP32", "BF16"], "bf16"),
        ("auto", ["FP32"], "fp32"),
        ("bf16", ["FP32"], "fp32"),
        ("fp16", ["FP32", "FP16"], "fp16"),
        ("int8", ["FP32"], "int8"),
        ("fp32", ["FP32", "BF16"], "fp32"),
    ],
)
def test_precision_is_one_that_the_cpu_has(wanted: str, native: list[str], used: str) -> None:
    assert runtime._openvino_precision(wanted, native) == used


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(ModelFilesMissing, match="gone"):
        open_session(tmp_path / "gone.onnx")


@pytest.mark.parametrize("provider", ["cpu", "openvino", "auto"])
def test_a_broken_model_says_so(provider: str) -> None:
    with pytest.raises(ModelFilesCorrupt):
        open_session(b"this is no model", SessionOptions(provider))


@pytest.mark.parametrize("options", [SessionOptions("gpu"), SessionOptions(precision="fp8")])
def test_unknown_options_name_the_known(options: SessionOptions) -> None:
    with pytest.raises(ValueError, match=r"cpu|fp32"):
        open_session(b"", options)


@pytest.mark.parametrize(
    ("provider", "precision"),
    [
        ("cpu", "bf16"),
        ("cpu", "fp16"),
        ("cuda", "int8"),
        ("tensorrt", "bf16"),
        ("openvino", "int8"),
    ],
)
def test_a_precision_that_a_provider_lacks_names_those_it_has(
    provider: str, precision: str
) -> None:
    with pytest.raises(PrecisionUnsupported, match=f"{provider} does not run {precision}.*fp32"):
        check_precision(provider, precision)


@pytest.mark.parametrize(
    ("precision", "provider"),
    [("auto", "cuda"), ("fp16", "cuda"), ("int8", "cpu"), ("fp32", "cuda")],
)
def test_auto_is_a_provider_that_has_the_precision(
    monkeypatch: pytest.MonkeyPatch, precision: str, provider: str
) -> None:
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: ALL_PROVIDERS)
    assert runtime.resolve_provider("auto", precision) == provider


def test_auto_without_any_provider_for_a_precision_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "available_providers", lambda: ("cpu",))
    with pytest.raises(PrecisionUnsupported, match="bf16"):
        runtime.resolve_provider("auto", "bf16")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_has_float32_and_a_best_one(provider: str) -> None:
    check_precision(provider, "fp32")
    check_precision(provider, "auto")


@pytest.mark.parametrize("wanted", ["cuda", "tensorrt"])
def test_a_provider_that_cannot_start_gives_way_before_files_are_made(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, wanted: str
) -> None:
    """Listed by onnxruntime, but without a device: only trying shows that."""
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: ALL_PROVIDERS)
    monkeypatch.setattr(runtime, "_AUTO_ORDER", ("cpu",))
    before = fallback_counts().get(wanted, 0)
    with caplog.at_level(logging.WARNING):
        assert runtime.usable_provider(wanted, "fp16") == ("cpu", "auto")
    assert fallback_counts()[wanted] == before + 1
    assert len(caplog.records) == 1


@pytest.mark.parametrize("wanted", available_providers())
def test_a_provider_that_is_here_is_taken_at_its_word(wanted: str) -> None:
    assert runtime.usable_provider(wanted, "fp32") == (wanted, "fp32")


def test_the_probe_is_a_model() -> None:
    session = open_session(runtime._PROBE, SessionOptions("cpu"))
    (output,) = session.run({"x": np.array([7], np.float32)})
    assert output.tolist() == [7.0]


def test_a_file_that_may_not_be_read_is_not_called_damaged(
    model: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(model)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    # Root may read anything, so the system is made to refuse.
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ModelFilesMissing, match="model.onnx cannot be read: permission denied"):
        open_session(path, SessionOptions("cpu"))


@pytest.mark.parametrize("provider", available_providers())
def test_a_damaged_file_is_told_without_paths_of_the_machine(
    tmp_path: Path, provider: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"\xff\xff no model")
    with (
        caplog.at_level(logging.WARNING),
        pytest.raises(ModelFilesCorrupt, match="model.onnx is damaged.*engines build"),
    ):
        open_session(path, SessionOptions(provider, cache_dir=tmp_path / "c"))
    assert str(tmp_path) not in caplog.text
    assert all("\n" not in record.getMessage() for record in caplog.records)


@pytest.mark.parametrize("provider", available_providers())
def test_a_cache_that_cannot_be_written_costs_no_speed(
    model: bytes, tmp_path: Path, provider: str, caplog: pytest.LogCaptureFixture
) -> None:
    path, folder = tmp_path / "model.onnx", tmp_path / "c"
    path.write_bytes(model)
    folder.write_bytes(b"a file is in the way")
    before = fallback_counts().get(provider, 0)
    with caplog.at_level(logging.WARNING):
        session = open_session(path, SessionOptions(provider, cache_dir=folder))
    assert session.provider == provider
    assert fallback_counts().get(provider, 0) == before
    assert ("every start takes longer" in caplog.text) is (provider == "openvino")


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("provider", available_providers())
def test_the_locale_of_the_process_stays_as_it_was(
    model: bytes, tmp_path: Path, provider: str, threads: int
) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(model)
    before = locale.setlocale(locale.LC_ALL), locale.getpreferredencoding(False)
    options = SessionOptions(provider, "auto", cache_dir=tmp_path / "c")
    # Twice, as what was kept from the first time is read in another way.
    for _ in range(2):
        with ThreadPoolExecutor(threads) as pool:
            for session in pool.map(lambda _: open_session(path, options), range(threads)):
                session.run(feeds(1.0))
    assert (locale.setlocale(locale.LC_ALL), locale.getpreferredencoding(False)) == before

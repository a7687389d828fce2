"""The graph computes what the tensors mean, and a bad int8 build is not published."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

onnx = pytest.importorskip("onnx")

from engines.api import ModelFilesCorrupt, ModelFilesMissing  # noqa: E402
from engines.ge2e import export, graph  # noqa: E402
from engines.ge2e.mel import MEL_BANDS  # noqa: E402
from engines.runtime import open_session  # noqa: E402
from tests.clips import FOLDER, clip, clip_path  # noqa: E402

pytestmark = pytest.mark.engine

HIDDEN = 16


def random_tensors(seed: int, scale: float = 0.3) -> dict[str, NDArray[np.float32]]:
    draw = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {"linear.weight": (8, HIDDEN), "linear.bias": (8,)}
    for layer, features in enumerate([MEL_BANDS, HIDDEN, HIDDEN]):
        shapes |= {
            f"lstm.weight_ih_l{layer}": (4 * HIDDEN, features),
            f"lstm.weight_hh_l{layer}": (4 * HIDDEN, HIDDEN),
            f"lstm.bias_ih_l{layer}": (4 * HIDDEN,),
            f"lstm.bias_hh_l{layer}": (4 * HIDDEN,),
        }
    return {
        name: np.asarray(draw.standard_normal(shape) * scale, dtype=np.float32)
        for name, shape in shapes.items()
    }


def sigmoid(x: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(1.0 / (1.0 + np.exp(-x)))


def plain_forward(tensors: dict[str, NDArray[np.float32]], mels: NDArray[Any]) -> NDArray[Any]:
    """The network by its definition in PyTorch's documentation of ``nn.LSTM``, one sample."""
    sequence = mels
    for layer in range(3):
        h = c = np.zeros(HIDDEN)
        outputs = []
        for x in sequence:
            gates = (
                tensors[f"lstm.weight_ih_l{layer}"] @ x
                + tensors[f"lstm.bias_ih_l{layer}"]
                + tensors[f"lstm.weight_hh_l{layer}"] @ h
                + tensors[f"lstm.bias_hh_l{layer}"]
            )
            i, f, g, o = np.split(gates, 4)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
            outputs.append(h)
        sequence = np.stack(outputs)
    projected = tensors["linear.weight"] @ sequence[-1] + tensors["linear.bias"]
    return np.asarray(np.maximum(0.0, projected))


def test_graph_computes_the_network(tmp_path: Path) -> None:
    tensors = random_tensors(seed=1)
    onnx.save(graph.build(tensors), tmp_path / "net.onnx")
    mels = np.random.default_rng(2).standard_normal((3, 20, MEL_BANDS)).astype(np.float32)
    (output,) = open_session(tmp_path / "net.onnx").run({"mels": mels})
    expected = [plain_forward(tensors, sample) for sample in mels]
    np.testing.assert_allclose(output, expected, atol=1e-5)


def test_int8_keeps_the_first_layer_in_float(tmp_path: Path) -> None:
    onnx.save(graph.build(random_tensors(seed=1)), tmp_path / "net.onnx")
    graph.quantize(tmp_path / "net.onnx", tmp_path / "int8.onnx")
    kinds = [node.op_type for node in onnx.load(tmp_path / "int8.onnx").graph.node]
    assert kinds.count("LSTM") == 1
    assert kinds.count("DynamicQuantizeLSTM") == 2


def with_tensors(monkeypatch: pytest.MonkeyPatch, tensors: dict[str, NDArray[Any]]) -> None:
    monkeypatch.setattr(export, "read_tensors", lambda _stream: tensors)
    monkeypatch.setattr(export, "open_weights", lambda _path, _member: None)


def test_publishes_a_build_that_agrees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with_tensors(monkeypatch, random_tensors(seed=1, scale=0.05))
    out = tmp_path / "out.onnx"
    with caplog.at_level(logging.INFO):
        export.export(Path("unused.pt"), out, [clip_path("en_susan")])
    assert out.is_file()
    assert "minimum 0.99" in caplog.text or "minimum 1.0" in caplog.text
    assert [path.name for path in tmp_path.iterdir()] == ["out.onnx"]


def test_refuses_a_build_that_strays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_tensors(monkeypatch, random_tensors(seed=1, scale=0.05))
    monkeypatch.setattr(export, "MIN_COSINE", 1.1)
    with pytest.raises(ModelFilesCorrupt, match="strays"):
        export.export(Path("unused.pt"), tmp_path / "out.onnx", [clip_path("en_susan")])
    assert list(tmp_path.iterdir()) == []


def test_clips_are_decoded_like_the_tests_own(tmp_path: Path) -> None:
    (decoded,) = export.read_clips([clip_path("en_susan")])
    expected = clip("en_susan")
    assert abs(decoded.size - expected.size) < 64
    n = min(decoded.size, expected.size)
    assert np.corrcoef(decoded[:n], expected[:n])[0, 1] > 0.99


def test_command_says_how_to_get_the_weights(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert export.main(["--out", str(tmp_path / "o.onnx"), "--clips", str(FOLDER)]) == 1
    assert "pip download --no-deps resemblyzer" in caplog.text


def test_command_wants_clips(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    arguments = ["--weights", "x.pt", "--out", str(tmp_path / "o.onnx"), "--clips", str(tmp_path)]
    assert export.main(arguments) == 1
    assert "no .wav files" in caplog.text


def test_weights_of_a_package_that_is_not_installed_are_missing() -> None:
    with pytest.raises(ModelFilesMissing):
        export.installed_weights()

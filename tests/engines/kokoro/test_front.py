"""The front cut out of the published graph."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from engines.api import ModelFilesCorrupt
from engines.kokoro.checkpoint import Checkpoint
from engines.kokoro.front import INPUTS, OUTPUTS, build_front
from engines.kokoro.vocabulary import to_tokens
from engines.runtime import SessionOptions, Tensor, open_session
from tests.engines.kokoro.opened import SENTENCE, checkpoint, exact, style

pytestmark = pytest.mark.engine


def test_has_short_names_and_none_of_the_decoder() -> None:
    model = onnx.load_from_string(build_front(checkpoint()))
    assert tuple(one.name for one in model.graph.input) == INPUTS
    assert tuple(one.name for one in model.graph.output) == OUTPUTS
    assert not any("decoder.generator" in tensor.name for tensor in model.graph.initializer
                   if tensor.name.endswith("_quantized"))  # fmt: skip


def test_plans_the_same_again_and_again() -> None:
    session = open_session(build_front(checkpoint()), SessionOptions("cpu", "int8", 1))
    feeds: dict[str, Tensor] = {
        "tokens": np.array([to_tokens(SENTENCE)], np.int64),
        "style": style()[None],
        "speed": np.ones(1, np.float32),
    }
    text, f0_hz, energy, durations = session.run(feeds)
    again = exact().front(to_tokens(SENTENCE), style())
    np.testing.assert_array_equal(text, again.text)
    np.testing.assert_array_equal(f0_hz[0], again.f0_hz)
    np.testing.assert_array_equal(energy[0], again.energy)
    np.testing.assert_array_equal(durations[0].astype(int), again.durations)


def test_prosody_follows_the_second_half_of_a_style_only() -> None:
    moved = style().copy()
    moved[:128] += 1.0
    tokens = to_tokens(SENTENCE)
    plain, other = exact().front(tokens, style()), exact().front(tokens, moved)
    np.testing.assert_array_equal(plain.durations, other.durations)
    np.testing.assert_allclose(plain.f0_hz, other.f0_hz, atol=1e-3)


def test_another_graph_is_refused(tmp_path: Path) -> None:
    one = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])
    two = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])
    node = helper.make_node("Identity", ["x"], ["y"], name="same")
    path = tmp_path / "other.onnx"
    onnx.save(helper.make_model(helper.make_graph([node], "other", [one], [two])), str(path))
    with pytest.raises(ModelFilesCorrupt, match="not the published"):
        build_front(Checkpoint(path))

"""Builds the encoder's ONNX graph from its tensors, and its int8 form."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from engines.runtime import quiet_onnxruntime

Tensors = Mapping[str, NDArray[Any]]

OPSET = 17
IR_VERSION = 8
FIRST_LSTM_NODE = "lstm_0"


def _gates_for_onnx(stacked: NDArray[Any]) -> NDArray[np.float32]:
    """Reorder rows from PyTorch's gates (i, f, g, o) to ONNX's (i, o, f, c)."""
    i, f, g, o = np.split(stacked, 4)
    return np.asarray(np.concatenate([i, o, f, g]), dtype=np.float32)


def _lstm_weights(tensors: Tensors, layer: int) -> dict[str, NDArray[np.float32]]:
    w, r, bw, br = (
        _gates_for_onnx(tensors[f"lstm.{name}_l{layer}"])
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    return {
        f"w{layer}": w[np.newaxis],
        f"r{layer}": r[np.newaxis],
        f"b{layer}": np.concatenate([bw, br])[np.newaxis],
    }


def build(tensors: Tensors) -> onnx.ModelProto:
    """The encoder in float32: ``mels [batch, frames, bands]`` to ``embedding [batch, size]``.

    ``tensors`` are those of an ``nn.LSTM`` named ``lstm`` (``batch_first``, any number of layers)
    and an ``nn.Linear`` named ``linear``; the embedding is the rectified projection of the last
    layer's last hidden state, not yet of unit length.
    """
    layers = sum(name.startswith("lstm.weight_ih_l") for name in tensors)
    hidden = tensors["lstm.weight_hh_l0"].shape[1]
    bands = tensors["lstm.weight_ih_l0"].shape[1]
    weights: dict[str, NDArray[Any]] = {
        "direction_axis": np.array([1], dtype=np.int64),
        "layer_axis": np.array([0], dtype=np.int64),
        "projection": np.asarray(tensors["linear.weight"].T, dtype=np.float32),
        "offset": np.asarray(tensors["linear.bias"], dtype=np.float32),
    }
    nodes = [helper.make_node("Transpose", ["mels"], ["x0"], perm=[1, 0, 2])]
    for layer in range(layers):
        weights |= _lstm_weights(tensors, layer)
        nodes += _lstm_nodes(layer, hidden, last=layer == layers - 1)
    nodes += [
        helper.make_node("MatMul", ["state", "projection"], ["projected"], name="projection"),
        helper.make_node("Add", ["projected", "offset"], ["shifted"]),
        helper.make_node("Relu", ["shifted"], ["embedding"]),
    ]
    size = tensors["linear.bias"].shape[0]
    graph = helper.make_graph(
        nodes,
        "ge2e",
        [helper.make_tensor_value_info("mels", TensorProto.FLOAT, ["batch", "frames", bands])],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", size])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model)
    return model


def _lstm_nodes(layer: int, hidden: int, *, last: bool) -> list[onnx.NodeProto]:
    """One LSTM layer on ``[frames, batch, features]``; the last one keeps its last state only."""
    sequence, state = f"y{layer}", f"h{layer}"
    lstm = helper.make_node(
        "LSTM",
        [f"x{layer}", f"w{layer}", f"r{layer}", f"b{layer}"],
        ["", state] if last else [sequence],
        name=f"lstm_{layer}",
        hidden_size=hidden,
    )
    if last:
        return [lstm, helper.make_node("Squeeze", [state, "layer_axis"], ["state"])]
    return [lstm, helper.make_node("Squeeze", [sequence, "direction_axis"], [f"x{layer + 1}"])]


def quantize(source: Path, target: Path) -> None:
    """Write the int8 form of the graph in ``source``.

    The first LSTM layer stays in float32: its input is linear power over nine decades, which
    int8 cannot hold (all in int8 gives a cosine of 0.6 to float32).
    """
    quiet_onnxruntime()
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        source,
        target,
        per_channel=True,
        weight_type=QuantType.QInt8,
        nodes_to_exclude=[FIRST_LSTM_NODE],
    )

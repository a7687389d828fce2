"""A small builder of ONNX graphs: each method adds one operation and returns its output's name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engines.kokoro.checkpoint import Weights

OPSET = 20
_IR_VERSION = 9


class GraphBuilder:
    """Collects nodes and weights of one graph over tensors shaped ``[1, channels, frames]``."""

    def __init__(self, name: str, *, half: bool = False) -> None:
        """Begin an empty graph; ``half`` makes it compute in fp16 between float32 ends."""
        self._name = name
        self._half = half
        self._nodes: list[Any] = []
        self._weights: dict[str, Any] = {}
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []

    def input(self, name: str, shape: Sequence[int | str]) -> str:
        """Declare a float input; a string in the shape is a free dimension."""
        from onnx import TensorProto, helper

        self._inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape)))
        return self.node("Cast", [name], to=TensorProto.FLOAT16) if self._half else name

    def output(self, value: str, name: str, shape: Sequence[int | str]) -> None:
        """Declare a value as an output of the graph under a name."""
        from onnx import TensorProto, helper

        ending = helper.make_node("Cast", [value], [name], name=f"out/{name}", to=TensorProto.FLOAT)
        self._nodes.append(ending)
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape)))

    def constant(self, values: Weights | Sequence[int], name: str | None = None) -> str:
        """Store a tensor; whole numbers (shapes, axes) are kept as int64."""
        from onnx import numpy_helper

        is_shape = not isinstance(values, np.ndarray)
        number = np.float16 if self._half else np.float32
        array = np.asarray(values, dtype=np.int64 if is_shape else number)
        name = name or f"const/{len(self._weights)}"
        if name not in self._weights:
            self._weights[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def scalar(self, value: float) -> str:
        """Store one number, once."""
        return self.constant(np.array(value, np.float32), f"scalar/{value!r}")

    def node(self, op: str, inputs: Sequence[str], **attributes: Any) -> str:  # noqa: ANN401
        """Add any operation that has one output."""
        from onnx import helper

        output = f"{op}/{len(self._nodes)}"
        self._nodes.append(helper.make_node(op, list(inputs), [output], name=output, **attributes))
        return output

    def add(self, left: str, right: str) -> str:
        """Sum of two values."""
        return self.node("Add", [left, right])

    def mul(self, left: str, right: str) -> str:
        """Product of two values."""
        return self.node("Mul", [left, right])

    def scaled(self, value: str, factor: float) -> str:
        """A value times a number."""
        return self.mul(value, self.scalar(factor))

    def affine(self, value: str, scale: str, shift: str) -> str:
        """``value * scale + shift``."""
        return self.add(self.mul(value, scale), shift)

    def concat(self, values: Sequence[str], axis: int = 1) -> str:
        """Join along channels."""
        return self.node("Concat", values, axis=axis)

    def leaky_relu(self, value: str, slope: float) -> str:
        """``max(value, slope * value)``."""
        return self.node("LeakyRelu", [value], alpha=slope)

    def conv(
        self, value: str, weight: Weights, bias: Weights | None, *, stride: int = 1,
        dilation: int = 1, pad: int | None = None,
    ) -> str:  # fmt: skip
        """Convolve over time; without ``pad`` the length stays the same."""
        reach = (weight.shape[-1] - 1) * dilation // 2 if pad is None else pad
        inputs = [value, self.constant(weight)]
        if bias is not None:
            inputs.append(self.constant(bias))
        return self.node(
            "Conv", inputs, strides=[stride], dilations=[dilation], pads=[reach, reach]
        )

    def conv_transpose(
        self, value: str, weight: Weights, bias: Weights, *, stride: int, pad: int,
        output_padding: int = 0, group: int = 1,
    ) -> str:  # fmt: skip
        """Upsample over time by ``stride``."""
        inputs = [value, self.constant(weight), self.constant(bias)]
        return self.node(
            "ConvTranspose", inputs, strides=[stride], pads=[pad, pad],
            output_padding=[output_padding], group=group,
        )  # fmt: skip

    def upsample(self, value: str, weight: Weights, bias: Weights, stride: int) -> str:
        """The transposed convolution with a kernel of twice ``stride`` and a pad of half of it.

        Written as a convolution with three taps that makes all ``stride`` phases as channels,
        which are then interleaved: matrix units run that several times faster.
        """
        inner, outer = weight.shape[0], weight.shape[1]
        taps = np.zeros((stride, outer, inner, 3), np.float32)
        for phase in range(stride):
            # Output 10 i + phase comes from input j through tap 10 (i - j) + phase + pad.
            for offset in (-1, 0, 1):
                tap = phase + stride // 2 - offset * stride
                if 0 <= tap < 2 * stride:
                    taps[phase, :, :, offset + 1] = weight[:, :, tap].T
        phases = self.conv(value, taps.reshape(-1, inner, 3), np.tile(bias, stride))
        # Time before channels is how matrix units keep it, so this order moves no memory.
        by_time = self.node("Transpose", [phases], perm=[0, 2, 1])
        woven = self.node("Reshape", [by_time, self.constant([1, -1, outer])])
        return self.node("Transpose", [woven], perm=[0, 2, 1])

    def slice(self, value: str, start: int, end: int, axis: int = 1) -> str:
        """Part of a value along one axis."""
        return self.node("Slice", [value, *(self.constant([n]) for n in (start, end, axis))])

    def model(self) -> Any:  # noqa: ANN401  # protobuf message without stubs
        """The finished ONNX model."""
        from onnx import helper

        graph = helper.make_graph(
            self._nodes, self._name, self._inputs, self._outputs, list(self._weights.values())
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
        model.ir_version = _IR_VERSION
        return model

    def bytes(self) -> bytes:
        """The finished model as an ``.onnx`` file's content."""
        return bytes(self.model().SerializeToString())

    def save(self, path: Path) -> None:
        """Write the finished model to a file."""
        path.write_bytes(self.bytes())

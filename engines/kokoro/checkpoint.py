"""Reads float weights by layer name out of the published int8 graph.

The file was made by onnxruntime's dynamic quantizer: a tensor ``X`` is stored as
``X_quantized`` with ``X_scale`` and ``X_zero_point``, and ``Conv`` became ``ConvInteger``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engines.api import ModelFilesCorrupt

Weights: TypeAlias = NDArray[np.float32]

_SUFFIX = "_quantized"
_LAYER_OPS = {"Conv", "ConvInteger", "ConvTranspose", "MatMulInteger", "MatMul"}


class Checkpoint:
    """The tensors of the published model, dequantised when asked for."""

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            ModelFilesCorrupt: it is not an ONNX model.
        """
        import onnx
        from google.protobuf.message import DecodeError

        try:
            self.model: Any = onnx.load(str(path))
        except DecodeError as error:
            raise ModelFilesCorrupt(f"{path.name} is not an ONNX model") from error
        self._tensors = {tensor.name: tensor for tensor in self.model.graph.initializer}
        self._layers = {
            _layer_name(node.name): node
            for node in self.model.graph.node
            if node.op_type in _LAYER_OPS
        }
        # Equal zero points are stored once, under the name of any tensor that has them.
        self._zero_points = {
            node.input[1]: node.input[3] for node in self.model.graph.node if _is_integer(node)
        }

    def tensor(self, name: str) -> Weights:
        """A tensor by its stored name, as float32.

        Raises:
            ModelFilesCorrupt: the model has no such tensor.
        """
        from onnx import numpy_helper

        if name not in self._tensors:
            raise ModelFilesCorrupt(f"the model has no tensor {name}: it is another version")
        if not name.endswith(_SUFFIX):
            return np.asarray(numpy_helper.to_array(self._tensors[name]), dtype=np.float32)
        stem = name.removesuffix(_SUFFIX)
        values = numpy_helper.to_array(self._tensors[name]).astype(np.float32)
        scale = self._along(stem + "_scale", values.ndim)
        zero = self._along(self._zero_points[name], values.ndim)
        return np.asarray((values - zero) * scale, dtype=np.float32)

    def weight(self, layer: str) -> Weights:
        """The weight of a layer such as ``decoder/encode/conv1``, in ONNX's layout.

        Raises:
            ModelFilesCorrupt: the model has no such layer.
        """
        if layer not in self._layers:
            raise ModelFilesCorrupt(f"the model has no layer {layer}: it is another version")
        return self.tensor(self._layers[layer].input[1])

    def has(self, name: str) -> bool:
        """Whether there is a tensor of this stored name."""
        return name in self._tensors

    def _along(self, name: str, ndim: int) -> Weights:
        """A scale or zero point, shaped so that it broadcasts over output channels."""
        from onnx import numpy_helper

        values = np.asarray(numpy_helper.to_array(self._tensors[name]), dtype=np.float32)
        if values.size == 1:
            return values.reshape(())
        # A matrix product has its outputs last, a convolution first.
        return values if ndim == 2 else values.reshape([-1] + [1] * (ndim - 1))


def _is_integer(node: Any) -> bool:  # noqa: ANN401  # protobuf message without stubs
    return node.op_type in ("ConvInteger", "MatMulInteger") and len(node.input) > 3


def _layer_name(node: str) -> str:
    """``/decoder/decoder/encode/conv1/Conv_quant`` is the layer ``decoder/encode/conv1``."""
    return "/".join(node.strip("/").split("/")[1:-1])

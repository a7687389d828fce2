"""The first half of Kokoro as a graph: tokens and style -> aligned text, F0, energy, durations."""

from __future__ import annotations

from typing import Any

from engines.api import ModelFilesCorrupt
from engines.kokoro.checkpoint import Checkpoint

INPUTS = ("tokens", "style", "speed")
_CUTS = {
    "/encoder/MatMul_1_output_0": "text",
    "/encoder/Reshape_output_0": "f0",
    "/encoder/Reshape_1_output_0": "energy",
    "/encoder/Clip_output_0": "durations",
}
"""Where the published graph is cut, and what those values are called from here on."""

OUTPUTS = tuple(_CUTS.values())


def build_front(weights: Checkpoint) -> bytes:
    """An ``.onnx`` file with the int8 front, as published.

    Inputs ``tokens [1,n] int64``, ``style [1,256]``, ``speed [1]``. Outputs ``text [1,512,T]``
    at 40 frames/s, ``f0 [1,2T]`` in Hz, ``energy [1,2T]``, ``durations [1,n]`` in frames.

    Raises:
        ModelFilesCorrupt: the graph has other names than the published one.
    """
    from onnx import helper, utils

    try:
        front: Any = utils.Extractor(weights.model).extract_model(list(INPUTS), list(_CUTS))
    except (KeyError, ValueError) as error:
        raise ModelFilesCorrupt("the model is not the published Kokoro graph") from error
    for index, (cut, name) in enumerate(_CUTS.items()):
        front.graph.node.append(helper.make_node("Identity", [cut], [name], name=f"out/{name}"))
        front.graph.output[index].name = name
    return bytes(front.SerializeToString())

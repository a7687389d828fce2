"""The generator in static int8, for CPUs without OpenVINO: two and a half times as fast.

Weights have a scale for each channel, activations one for each tensor, measured on sentences in
several voices. Only convolutions are quantized: the snakes need their phase.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from engines.kokoro.calibration import SENTENCES, calibrate
from engines.kokoro.synth import Synthesizer
from engines.kokoro.vocabulary import to_tokens
from engines.kokoro.voices import stock_styles
from engines.progress import Progress, no_progress
from engines.runtime import Tensor

VOICES = ("af_heart", "am_adam", "bf_emma", "am_michael")
_SPANS = ((30, 70), (90, 130))
"""Half frames of each sentence that activations are measured on."""


def quantize(synth: Synthesizer, generator: Path, progress: Progress = no_progress) -> bytes:
    """An int8 ``.onnx`` file from the float32 generator that ``synth`` runs, too."""
    from onnxruntime import quantization

    # Advice on graph preparation that has no effect on this graph.
    logging.getLogger("root").addFilter(_no_preprocessing_advice)
    try:
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "generator.onnx"
            quantization.quantize_static(
                str(generator),
                str(target),
                _Reader(quantizer_inputs(synth, progress)),
                quant_format=quantization.QuantFormat.QDQ,
                op_types_to_quantize=["Conv"],
                per_channel=True,
                activation_type=quantization.QuantType.QUInt8,
                weight_type=quantization.QuantType.QInt8,
                calibrate_method=quantization.CalibrationMethod.MinMax,
            )
            return target.read_bytes()
    finally:
        logging.getLogger("root").removeFilter(_no_preprocessing_advice)


def quantizer_inputs(
    synth: Synthesizer, progress: Progress = no_progress
) -> Iterator[dict[str, Tensor]]:
    """What the generator is fed when some voices say some sentences."""
    for index, name in enumerate(VOICES):
        progress("measuring activations", index / len(VOICES))
        style = stock_styles()[name]
        norms = synth.freeze(style, calibrate(synth, style))
        acoustics = synth.front(to_tokens(SENTENCES[index % len(SENTENCES)]), style)
        rendering = synth.render(acoustics, style, norms)
        for start, end in _SPANS:
            yield {
                "features": np.ascontiguousarray(rendering.features[:, :, start:end]),
                "source": rendering.source.spectrum(start, end)[None],
                "scale": norms.scale,
                "shift": norms.shift,
            }


class _Reader:
    """What onnxruntime's calibration asks for its inputs."""

    def __init__(self, inputs: Iterator[dict[str, Tensor]]) -> None:
        self._inputs = inputs

    def get_next(self) -> dict[str, Tensor] | None:
        return next(self._inputs, None)

    def __iter__(self) -> Iterator[dict[str, Tensor]]:
        return self._inputs

    def __next__(self) -> dict[str, Tensor]:
        return next(self._inputs)


def _no_preprocessing_advice(record: logging.LogRecord) -> bool:
    return "pre-process" not in record.getMessage()

"""Float weights out of the published int8 graph."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engines.api import ModelFilesCorrupt
from engines.kokoro.checkpoint import Checkpoint
from tests.engines.kokoro.opened import checkpoint, scratch_weights

pytestmark = pytest.mark.engine


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        ("decoder/encode/conv1", (1024, 514, 3)),
        ("decoder/generator/ups.0", (512, 256, 20)),
        ("decoder/generator/noise_convs.0", (256, 22, 12)),
        ("decoder/generator/resblocks.5/convs1.2", (128, 128, 11)),
        ("decoder/generator/resblocks.0/adain1.0/fc", (128, 512)),
    ],
)
def test_weights_have_the_shapes_of_their_layers(layer: str, shape: tuple[int, ...]) -> None:
    weight = checkpoint().weight(layer)
    assert weight.shape == shape
    assert weight.dtype == np.float32
    assert np.isfinite(weight).all()


def test_weights_are_centred_and_of_a_plausible_size() -> None:
    """A wrong zero point would move the mean, a wrong scale the spread."""
    for layer in ("decoder/decode.0/conv1", "decoder/generator/resblocks.1/convs2.0"):
        weight = checkpoint().weight(layer)
        assert abs(float(weight.mean())) < 0.05 * float(weight.std())
        assert 1e-3 < float(weight.std()) < 1.0


def test_stored_tensors_are_found_by_name() -> None:
    name = "decoder.decoder.generator.m_source.l_linear.bias"
    assert checkpoint().has(name)
    assert checkpoint().tensor(name).shape == (1,)


def test_what_is_not_there_is_named() -> None:
    with pytest.raises(ModelFilesCorrupt, match="decoder/nothing"):
        checkpoint().weight("decoder/nothing")
    with pytest.raises(ModelFilesCorrupt, match="no tensor gone"):
        checkpoint().tensor("gone")


def test_a_file_that_is_no_model_says_so(tmp_path: Path) -> None:
    with pytest.raises(ModelFilesCorrupt, match=r"bad\.onnx"):
        Checkpoint(scratch_weights(tmp_path))

"""The builder of graphs, by running what it builds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engines.kokoro.graph import GraphBuilder
from engines.runtime import open_session

pytestmark = pytest.mark.unit

Array = NDArray[np.float32]


def random(*shape: int, seed: int = 1) -> Array:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def run(graph: GraphBuilder, value: str, x: Array) -> Array:
    graph.output(value, "y", [1, "c", "m"])
    (y,) = open_session(graph.bytes()).run({"x": x})
    return np.asarray(y)


def graph_with_input(channels: int, *, half: bool = False) -> tuple[GraphBuilder, str]:
    graph = GraphBuilder("test", half=half)
    return graph, graph.input("x", [1, channels, "n"])


def test_affine_and_leaky_relu() -> None:
    graph, x = graph_with_input(1)
    y = graph.leaky_relu(graph.affine(x, graph.scalar(2.0), graph.scalar(1.0)), 0.1)
    got = run(graph, y, np.array([[[1.0, -1.0]]], np.float32))
    np.testing.assert_allclose(got.ravel(), [3.0, -0.1])


@pytest.mark.parametrize(("kernel", "dilation"), [(3, 1), (7, 3), (11, 5)])
def test_convolution_keeps_the_length_and_equals_numpy(kernel: int, dilation: int) -> None:
    x, weight, bias = random(1, 2, 40), random(3, 2, kernel, seed=2), random(3, seed=3)
    graph, name = graph_with_input(2)
    got = run(graph, graph.conv(name, weight, bias, dilation=dilation), x)
    assert got.shape == (1, 3, 40)
    reach = (kernel - 1) * dilation // 2
    padded = np.pad(x[0], ((0, 0), (reach, reach)))
    taps = padded[:, 17 : 17 + 2 * reach + 1 : dilation]
    np.testing.assert_allclose(
        got[0, :, 17], np.einsum("oik,ik->o", weight, taps) + bias, rtol=1e-4
    )


@pytest.mark.parametrize("stride", [2, 6, 10])
def test_upsampling_equals_the_transposed_convolution(stride: int) -> None:
    x, weight, bias = random(1, 4, 9), random(4, 3, 2 * stride, seed=2), random(3, seed=3)
    ours, name = graph_with_input(4)
    got = run(ours, ours.upsample(name, weight, bias, stride), x)
    plain, name = graph_with_input(4)
    value = plain.conv_transpose(name, weight, bias, stride=stride, pad=stride // 2)
    expected = run(plain, value, x)
    assert got.shape == (1, 3, 9 * stride)
    np.testing.assert_allclose(got, expected, atol=1e-4)


def test_slices_and_joins() -> None:
    x = random(1, 4, 5)
    graph, name = graph_with_input(4)
    joined = graph.concat([graph.slice(name, 2, 4), graph.slice(name, 0, 1)])
    np.testing.assert_array_equal(run(graph, joined, x), x[:, [2, 3, 0]])


def test_half_precision_has_float_ends() -> None:
    graph, x = graph_with_input(1, half=True)
    got = run(graph, graph.scaled(x, 1.0 / 3.0), np.ones((1, 1, 1), np.float32))
    assert got.dtype == np.float32
    assert got.item() == np.float32(np.float16(1.0 / 3.0))


def test_a_number_is_stored_once() -> None:
    graph, x = graph_with_input(1)
    assert graph.scalar(0.5) == graph.scalar(0.5)
    graph.output(graph.scaled(graph.scaled(x, 0.5), 0.5), "y", [1, 1, "n"])
    assert len(graph.model().graph.initializer) == 1


def test_is_saved_as_it_is(tmp_path: Path) -> None:
    graph, x = graph_with_input(1)
    graph.output(graph.scaled(x, 2.0), "y", [1, 1, "n"])
    graph.save(tmp_path / "graph.onnx")
    assert (tmp_path / "graph.onnx").read_bytes() == graph.bytes()

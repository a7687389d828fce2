"""The layout of the decoder's norms and its polynomial sine; the graphs run in test_synth."""

from __future__ import annotations

import numpy as np
import pytest

from engines.kokoro.decoder import (
    NORM_CHANNELS,
    _sine_square,
    generator_norms,
    sine_square_terms,
    style_gains,
)
from engines.kokoro.graph import GraphBuilder
from engines.runtime import open_session
from tests.engines.kokoro.opened import checkpoint

pytestmark = pytest.mark.unit


def test_norms_fill_the_packed_arrays_without_a_gap() -> None:
    layers = generator_norms()
    assert layers[0].start == 0
    assert all(one.end == other.start for one, other in zip(layers, layers[1:], strict=False))
    assert layers[-1].end == NORM_CHANNELS == 24 * (256 + 128)
    assert len({layer.name for layer in layers}) == len(layers) == 48


def test_the_polynomial_is_the_square_of_a_sine() -> None:
    rest = np.linspace(-0.5, 0.5, 1001)
    square = rest**2
    value = square * np.polynomial.polynomial.polyval(square, sine_square_terms())
    assert np.abs(value - np.sin(np.pi * rest) ** 2).max() < 2e-6


def test_the_graph_of_it_holds_far_from_zero() -> None:
    graph = GraphBuilder("sine")
    graph.output(_sine_square(graph, graph.input("x", [1, 1, "n"])), "y", [1, 1, "n"])
    turns = np.linspace(-50.0, 50.0, 5001, dtype=np.float32)
    (got,) = open_session(graph.bytes()).run({"x": turns[None, None]})
    expected = np.sin(np.pi * turns.astype(np.float64)) ** 2
    np.testing.assert_allclose(got.ravel(), expected, atol=2e-5)


@pytest.mark.engine
def test_gains_of_a_style_are_near_one_and_zero() -> None:
    matrix, bias = style_gains(checkpoint())
    assert matrix.shape == (128, 2 * NORM_CHANNELS)
    gammas, betas = bias[:NORM_CHANNELS], bias[NORM_CHANNELS:]
    assert 0.5 < float(np.median(gammas)) < 3.0
    assert abs(float(np.median(betas))) < 1.0

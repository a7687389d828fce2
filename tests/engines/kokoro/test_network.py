"""Small networks: gradients against differences, and what is kept on disk."""

from __future__ import annotations

import numpy as np
import pytest

from engines.kokoro.cloning import missing_cosine
from engines.kokoro.network import Matrix, Network, new_network, read_network
from engines.kokoro.train.fitting import Loss, squared_error

pytestmark = pytest.mark.unit


def _random(shape: tuple[int, ...], seed: int) -> Matrix:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def _network(seed: int = 1) -> Network:
    network = new_network([4, 7, 6, 3], seed)
    for index, parameter in enumerate(network.parameters()):
        parameter += 0.3 * _random(parameter.shape, 50 + index)
    return network


@pytest.mark.parametrize("loss", [squared_error, missing_cosine])
def test_gradients_agree_with_finite_differences(loss: Loss) -> None:
    network, inputs = _network(), _random((5, 4), 2)
    targets = _random((5, 3), 3)
    targets /= np.linalg.norm(targets, axis=1, keepdims=True)
    values = network.activations(inputs)
    _, slope = loss(values[-1], targets)
    by_parameter, by_input = network.gradients(values, slope)
    np.testing.assert_allclose(network.input_slope(values, slope), by_input, rtol=1e-5)
    places = [*zip(network.parameters(), by_parameter, strict=True), (inputs, by_input)]
    for array, gradient in places:
        index = np.unravel_index(int(np.abs(gradient).argmax()), gradient.shape)
        kept = array[index]
        both = []
        for step in (3e-3, -3e-3):
            array[index] = kept + step
            both.append(loss(network(inputs), targets)[0])
        array[index] = kept
        assert (both[0] - both[1]) / 6e-3 == pytest.approx(float(gradient[index]), rel=0.05)


def test_missing_cosine_is_zero_for_the_same_direction_and_two_for_the_opposite() -> None:
    target = np.array([[0.6, 0.8]], np.float32)
    assert missing_cosine(5.0 * target, target)[0] == pytest.approx(0.0, abs=1e-5)
    assert missing_cosine(-target, target)[0] == pytest.approx(2.0, abs=1e-5)


def test_same_seed_gives_the_same_network() -> None:
    one, same, other = (new_network([3, 5, 2], seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.weights[0], same.weights[0])
    assert not np.array_equal(one.weights[0], other.weights[0])


def test_network_survives_half_precision_on_disk() -> None:
    network, inputs = _network(), _random((5, 4), 4)
    stored = network.arrays("a.0") | _network(9).arrays("a.1")
    np.testing.assert_allclose(read_network(stored, "a.0")(inputs), network(inputs), atol=0.03)


def test_unknown_network_is_an_error() -> None:
    with pytest.raises(KeyError):
        read_network(_network().arrays("a"), "b")


def test_activations_begin_with_the_inputs_and_end_with_the_outputs() -> None:
    network, inputs = _network(), _random((2, 4), 5)
    values = network.activations(inputs)
    assert [value.shape[1] for value in values] == [4, 7, 6, 3]
    np.testing.assert_array_equal(values[0], inputs)
    np.testing.assert_array_equal(values[-1], network(inputs))

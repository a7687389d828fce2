"""Kernel regression: learns curves, has the right slope, and survives being kept on disk."""

from __future__ import annotations

import numpy as np
import pytest

from engines.kokoro.kernel import fit_kernel, read_kernel
from engines.kokoro.network import Matrix

pytestmark = pytest.mark.unit


def _inputs(count: int, seed: int) -> Matrix:
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 3)).astype(np.float32)


def _curve(inputs: Matrix) -> Matrix:
    """Two outputs that bend; the third input says nothing."""
    bent = np.sin(2.0 * inputs[:, 0]) + np.square(inputs[:, 1]) + inputs[:, 1]
    return np.stack([bent, 3.0 - bent], axis=1).astype(np.float32)


def test_learns_a_curve_better_than_a_plane_can() -> None:
    inputs, unseen = _inputs(400, 1), _inputs(200, 2)
    kernel = fit_kernel(inputs, _curve(inputs))
    left = float(np.mean(np.square(kernel(unseen) - _curve(unseen))))
    plane = np.linalg.lstsq(_with_one(inputs), _curve(inputs), rcond=None)[0]
    by_plane = float(np.mean(np.square(_with_one(unseen) @ plane - _curve(unseen))))
    assert left < 0.3 * by_plane


def _with_one(values: Matrix) -> Matrix:
    return np.concatenate([np.ones((len(values), 1), np.float32), values], axis=1)


def test_an_input_that_says_nothing_hardly_counts() -> None:
    inputs = _inputs(400, 3)
    scale = fit_kernel(inputs, _curve(inputs)).scale
    assert scale[2] < 0.2 * scale[:2].min()


def test_slope_agrees_with_finite_differences() -> None:
    inputs = _inputs(100, 4)
    kernel, at = fit_kernel(inputs, _curve(inputs)), _inputs(5, 5)
    values = kernel.activations(at)
    away = np.random.default_rng(6).standard_normal((5, 2)).astype(np.float32)
    slope = kernel.input_slope(values, away)
    for row, column in ((0, 0), (2, 1), (4, 0)):
        moved = np.zeros_like(at)
        moved[row, column] = 1e-2
        change = np.sum(away * (kernel(at + moved) - kernel(at - moved))) / 2e-2
        assert float(change) == pytest.approx(float(slope[row, column]), rel=0.02, abs=1e-3)


def test_slope_is_none_at_a_lone_sample() -> None:
    """The kernel is smooth: no cusp where a distance is 0."""
    inputs = _inputs(50, 7)
    kernel = fit_kernel(inputs, _curve(inputs))
    values = kernel.activations(inputs)
    assert np.isfinite(kernel.input_slope(values, np.ones((50, 2), np.float32))).all()


def test_far_from_all_samples_there_is_their_mean() -> None:
    inputs = _inputs(60, 8)
    kernel = fit_kernel(inputs, _curve(inputs))
    np.testing.assert_allclose(
        kernel(np.full((1, 3), 1e3, np.float32))[0], _curve(inputs).mean(axis=0), atol=1e-5
    )


def test_the_same_samples_give_the_same_kernel_in_half_precision_too() -> None:
    inputs = _inputs(80, 9)
    one, same = (fit_kernel(inputs, _curve(inputs)) for _ in range(2))
    np.testing.assert_array_equal(one.weights, same.weights)
    kept = read_kernel(one.arrays("a"), "a")
    np.testing.assert_allclose(kept(inputs), one(inputs), atol=0.01)


def test_unknown_kernel_is_an_error() -> None:
    with pytest.raises(KeyError):
        read_kernel({}, "a")

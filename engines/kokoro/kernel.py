"""Kernel ridge regression: a smooth function through many samples, each weighing near its place.

The kernel is Matern's of order 5/2 with a scale for each input (C. Rasmussen and C. Williams,
Gaussian Processes for Machine Learning, 2006, 2.2 and 4.2). Pure numpy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engines.kokoro.network import Matrix

RIDGE = 0.6
"""Variance of the noise in a sample, in units of the function's: 2.4 s say little of a voice."""

_MEASURED = 300
"""Samples whose distances tell how far a sample reaches."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """``scale [in]`` of the inputs, ``centres [n, in]`` scaled, ``weights [n, out]``,
    ``mean [out]``: what there is far from all samples.
    """

    scale: Matrix
    centres: Matrix
    weights: Matrix
    mean: Matrix

    def __call__(self, inputs: Matrix) -> Matrix:
        """Outputs ``[m, out]`` of inputs ``[m, in]``."""
        return self.activations(inputs)[-1]

    def activations(self, inputs: Matrix) -> list[Matrix]:
        """The inputs, their distances from the centres ``[m, n]``, and the outputs."""
        away = _distances(np.asarray(inputs * self.scale, dtype=np.float32), self.centres)
        return [inputs, away, np.asarray(self.mean + _matern(away) @ self.weights)]

    def input_slope(self, values: Sequence[Matrix], slope: Matrix) -> Matrix:
        """Gradient by the inputs of a loss whose gradient by the outputs is ``slope [m, out]``.

        ``values`` is what ``activations`` gave.
        """
        inputs, away, _ = values
        pull = _matern_pull(away) * (slope @ self.weights.T)
        moved = pull.sum(axis=1, keepdims=True) * (inputs * self.scale) - pull @ self.centres
        return np.asarray(moved * self.scale, dtype=np.float32)

    def arrays(self, prefix: str) -> dict[str, NDArray[np.float16]]:
        """The kernel in half precision under names that begin with ``prefix``."""
        return {
            f"{prefix}.{name}": np.asarray(getattr(self, name)).astype(np.float16)
            for name in Kernel.__dataclass_fields__
        }


def read_kernel(stored: Mapping[str, NDArray[np.generic]], prefix: str) -> Kernel:
    """What ``Kernel.arrays`` gave, in single precision.

    Raises:
        KeyError: there is none of this name.
    """
    names = Kernel.__dataclass_fields__
    return Kernel(*(stored[f"{prefix}.{name}"].astype(np.float32) for name in names))


def fit_kernel(inputs: Matrix, targets: Matrix) -> Kernel:
    """Fit ``inputs [n, in]`` to ``targets [n, out]``; an input counts as it does in a linear fit.

    Takes some ten seconds of one core for 5,000 samples; the same ones give the same kernel.
    """
    mean = targets.mean(axis=0)
    scale = _relevance(inputs, targets - mean)
    centres = inputs * scale
    measured = _distances(centres[:_MEASURED], centres[:_MEASURED])
    # The median distance of two samples is the square root of two lengths.
    length = np.sqrt(np.median(np.square(measured)) / 2.0)
    centres, scale = centres / length, scale / length
    covariance = _matern(_distances(centres, centres)).astype(np.float64)
    covariance[np.diag_indices_from(covariance)] += RIDGE
    weights = np.linalg.solve(covariance, targets - mean)
    kept = (scale, centres, weights, mean)
    return Kernel(*(np.asarray(one, dtype=np.float32) for one in kept))


def _relevance(inputs: Matrix, targets: Matrix) -> Matrix:
    """How much the targets move with each input, with mean 1, ``[in]``."""
    centred = (inputs - inputs.mean(axis=0)).astype(np.float64)
    found = np.linalg.lstsq(centred, targets.astype(np.float64), rcond=None)[0]
    moved = np.linalg.norm(found, axis=1)
    return np.asarray(moved / moved.mean(), dtype=np.float32)


def _distances(one: Matrix, other: Matrix) -> Matrix:
    """Euclidean distances ``[m, n]`` of rows."""
    squares = np.sum(np.square(one), axis=1)[:, None] + np.sum(np.square(other), axis=1)
    return np.asarray(np.sqrt(np.maximum(squares - 2.0 * one @ other.T, 0.0)))


def _matern(away: Matrix) -> Matrix:
    """Covariance at distances in lengths."""
    far = np.float32(np.sqrt(5.0)) * away
    return np.asarray((1.0 + far + np.square(far) / 3.0) * np.exp(-far))


def _matern_pull(away: Matrix) -> Matrix:
    """Derivative of the covariance by the distance, divided by the distance."""
    far = np.float32(np.sqrt(5.0)) * away
    return np.asarray(np.float32(-5.0 / 3.0) * (1.0 + far) * np.exp(-far))

"""Small fully connected networks in numpy: forward, and gradients for fitting and for search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]

_LEAK = np.float32(0.1)


@dataclass(frozen=True, slots=True)
class Network:
    """Leaky ReLU layers beside one linear map from input to output.

    ``weights[i]`` is ``[in, out]`` and ``biases[i]`` is ``[out]``; ``shortcut`` is
    ``[first in, last out]``.
    """

    weights: tuple[Matrix, ...]
    biases: tuple[Matrix, ...]
    shortcut: Matrix

    def __call__(self, inputs: Matrix) -> Matrix:
        """Outputs ``[n, out]`` of inputs ``[n, in]``."""
        return self.activations(inputs)[-1]

    def activations(self, inputs: Matrix) -> list[Matrix]:
        """The inputs, what each hidden layer makes of them, and the outputs."""
        values = [inputs]
        last = len(self.weights) - 1
        for index, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            linear = values[-1] @ weight + bias
            values.append(
                np.where(linear > 0.0, linear, _LEAK * linear) if index < last else linear
            )
        values[-1] = values[-1] + inputs @ self.shortcut
        return values

    def gradients(self, values: Sequence[Matrix], slope: Matrix) -> tuple[list[Matrix], Matrix]:
        """Gradients of a loss whose gradient by the outputs is ``slope`` ``[n, out]``.

        ``values`` is what ``activations`` gave. Returns those of ``parameters()``, in that order,
        and that of the inputs.
        """
        by_weight: list[Matrix] = []
        by_bias: list[Matrix] = []
        back = slope
        for index in reversed(range(len(self.weights))):
            by_weight.insert(0, values[index].T @ back)
            by_bias.insert(0, back.sum(axis=0))
            back = back @ self.weights[index].T
            if index:
                back = back * np.where(values[index] > 0.0, np.float32(1.0), _LEAK)
        return (
            [*by_weight, *by_bias, values[0].T @ slope],
            np.asarray(back + slope @ self.shortcut.T),
        )

    def input_slope(self, values: Sequence[Matrix], slope: Matrix) -> Matrix:
        """Only the gradient by the inputs, of ``gradients``."""
        back = slope
        for index in reversed(range(1, len(self.weights))):
            back = back @ self.weights[index].T
            back = back * np.where(values[index] > 0.0, np.float32(1.0), _LEAK)
        return np.asarray(back @ self.weights[0].T + slope @ self.shortcut.T)

    def parameters(self) -> list[Matrix]:
        """All arrays of the network; changing them in place changes it."""
        return [*self.weights, *self.biases, self.shortcut]

    def arrays(self, prefix: str) -> dict[str, NDArray[np.float16]]:
        """The network in half precision under names that begin with ``prefix``."""
        named = {f"{prefix}.weight{i}": weight for i, weight in enumerate(self.weights)}
        named |= {f"{prefix}.bias{i}": bias for i, bias in enumerate(self.biases)}
        named[f"{prefix}.shortcut"] = self.shortcut
        return {name: array.astype(np.float16) for name, array in named.items()}


def new_network(sizes: Sequence[int], seed: int) -> Network:
    """A network with random weights for ``sizes`` = input, hidden layers, output.

    Weights are scaled so that signals keep their size (He et al. 2015, arXiv:1502.01852); the
    output layer starts small and the shortcut at nothing.
    """
    random = np.random.default_rng(seed)
    pairs = list(zip(sizes, sizes[1:], strict=False))
    weights = [
        (random.standard_normal(pair) * np.sqrt(1.6 / pair[0])).astype(np.float32) for pair in pairs
    ]
    weights[-1] *= np.float32(0.3)
    biases = [np.zeros(size, np.float32) for _, size in pairs]
    shortcut = np.zeros((sizes[0], sizes[-1]), np.float32)
    return Network(tuple(weights), tuple(biases), shortcut)


def read_network(stored: Mapping[str, NDArray[np.generic]], prefix: str) -> Network:
    """What ``Network.arrays`` gave, in single precision.

    Raises:
        KeyError: there is no network of this name.
    """
    layers = sum(1 for name in stored if name.startswith(f"{prefix}.weight"))
    return Network(
        tuple(stored[f"{prefix}.weight{i}"].astype(np.float32) for i in range(layers)),
        tuple(stored[f"{prefix}.bias{i}"].astype(np.float32) for i in range(layers)),
        stored[f"{prefix}.shortcut"].astype(np.float32),
    )

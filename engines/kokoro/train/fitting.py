"""Fits the networks of ``engines.kokoro.cloning`` on what Kokoro spoke; numpy only, seeded.

The optimiser is AdamW (Loshchilov and Hutter 2019, arXiv:1711.05101) with a cosine schedule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engines.kokoro import cloning
from engines.kokoro.kernel import Kernel, fit_kernel
from engines.kokoro.network import Matrix, Network, new_network
from engines.kokoro.train.samples import Samples
from engines.kokoro.voices import style_basis
from engines.progress import Progress

Loss: TypeAlias = Callable[[Matrix, Matrix], tuple[float, Matrix]]
"""Outputs and targets in; mean loss and its gradient by the outputs back."""

REPORT_FILE = Path(__file__).parent / "REPORT.md"

HELD_OUT_SHARE = 0.1
_DECAY_FIRST, _DECAY_SECOND = 0.9, 0.99


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a network is fitted; ``input_noise`` is the deviation of noise added to its inputs."""

    hidden: tuple[int, ...]
    epochs: int
    batch: int = 64
    rate: float = 1e-3
    weight_decay: float = 0.03
    input_noise: float = 0.2


INVERSE = Recipe(hidden=(256, 256), epochs=25, input_noise=0.3)
INVERSE_NETWORKS = 2
FORWARD = Recipe(hidden=(256, 256), epochs=25, rate=2e-3, weight_decay=0.01, input_noise=0.15)
FORWARD_NETWORKS = 4


@dataclass(slots=True)
class Report:
    """What a fit found, on styles that it did not see."""

    samples: int
    held_out: int
    figures: dict[str, float] = field(default_factory=dict)


def report_text(report: Report, sha256: str, seed: int) -> str:
    """A report as a page for people: what was fitted on what, and how well."""
    rows = [f"| {name.replace('_', ' ')} | {value:.4g} |" for name, value in report.figures.items()]
    return "\n".join(
        [
            "# What the cloning models were fitted on, and how well",
            "",
            "Written by `python -m engines.kokoro.train fit`; do not change by hand.",
            "",
            f"{report.samples} samples, {report.held_out} of them held out; seed {seed}.",
            f"{INVERSE_NETWORKS} networks from speech to style {INVERSE.hidden},",
            f"{FORWARD_NETWORKS} from style to speech {FORWARD.hidden}, and a kernel.",
            f"`cloning.npz` has the SHA-256 `{sha256}`.",
            "",
            "| on the samples that were held out | |",
            "|---|---|",
            *rows,
            "",
        ]
    )


def squared_error(outputs: Matrix, targets: Matrix) -> tuple[float, Matrix]:
    """Mean squared error of outputs ``[n, d]``, and its gradient by them."""
    away = outputs - targets
    return float(np.mean(np.square(away))), (2.0 / away.size) * away


def fit_network(recipe: Recipe, inputs: Matrix, targets: Matrix, loss: Loss, seed: int) -> Network:
    """A network from ``inputs [n, a]`` to ``targets [n, b]``; the same seed gives the same one."""
    network = new_network([inputs.shape[1], *recipe.hidden, targets.shape[1]], seed)
    random = np.random.default_rng(seed)
    optimiser = _AdamW(network.parameters(), recipe, recipe.epochs * (len(inputs) // recipe.batch))
    for _ in range(recipe.epochs):
        order = random.permutation(len(inputs))
        for start in range(0, len(order) - recipe.batch + 1, recipe.batch):
            chosen = order[start : start + recipe.batch]
            noise = recipe.input_noise * random.standard_normal((recipe.batch, inputs.shape[1]))
            values = network.activations(inputs[chosen] + noise.astype(np.float32))
            _, slope = loss(values[-1], targets[chosen])
            optimiser.step(network.gradients(values, slope)[0])
    return network


class _AdamW:
    """Changes parameters in place; the rate falls to nothing over ``steps``."""

    def __init__(self, parameters: Sequence[Matrix], recipe: Recipe, steps: int) -> None:
        self._parameters = parameters
        self._recipe, self._steps, self._done = recipe, steps, 0
        self._first = [np.zeros_like(one) for one in parameters]
        self._second = [np.zeros_like(one) for one in parameters]

    def step(self, gradients: Sequence[Matrix]) -> None:
        rate = self._recipe.rate * 0.5 * (1.0 + np.cos(np.pi * self._done / self._steps))
        self._done += 1
        grown = 1.0 - _DECAY_FIRST**self._done, 1.0 - _DECAY_SECOND**self._done
        for index, (value, gradient) in enumerate(zip(self._parameters, gradients, strict=True)):
            first, second = self._first[index], self._second[index]
            first += (1.0 - _DECAY_FIRST) * (gradient - first)
            second += (1.0 - _DECAY_SECOND) * (np.square(gradient) - second)
            change = (first / grown[0]) / (np.sqrt(second / grown[1]) + 1e-8)
            value -= (rate * (change + self._recipe.weight_decay * value)).astype(np.float32)


def ridge(inputs: Matrix, targets: Matrix, penalty: float) -> Matrix:
    """Least squares with a penalty on all weights but the first input's (the constant)."""
    left = inputs.astype(np.float64)
    damp = penalty * np.eye(left.shape[1])
    damp[0, 0] = 0.0
    return np.linalg.solve(left.T @ left + damp, left.T @ targets).astype(np.float32)


def fit(samples: Samples, target: Path, seed: int, progress: Progress) -> Report:
    """Fit everything on nine tenths of the samples, write ``target``, report on the last tenth.

    Every sample has its own style, so none is on both sides.
    """
    held_out = np.random.default_rng(seed).random(len(samples)) < HELD_OUT_SHARE
    training, test = samples.where(~held_out), samples.where(held_out)
    report = Report(samples=len(samples), held_out=len(test))
    arrays: dict[str, NDArray[Any]] = {}
    arrays["f0.weight"] = ridge(
        cloning.prosody_terms(training.styles), np.log(training.own_f0_hz), 1.0
    )
    arrays["pitch.weight"] = ridge(_with_one(training.embeddings), np.log(training.f0_hz), 1.0)
    level_terms = cloning.level_terms(training.styles, training.f0_hz)
    arrays["level.weight"] = ridge(level_terms, training.level_db, 1.0)
    points = style_basis().point(training.styles)
    heard = cloning.speaker_features(training.embeddings, training.f0_hz)
    inverse = [
        _centred(INVERSE, heard, points, squared_error, seed + index)
        for index in _counted("fitting speech to styles", INVERSE_NETWORKS, progress)
    ]
    spoken = cloning.voice_features(points, training.f0_hz)
    forward = [
        fit_network(FORWARD, spoken, training.embeddings, cloning.missing_cosine, seed + index)
        for index in _counted("fitting styles to speech", FORWARD_NETWORKS, progress)
    ]
    kernel = fit_kernel(spoken, training.embeddings)
    arrays |= kernel.arrays("kernel")
    for name, networks in (("inverse", inverse), ("forward", forward)):
        for index, network in enumerate(networks):
            arrays |= network.arrays(f"{name}.{index}")
    np.savez(target, allow_pickle=False, **arrays)
    report.figures = _judge(inverse, arrays, test) | _judge_forward(forward, kernel, test)
    return report


def _counted(what: str, count: int, progress: Progress) -> Iterator[int]:
    for index in range(count):
        progress(what, index / count)
        yield index
    progress(what, 1.0)


def _centred(recipe: Recipe, inputs: Matrix, targets: Matrix, loss: Loss, seed: int) -> Network:
    """Fit on inputs less their mean, then move the mean into the first biases."""
    mean = inputs.mean(axis=0)
    network = fit_network(recipe, inputs - mean, targets, loss, seed)
    first = network.biases[0] - mean @ network.weights[0]
    last = network.biases[-1] - mean @ network.shortcut
    return Network(network.weights, (first, *network.biases[1:-1], last), network.shortcut)


def _judge(networks: Sequence[Network], arrays: dict[str, Any], test: Samples) -> dict[str, float]:
    heard = cloning.speaker_features(test.embeddings, test.f0_hz)
    basis = style_basis()
    found = np.mean([network(heard) for network in networks], axis=0)
    explained = _explained(found, basis.point(test.styles))
    split = len(basis.timbre)
    own = cloning.prosody_terms(test.styles) @ arrays["f0.weight"] - np.log(test.own_f0_hz)
    guess = _with_one(test.embeddings) @ arrays["pitch.weight"] - np.log(test.f0_hz)
    level = cloning.level_terms(test.styles, test.f0_hz) @ arrays["level.weight"] - test.level_db
    return {
        "timbre_explained": float(explained[:split].mean()),
        "timbre_leading_ten_explained": float(explained[:10].mean()),
        "prosody_explained": float(explained[split:].mean()),
        "prosody_leading_ten_explained": float(explained[split : split + 10].mean()),
        "f0_of_style_error_semitones": float(12.0 / np.log(2.0) * np.sqrt(np.mean(own**2))),
        "f0_of_embedding_error_semitones": float(12.0 / np.log(2.0) * np.sqrt(np.mean(guess**2))),
        "level_of_style_error_db": float(np.sqrt(np.mean(level**2))),
    }


def _judge_forward(networks: Sequence[Network], kernel: Kernel, test: Samples) -> dict[str, float]:
    """Cosine of foretold and heard embeddings: of one network, all, the kernel, and together."""
    spoken = cloning.voice_features(style_basis().point(test.styles), test.f0_hz)
    outputs = [*(network(spoken) for network in networks), kernel(spoken)]
    units = [one / np.linalg.norm(one, axis=1, keepdims=True) for one in outputs]
    several = np.mean(units[:-1], axis=0)
    found = {
        "foretold_cosine_one_network": units[0],
        "foretold_cosine_networks": several,
        "foretold_cosine_kernel": units[-1],
        "foretold_cosine": (several + units[-1]) / 2.0,
    }
    return {
        name: 1.0 - cloning.missing_cosine(one, test.embeddings)[0] for name, one in found.items()
    }


def _explained(found: Matrix, truth: Matrix) -> NDArray[np.float64]:
    """Share of each coordinate's variance that is explained (R squared)."""
    left = np.square(found - truth).sum(axis=0)
    return np.asarray(1.0 - left / np.square(truth - truth.mean(axis=0)).sum(axis=0))


def _with_one(values: Matrix) -> Matrix:
    return np.concatenate([np.ones((len(values), 1), np.float32), values], axis=1)

"""How bad figures are: 1 at their limit, 2 where twice as bad, 0 where nothing is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from voicepeer.core.degradation.vitals import Reading

Cause: TypeAlias = Literal["first_audible", "errors", "waiting", "memory", "gpu_memory"]
CAUSES: tuple[Cause, ...] = get_args(Cause)

WORST = 10.0
WORST_OF_ERRORS = 3.0
"""Whoever fails is not helped by refusing others: errors alone never lead to the last step."""

WORST_OF_GPU = 3.0
"""Nor does a full GPU, whose memory runtimes keep for themselves once they have used it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """From where on figures are bad.

    Latency is bad over ``first_audible_ms``, but never under ``latency_factor`` of what the same
    machine took when it was alone with one utterance: slow machines are no overloaded ones.
    """

    first_audible_ms: float = 200.0
    latency_factor: float = 1.5
    error_share: float = 0.05
    waiting: int = 4
    free_memory_share: float = 0.08
    embedding_ms: float = 100.0
    free_gpu_share: float = 0.05

    def latency_ms(self, baseline_ms: float) -> float:
        """The limit of the latency on a machine that took ``baseline_ms`` alone."""
        return max(self.first_audible_ms, self.latency_factor * baseline_ms)


def severities(reading: Reading, limits: Limits, baseline_ms: float = 0.0) -> Mapping[Cause, float]:
    """How bad each of the causes of an overload is, 0 to ``WORST``."""
    memory = _scarcity(reading.free_memory_share, limits.free_memory_share)
    gpu = _scarcity(reading.free_gpu_share, limits.free_gpu_share)
    return {
        "first_audible": _ratio(reading.first_audible_ms, limits.latency_ms(baseline_ms)),
        "errors": min(_ratio(reading.error_share, limits.error_share), WORST_OF_ERRORS),
        "waiting": _ratio(reading.waiting, limits.waiting),
        "memory": memory,
        "gpu_memory": min(gpu, WORST_OF_GPU),
    }


def embedding_severity(reading: Reading, limits: Limits) -> float:
    """How bad the time of speaker embeddings is, which has a remedy of its own."""
    return _ratio(reading.embedding_ms, limits.embedding_ms)


def _scarcity(free_share: float | None, limit: float) -> float:
    return 0.0 if free_share is None else _ratio(limit, max(free_share, 1e-6))


def _ratio(value: float | None, limit: float) -> float:
    return 0.0 if value is None else min(max(value / limit, 0.0), WORST)

"""How bad figures are: 1 at their limit, 2 where twice as bad, 0 where nothing is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from voicepeer.core.degradation.vitals import Reading

Cause: TypeAlias = Literal["first_audible", "errors", "waiting", "memory"]
CAUSES: tuple[Cause, ...] = get_args(Cause)

WORST = 10.0
WORST_OF_ERRORS = 3.0
"""Whoever fails is not helped by refusing others: errors alone never lead to the last step."""


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

    def latency_ms(self, baseline_ms: float) -> float:
        """The limit of the latency on a machine that took ``baseline_ms`` alone."""
        return max(self.first_audible_ms, self.latency_factor * baseline_ms)


def severities(reading: Reading, limits: Limits, baseline_ms: float = 0.0) -> Mapping[Cause, float]:
    """How bad each of the causes of an overload is, 0 to ``WORST``."""
    free = reading.free_memory_share
    scarce = None if free is None else limits.free_memory_share / max(free, 1e-6)
    return {
        "first_audible": _ratio(reading.first_audible_ms, limits.latency_ms(baseline_ms)),
        "errors": min(_ratio(reading.error_share, limits.error_share), WORST_OF_ERRORS),
        "waiting": _ratio(reading.waiting, limits.waiting),
        "memory": _ratio(scarce, 1.0),
    }


def embedding_severity(reading: Reading, limits: Limits) -> float:
    """How bad the time of speaker embeddings is, which has a remedy of its own."""
    return _ratio(reading.embedding_ms, limits.embedding_ms)


def _ratio(value: float | None, limit: float) -> float:
    return 0.0 if value is None else min(max(value / limit, 0.0), WORST)

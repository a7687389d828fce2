"""What users met in a simulated service, and what that took."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np


@dataclass(slots=True)
class Outcome:
    """Of one replica for ``seconds``; figures of texts are of those sent in that time."""

    seconds: float
    users: int
    texts: int = 0
    heard_after_s: list[float] = field(default_factory=list)
    """From when each text was sent until its first frame was."""
    waited_s: list[float] = field(default_factory=list)
    """From when the engine was asked until it began."""
    underruns: int = 0
    refused: int = 0
    spoken_s: float = 0.0
    """Speech of the texts that were heard to their end."""
    engine_busy: float = 0.0
    """Share of the time in which the engines had something to do."""
    engine_cores: float = 0.0
    media_cores: float = 0.0
    steps: tuple[str, ...] = ()
    """What the service did with less for at the end."""

    @property
    def cores(self) -> float:
        """Processor time a second of the whole service."""
        return self.engine_cores + self.media_cores

    @property
    def underruns_per_minute(self) -> float:
        """Of speech that was heard."""
        return 60.0 * self.underruns / self.spoken_s if self.spoken_s else 0.0

    def first_audible_ms(self, percent: float, rest_ms: float = 0.0) -> float | None:
        """A percentile of the latencies; ``rest_ms`` is what happens outside of the model."""
        return percentile_ms(self.heard_after_s, percent, rest_ms)


def percentile_ms(values_s: Sequence[float], percent: float, rest_ms: float = 0.0) -> float | None:
    """A percentile of times in seconds, as milliseconds with ``rest_ms`` added; None of nothing."""
    if not values_s:
        return None
    return round(float(np.percentile(values_s, percent)) * 1000.0 + rest_ms, 1)


def weighted_percentile_ms(
    groups: Iterable[tuple[float, Sequence[float]]], percent: float, rest_ms: float
) -> float | None:
    """The same over groups of values, each with the weight that all of it has together."""
    kept = [(weight / len(values), values) for weight, values in groups if values and weight > 0.0]
    if not kept:
        return None
    values = np.concatenate([np.asarray(group) for _, group in kept])
    weights = np.concatenate([np.full(len(group), weight) for weight, group in kept])
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    at = int(np.searchsorted(reached, reached[-1] * percent / 100.0))
    return round(float(values[order][min(at, values.size - 1)]) * 1000.0 + rest_ms, 1)

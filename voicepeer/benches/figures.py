"""Percentiles as figures print them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def percentile(values: Sequence[float], percent: float, digits: int = 1) -> float | None:
    """A percentile, rounded; None of nothing."""
    return round(float(np.percentile(values, percent)), digits) if len(values) else None


def spread_ms(values_s: Sequence[float]) -> dict[str, float | None]:
    """Median, 95th and 99th percentile and the largest of times in seconds, in milliseconds."""
    values_ms = [value * 1000 for value in values_s]
    points = {"p50": 50.0, "p95": 95.0, "p99": 99.0, "max": 100.0}
    return {name: percentile(values_ms, percent) for name, percent in points.items()}

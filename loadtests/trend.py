"""Whether something grows: a straight line by least squares, with the interval of its slope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

BLOCKS: Final = 20
"""Neighbouring samples are alike, which would make the interval far too narrow; so the line goes
through means of so many stretches, which are nearly independent."""

MIN_POINTS: Final = 5

_T_975: Final = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
)  # fmt: skip
"""Student's t at 0.975 for 1 to 20 degrees of freedom (NIST handbook, 1.3.6.7.2)."""


@dataclass(frozen=True, slots=True)
class Slope:
    """How fast something grows, per minute, with the ends of the 95 % interval."""

    per_min: float
    low: float
    high: float

    @property
    def is_growth(self) -> bool:
        """Whether it is not by chance that it is over 0."""
        return self.low > 0


def slope(at_s: Sequence[float], values: Sequence[float]) -> Slope | None:
    """The trend of values over time; ``None`` of too few samples, or all of one moment."""
    minutes, means = _blocks(np.asarray(at_s) / 60, np.asarray(values, dtype=float))
    # Means of equal times may differ in their last digit, so it is the times that are compared.
    if minutes.size < MIN_POINTS or len(set(at_s)) == 1:
        return None
    spread = float(np.sum((minutes - minutes.mean()) ** 2))
    steepness, height = np.polyfit(minutes, means, 1)
    residuals = means - (steepness * minutes + height)
    freedom = minutes.size - 2
    error = float(np.sqrt(np.sum(residuals**2) / freedom / spread))
    half = _t(freedom) * error
    return Slope(float(steepness), float(steepness) - half, float(steepness) + half)


def _blocks(
    at: np.ndarray[tuple[int], np.dtype[np.float64]],
    values: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], ...]:
    count = min(BLOCKS, at.size)
    if not count:
        return at, values
    parts = [np.array_split(array, count) for array in (at, values)]
    means = [np.array([part.mean() for part in each]) for each in parts]
    return means[0], means[1]


def _t(freedom: int) -> float:
    return _T_975[min(freedom, len(_T_975)) - 1]

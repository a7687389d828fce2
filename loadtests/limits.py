"""From where on a service counts as overloaded; pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from loadtests.report import WindowFigures
from voicepeer.core.pcm import FRAME_SAMPLES, WIRE_RATE_HZ

_FRAMES_A_MIN = 60 * WIRE_RATE_HZ / FRAME_SAMPLES


@dataclass(frozen=True, slots=True)
class Limits:
    """What users, or whoever runs the service, would not put up with."""

    first_audible_ms: float = 600.0
    """Of the 95th percentile."""
    inter_departure_ms: float = 25.0
    """Of the 99th percentile."""
    underruns_per_min: float = 0.2
    """Per minute of speech."""
    loss: float = 0.01
    """Share of frames that were sent."""
    errors: float = 0.01
    """Share of texts."""
    network_cores: float = 0.9
    """Of the one event loop that does the network's work."""
    free_memory: float = 0.08
    """Share of the machine's, at least."""


@dataclass(frozen=True, slots=True)
class Excess:
    """A limit that was exceeded, ``times`` over."""

    name: str
    value: float
    limit: float

    @property
    def times(self) -> float:
        """How far over its limit the value is; 1 is at it."""
        return self.value / self.limit if self.limit else float("inf")

    def __str__(self) -> str:
        digits = ".3g" if abs(self.value) < 1000.0 else ".0f"
        return f"{self.name} {self.value:{digits}} (limit {self.limit:g})"


def exceeded(
    figures: WindowFigures, limits: Limits, free_memory: float | None = None
) -> list[Excess]:
    """The limits that a stretch of time did not keep, the worst first."""
    found = list(_over(figures, limits))
    if free_memory is not None and free_memory < limits.free_memory:
        found.append(Excess("memory in use", 1 - free_memory, 1 - limits.free_memory))
    return sorted(found, key=lambda one: one.times, reverse=True)


def _over(figures: WindowFigures, limits: Limits) -> Iterator[Excess]:
    for name, value, limit in _measured(figures, limits):
        if value is not None and value > limit:
            yield Excess(name, value, limit)


def _measured(figures: WindowFigures, limits: Limits) -> Iterator[tuple[str, float | None, float]]:
    minutes = figures.seconds / 60
    spoken_min = (figures.spoken_share or 0.0) * figures.users * minutes
    underruns = figures.underruns / spoken_min if spoken_min else None
    frames = figures.users * minutes * _FRAMES_A_MIN
    loss = figures.frames_lost / frames if frames else None
    errors = figures.errors / max(figures.utterances, 1)
    yield "first audible p95 ms", figures.first_audible_ms.p95, limits.first_audible_ms
    yield "between packets p99 ms", figures.inter_departure_ms.p99, limits.inter_departure_ms
    yield "underruns a minute of speech", underruns, limits.underruns_per_min
    yield "share of frames lost", loss, limits.loss
    yield "errors a text", errors, limits.errors
    yield "cores of the network's process", figures.service.network_cores, limits.network_cores

"""What a service has been like lately: latencies, failures and times, of the last so many seconds.

Pure: whoever notes something says when. Old figures go by themselves, and there are never more than
``MAX_NOTES`` of a kind.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Protocol

MAX_NOTES = 2_048
MIN_UTTERANCES = 8
"""Of fewer a percentile says nothing but what the slowest one was."""

MIN_EMBEDDINGS = 4
CALM_READINGS = 3
"""A queue that was short in any of so many readings does not grow."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The figures of one moment; ``None`` where too little is known."""

    first_audible_ms: float | None = None
    """95th percentile of the utterances that had nothing else to wait for."""
    error_share: float | None = None
    """Of the utterances that were not cancelled, those that failed by our fault."""
    waiting: int = 0
    """Pieces of speech that have waited for their first sound in all of the last readings."""
    free_memory_share: float | None = None
    free_gpu_share: float | None = None
    """Of the memory of the fullest GPU, where models run on one."""
    embedding_ms: float | None = None
    """Median time of a speaker embedding, with the wait for others."""


class Notes(Protocol):
    """Takes note of what shows how a service keeps up, at ``now`` (s)."""

    def first_audible(self, latency_ms: float, now: float) -> None:
        """An utterance was heard, so long after its text came."""
        ...

    def ended(self, now: float, *, failed: bool) -> None:
        """An utterance is over; ``failed`` where it did and that was our fault."""
        ...

    def embedded(self, took_ms: float, now: float) -> None:
        """A speaker embedding was made."""
        ...


class Vitals:
    """Notes of the last ``window_s`` seconds."""

    def __init__(self, window_s: float = 30.0, min_utterances: int = MIN_UTTERANCES) -> None:
        self._min_utterances = min_utterances
        self._latencies = _Recent(window_s)
        self._failures = _Recent(window_s)
        self._embeddings = _Recent(window_s)
        self._waiting: deque[int] = deque(maxlen=CALM_READINGS)

    def first_audible(self, latency_ms: float, now: float) -> None:
        """An utterance was heard, so long after its text came."""
        self._latencies.note(latency_ms, now)

    def ended(self, now: float, *, failed: bool) -> None:
        """An utterance is over; ``failed`` where it did and that was our fault."""
        self._failures.note(float(failed), now)

    def embedded(self, took_ms: float, now: float) -> None:
        """A speaker embedding was made."""
        self._embeddings.note(took_ms, now)

    def forget_speech(self) -> None:
        """Know nothing of utterances before: what comes now shows whether a remedy was enough."""
        self._latencies.forget()
        self._failures.forget()

    def read(
        self,
        now: float,
        waiting: int = 0,
        free_memory_share: float | None = None,
        free_gpu_share: float | None = None,
    ) -> Reading:
        """The figures at ``now``, with those that are known without notes."""
        self._waiting.append(waiting)
        latencies = self._latencies.values(now)
        failures = self._failures.values(now)
        embeddings = self._embeddings.values(now)
        return Reading(
            percentile(latencies, 0.95) if len(latencies) >= self._min_utterances else None,
            sum(failures) / len(failures) if len(failures) >= self._min_utterances else None,
            min(self._waiting) if len(self._waiting) == CALM_READINGS else 0,
            free_memory_share,
            free_gpu_share,
            percentile(embeddings, 0.5) if len(embeddings) >= MIN_EMBEDDINGS else None,
        )


class _Recent:
    def __init__(self, window_s: float) -> None:
        self._window_s = window_s
        self._notes: deque[tuple[float, float]] = deque(maxlen=MAX_NOTES)

    def note(self, value: float, now: float) -> None:
        self._notes.append((now, value))

    def forget(self) -> None:
        self._notes.clear()

    def values(self, now: float) -> list[float]:
        while self._notes and self._notes[0][0] <= now - self._window_s:
            self._notes.popleft()
        return [value for _, value in self._notes]


def percentile(values: list[float], share: float) -> float:
    """The nearest-rank percentile of some values: the least one that ``share`` of them reach."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]

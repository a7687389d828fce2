"""Where the time goes from a text to its first audible sample."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engines.api import Chunk

PARTS = ("text", "wait", "front", "first_chunk", "send")
"""Of a latency, in order; each is a ``…_ms`` of ``Beginning``."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """The parts of an utterance's latency, which together are all of it, in milliseconds."""

    text_ms: float
    """To cut and read the text, and for its turn in the session."""
    wait_ms: float
    """For the engine, which is at something else, and between the processes."""
    front_ms: float
    """The engine's work on all of the first piece: phonemes, lengths, melody."""
    first_chunk_ms: float
    """To decode the first 80 ms."""
    send_ms: float
    """Lead, the next frame's time, and silence before the first sound."""

    @property
    def total_ms(self) -> float:
        """The latency."""
        return self.text_ms + self.wait_ms + self.front_ms + self.first_chunk_ms + self.send_ms

    def parts_ms(self) -> Iterator[tuple[str, float]]:
        """Each of ``PARTS`` with what it took, at least 0."""
        for part in PARTS:
            yield part, max(0.0, getattr(self, f"{part}_ms"))


@dataclass(slots=True)
class BeginningClock:
    """Takes the times of one utterance as they come; what comes a second time is ignored."""

    asked_s: float | None = None
    """When the engine was given its first piece."""
    _chunk_s: float = 0.0
    _front_ms: float = 0.0
    _made_ms: float | None = None

    def ask(self, now: float) -> None:
        """The engine is given a piece."""
        if self.asked_s is None:
            self.asked_s = now

    def take(self, chunk: Chunk, now: float) -> None:
        """A chunk has come from the engine."""
        if self._made_ms is None:
            self._chunk_s = now
            self._front_ms, self._made_ms = chunk.front_ms, chunk.made_ms

    def read(self, speakable_s: float | None, heard_s: float) -> Beginning | None:
        """The parts, from when the text of the first piece was there to when it was heard.

        ``None`` where it did not come from the engine, as a silence does.
        """
        if speakable_s is None or self.asked_s is None or self._made_ms is None:
            return None
        away_ms = (self._chunk_s - self.asked_s) * 1000.0
        # Clocks of two processes: what was worked is no more than what was waited.
        made_ms = min(self._made_ms, away_ms)
        front_ms = min(self._front_ms, made_ms)
        return Beginning(
            text_ms=(self.asked_s - speakable_s) * 1000.0,
            wait_ms=away_ms - made_ms,
            front_ms=front_ms,
            first_chunk_ms=made_ms - front_ms,
            send_ms=(heard_s - self._chunk_s) * 1000.0,
        )

"""The edges of spoken sound: silence is cut off, ends are faded, the rest is cut into chunks.

Pure numpy; everything works on a stream, piece by piece.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engines.api import CHUNK_MS, Pcm
from engines.audibility import AUDIBLE_RMS
from engines.kokoro.source import SAMPLE_RATE_HZ

CHUNK_SAMPLES = SAMPLE_RATE_HZ * CHUNK_MS // 1000

LEAD_MS = 15.0
"""Silence kept before the first sound, so that a soft onset is whole."""

_BLOCK_SAMPLES = SAMPLE_RATE_HZ * 5 // 1000
_FADE_SAMPLES = SAMPLE_RATE_HZ * 5 // 1000


def _samples(duration_ms: float) -> int:
    return round(duration_ms * SAMPLE_RATE_HZ / 1000.0)


def audible_blocks(pcm: Pcm) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """For each whole block of 5 ms whether it can be heard."""
    blocks = pcm[: pcm.size // _BLOCK_SAMPLES * _BLOCK_SAMPLES].reshape(-1, _BLOCK_SAMPLES)
    power = np.mean(np.square(blocks, dtype=np.float64), axis=1)
    return np.asarray(power > AUDIBLE_RMS**2)


class SilenceTrimmer:
    """Drops silence before the first sound and leaves a fixed one after the last.

    Silence in between is held back until it is known not to be the last.
    """

    def __init__(self, tail_ms: float) -> None:
        """Leave so much silence at the end."""
        self._tail_samples = _samples(tail_ms)
        self._held = np.zeros(0, np.float32)
        self.dropped_samples = 0
        """Length of what was cut off before the first sound; final once it was heard."""
        self.heard = False

    def push(self, pcm: Pcm, *, more: bool = False) -> Pcm:
        """Take the next samples; give back what is certain to stay.

        With ``more`` sound is known to follow, so that silence need not be held back.
        """
        self._held = np.concatenate([self._held, pcm])
        audible = np.flatnonzero(audible_blocks(self._held))
        if audible.size == 0:
            return self._take(self._held.size) if more and self.heard else self._quiet()
        if not self.heard:
            self._begin(int(audible[0]) * _BLOCK_SAMPLES)
            audible = np.flatnonzero(audible_blocks(self._held))
        kept = self._held.size if more else (int(audible[-1]) + 1) * _BLOCK_SAMPLES
        return self._take(kept)

    def finish(self) -> Pcm:
        """The end: what rings after the last sound, faded out, and silence up to the tail."""
        if not self.heard:
            return np.zeros(0, np.float32)
        tail = fade_out(self._held[: self._tail_samples])
        self._held = np.zeros(0, np.float32)
        return np.pad(tail, (0, self._tail_samples - tail.size))

    def _begin(self, onset: int) -> None:
        cut = max(0, onset - _samples(LEAD_MS))
        self.dropped_samples += cut
        self._held = fade_in(self._held[cut:])
        self.heard = True

    def _quiet(self) -> Pcm:
        """Nothing to be heard yet, or for now: forget or hold it."""
        if not self.heard:
            spare = max(0, self._held.size - _samples(LEAD_MS) - _BLOCK_SAMPLES)
            spare -= spare % _BLOCK_SAMPLES
            self.dropped_samples += spare
            self._held = self._held[spare:]
        return np.zeros(0, np.float32)

    def _take(self, count: int) -> Pcm:
        taken, self._held = self._held[:count], self._held[count:]
        return taken


def fade_in(pcm: Pcm) -> Pcm:
    """Raise the first 5 ms from nothing."""
    count = min(_FADE_SAMPLES, pcm.size)
    faded = pcm.copy()
    faded[:count] *= np.linspace(0.0, 1.0, count, dtype=np.float32)
    return faded


def fade_out(pcm: Pcm) -> Pcm:
    """Lower the last 5 ms to nothing."""
    return fade_in(pcm[::-1])[::-1]


class Chunker:
    """Cuts a stream into chunks of exactly ``CHUNK_MS``; only the last is shorter."""

    def __init__(self) -> None:
        self._waiting: list[Pcm] = []
        self._size = 0

    def push(self, pcm: Pcm) -> Iterator[Pcm]:
        """Take samples of any number; yield the chunks that are full."""
        self._waiting.append(pcm)
        self._size += pcm.size
        if self._size < CHUNK_SAMPLES:
            return
        joined = np.concatenate(self._waiting)
        whole = joined.size // CHUNK_SAMPLES * CHUNK_SAMPLES
        self._waiting, self._size = [joined[whole:]], joined.size - whole
        yield from joined[:whole].reshape(-1, CHUNK_SAMPLES)

    def finish(self) -> Iterator[Pcm]:
        """Yield what is left, if anything is."""
        if self._size:
            yield np.concatenate(self._waiting)
        self._waiting, self._size = [], 0

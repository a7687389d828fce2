"""Keeps the speech heard and cuts it into the overlapping windows that are to be embedded."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Embedding
from voicepeer.core.pcm import Pcm, level_dbfs

LEARNING_LEVELS_DBFS = (-22.0, -16.0)
"""Speaker encoders are not level-invariant; in this range GE2E tells speakers apart best.

Most microphones are in it. Others are brought to its nearer edge: 20 dB less would move an
embedding by as much as another speaker's.
"""

_PEAK_LIMIT = 0.95


@dataclass(frozen=True, slots=True)
class PartialWindow:
    """Speech to embed, levelled by the speech up to its end.

    ``end_s`` is where it ends in the speech heard, ``weight_s`` how much of it is new.
    """

    pcm: Pcm
    end_s: float
    weight_s: float


class SpeechBuffer:
    """The first ``max_s`` of speech, and its windows.

    A window ends every ``first_hop_s`` until the first of ``milestones_s``, then every ``hop_s``;
    one also ends at each milestone, so that no speech up to there is left out. While it is
    ``sparing`` they end half as often, so that there is half as much to embed.
    """

    def __init__(
        self,
        rate_hz: int,
        window_samples: int,
        *,
        max_s: float,
        first_hop_s: float,
        hop_s: float,
        milestones_s: Sequence[float],
    ) -> None:
        self.sparing = False
        self._rate_hz = rate_hz
        self._window_samples = window_samples
        self._first_hop, self._hop = round(first_hop_s * rate_hz), round(hop_s * rate_hz)
        self._milestones = sorted(round(at_s * rate_hz) for at_s in milestones_s)
        self._pcm: Pcm = np.zeros(round(max_s * rate_hz), dtype=np.float32)
        self._filled = 0
        self._planned_end = 0
        self._waiting: deque[PartialWindow] = deque()

    @property
    def heard_s(self) -> float:
        """Length of the speech kept."""
        return self._filled / self._rate_hz

    @property
    def full(self) -> bool:
        """Whether more speech would be dropped."""
        return self._filled == self._pcm.size

    def push(self, pcm: Pcm) -> Pcm:
        """Keep more speech; returns the part for which there was room."""
        kept = pcm[: self._pcm.size - self._filled]
        self._pcm[self._filled : self._filled + kept.size] = kept
        self._filled += kept.size
        while (end := self._next_end()) <= self._filled:
            self._waiting.append(self._window(end))
            self._planned_end = end
        return kept

    def take(self) -> PartialWindow | None:
        """The next window to embed, or ``None``; each is given out once."""
        return self._waiting.popleft() if self._waiting else None

    def pcm(self) -> Pcm:
        """A copy of the speech, brought into ``LEARNING_LEVELS_DBFS``."""
        speech = self._pcm[: self._filled]
        return np.asarray(speech * learning_gain(speech), dtype=np.float32)

    def _window(self, end: int) -> PartialWindow:
        pcm = self._pcm[end - self._window_samples : end] * learning_gain(self._pcm[:end])
        new = min(end - self._planned_end, self._hop)
        return PartialWindow(pcm, end / self._rate_hz, new / self._rate_hz)

    def _next_end(self) -> int:
        if self._planned_end == 0:
            return self._window_samples
        ahead = [at for at in self._milestones if at > self._planned_end]
        hop = self._first_hop if len(ahead) == len(self._milestones) else self._hop
        hop *= 2 if self.sparing else 1
        return min([self._planned_end + hop, *ahead])


def learning_gain(speech: Pcm) -> np.float32:
    """Factor that brings speech into ``LEARNING_LEVELS_DBFS`` without clipping it."""
    peak = float(np.max(np.abs(speech), initial=0.0))
    level_db = level_dbfs(speech)
    lowest_db, highest_db = LEARNING_LEVELS_DBFS
    wanted_db = min(max(level_db, lowest_db), highest_db)
    if peak == 0.0 or wanted_db == level_db:
        return np.float32(1.0)
    return np.float32(min(math.pow(10.0, (wanted_db - level_db) / 20.0), _PEAK_LIMIT / peak))


def mean_embedding(embedded: Sequence[tuple[PartialWindow, Embedding]]) -> Embedding:
    """Unit mean, each window counted for the speech that it adds."""
    total = np.sum([embedding * window.weight_s for window, embedding in embedded], axis=0)
    norm = float(np.linalg.norm(total))
    return np.asarray(total / norm if norm > 0 else total, dtype=np.float32)

"""Where sound begins after silence: puts word marks from the plan to what is really heard.

The planned times are right to about 30 ms; after a pause the waveform itself tells.
"""

from __future__ import annotations

import numpy as np

from engines.api import Pcm
from engines.kokoro.edges import audible_blocks
from engines.kokoro.source import SAMPLE_RATE_HZ

BLOCK_SAMPLES = SAMPLE_RATE_HZ * 5 // 1000
_BEFORE = 14
_AFTER = 18
"""Blocks of 5 ms around a planned time within which the true one is looked for."""

_QUIET = 6
"""Blocks of silence before a sound that begins; a stop within a word is shorter or further off."""


class Onsets:
    """Listens to a segment as it is made."""

    def __init__(self) -> None:
        self._rest = np.zeros(0, np.float32)
        self._loud: list[bool] = []
        self._complete = False

    def push(self, pcm: Pcm) -> None:
        """Take the next samples."""
        joined = np.concatenate([self._rest, pcm])
        self._loud += audible_blocks(joined).tolist()
        self._rest = joined[joined.size // BLOCK_SAMPLES * BLOCK_SAMPLES :]

    def finish(self) -> None:
        """No more samples will come."""
        self._complete = True

    def near(self, planned: int) -> int | None:
        """The sample where sound begins near a planned one, or the planned one if none does.

        ``None`` while that depends on samples that have not come yet.
        """
        middle = planned // BLOCK_SAMPLES
        low, high = max(0, middle - _BEFORE), middle + _AFTER
        known = min(high, len(self._loud))
        begins = [at for at in range(low, known) if self._begins(at)]
        if begins:
            return min(begins, key=lambda at: abs(at - middle)) * BLOCK_SAMPLES
        still_quiet = not any(self._loud[max(0, known - _QUIET) : known])
        if known < high and still_quiet and not self._complete:
            return None
        return planned

    def _begins(self, at: int) -> bool:
        return self._loud[at] and not any(self._loud[max(0, at - _QUIET) : at])

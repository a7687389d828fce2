"""Stands in for the package of this name where that is not installed: it hums."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

RATE_HZ = 24_000


class Kokoro:
    """A model whose file and voices have to be there."""

    def __init__(self, model_path: str, voices_path: str) -> None:
        for path in (model_path, voices_path):
            Path(path).read_bytes()

    async def create_stream(
        self, text: str, voice: str, lang: str
    ) -> AsyncIterator[tuple[NDArray[np.float32], int]]:
        """A tenth of a second for each word, in which its place is the pitch."""
        if (voice, lang) != ("af_heart", "en-us"):
            raise ValueError("another voice")
        at = np.arange(RATE_HZ // 10) / RATE_HZ
        for place, _ in enumerate(text.split(), start=1):
            yield (0.3 * np.sin(2 * np.pi * 200 * place * at)).astype(np.float32), RATE_HZ

"""Spoken samples on disk: shards that appear only when they are complete, and what is in them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engines.kokoro.network import Matrix
from engines.kokoro.weights import writing

SHIPPED = Path(__file__).parent / "samples"
"""The samples that ``engines/kokoro/data/cloning.npz`` is fitted on, in half precision."""


@dataclass(frozen=True, slots=True)
class Samples:
    """What was spoken and what was heard, one row a sample.

    ``styles [n, 256]``; ``embeddings [n, 256]``, unit length; ``f0_hz [n]``, the median F0 that
    was heard; ``f0_ratio [n]``, by which the style's own F0 had been multiplied; ``level_db [n]``,
    RMS before it was brought to ``cloning.SPOKEN_DBFS`` to be embedded.
    """

    styles: Matrix
    embeddings: Matrix
    f0_hz: NDArray[np.float32]
    f0_ratio: NDArray[np.float32]
    level_db: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.styles)

    @property
    def own_f0_hz(self) -> NDArray[np.float32]:
        """The median F0 that would have been heard, had it not been moved."""
        own: NDArray[np.float32] = self.f0_hz / self.f0_ratio
        return own

    def where(self, rows: NDArray[np.bool_]) -> Samples:
        """Only some of the rows."""
        return Samples(*(getattr(self, one.name)[rows] for one in fields(self)))


def write_shard(samples: Samples, path: Path) -> None:
    """Write a shard; it is never seen half written."""
    with writing(path) as file:
        np.savez(file, **{one.name: getattr(samples, one.name) for one in fields(samples)})


def read_shards(folder: Path) -> Samples:
    """All shards of a folder in the order of their names.

    Raises:
        FileNotFoundError: there are none.
    """
    paths = sorted(folder.glob("*.npz"))
    if not paths:
        raise FileNotFoundError(f"{folder} holds no samples: run `generate` first")
    parts: dict[str, list[NDArray[np.float32]]] = {one.name: [] for one in fields(Samples)}
    for path in paths:
        with np.load(path, allow_pickle=False) as shard:
            for name, rows in parts.items():
                rows.append(np.asarray(shard[name], dtype=np.float32))
    return Samples(**{name: np.concatenate(rows) for name, rows in parts.items()})

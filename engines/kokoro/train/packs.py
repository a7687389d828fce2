"""Reads the published voice packs and boils them down to the shipped style file.

The packs are the 54 ``voices/*.bin`` of npm kokoro-js 1.2.1 (Apache-2.0): float32 ``[510, 256]``,
one style for each number of tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engines.kokoro.voices import PROSODY, TIMBRE, TYPICAL_TOKENS

PACK_LENGTHS = 510
LENGTH_KNOTS = (0, 1, 2, 3, 5, 8, 13, 19, 27, 39, 55, 79, 100, 159, 219, 299, 399, 509)
"""Numbers of tokens at which the shared prosody curve is kept; dense where it bends."""

Packs = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class BasisErrors:
    """Euclidean distances in style space; the stock voices lie 2.2 from their mean on average."""

    mean: float
    worst: float
    timbre_mean: float
    prosody_mean: float
    prosody_mean_without_curve: float


def read_packs(folder: Path) -> tuple[list[str], Packs]:
    """Names and packs, shape ``[voices, 510, 256]``, in the order of their names.

    Raises:
        FileNotFoundError: no packs there.
        ValueError: a file that is no voice pack.
    """
    files = sorted(folder.glob("*.bin"))
    if not files:
        raise FileNotFoundError(f"{folder} holds no *.bin: unpack npm kokoro-js and name voices/")
    packs = []
    for file in files:
        values = np.fromfile(file, dtype="<f4")
        if values.size != PACK_LENGTHS * 256:
            raise ValueError(f"{file.name} is no voice pack: it holds {values.size} numbers")
        packs.append(values.reshape(PACK_LENGTHS, 256))
    return [file.stem for file in files], np.stack(packs)


def prosody_by_length(packs: Packs) -> NDArray[np.float32]:
    """Mean over voices of how prosody departs from its value at ``TYPICAL_TOKENS``.

    Shape ``[len(LENGTH_KNOTS), 128]``.
    """
    away = packs[:, :, PROSODY] - packs[:, TYPICAL_TOKENS : TYPICAL_TOKENS + 1, PROSODY]
    return np.asarray(away.mean(axis=0)[list(LENGTH_KNOTS)], dtype=np.float32)


def write_styles(folder: Path, target: Path) -> BasisErrors:
    """Write ``styles.npz`` from the packs, in half precision, and tell what was lost."""
    names, packs = read_packs(folder)
    styles = packs[:, TYPICAL_TOKENS].astype(np.float16)
    curve = prosody_by_length(packs).astype(np.float16)
    lengths = np.array(LENGTH_KNOTS, dtype=np.int32)
    np.savez(
        target,
        names=np.array(names),
        styles=styles,
        lengths=lengths,
        prosody_by_length=curve,
    )
    return basis_errors(packs, styles, curve)


def basis_errors(
    packs: Packs, styles: NDArray[np.float16], curve: NDArray[np.float16]
) -> BasisErrors:
    """Distance of the packs from what the shipped file gives back, over 1 to 509 tokens."""
    tokens = np.arange(1, PACK_LENGTHS)
    moved = np.stack(
        [np.interp(tokens, LENGTH_KNOTS, column) for column in curve.astype(np.float64).T], axis=1
    )
    rebuilt = np.repeat(styles.astype(np.float32)[:, None], tokens.size, axis=1)
    plain = packs[:, 1:] - rebuilt
    rebuilt[:, :, PROSODY] += moved.astype(np.float32)
    away = packs[:, 1:] - rebuilt
    whole = np.linalg.norm(away, axis=2)
    return BasisErrors(
        mean=float(whole.mean()),
        worst=float(whole.max()),
        timbre_mean=float(np.linalg.norm(away[:, :, TIMBRE], axis=2).mean()),
        prosody_mean=float(np.linalg.norm(away[:, :, PROSODY], axis=2).mean()),
        prosody_mean_without_curve=float(np.linalg.norm(plain[:, :, PROSODY], axis=2).mean()),
    )

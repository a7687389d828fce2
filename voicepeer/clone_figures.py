"""The figures of cloned speakers: one record a speaker, and means over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


@dataclass(slots=True)
class Figures:
    """Figures of one speaker; ``None`` where there is a note.

    All but one are against the half of the clip that was not cloned. Names that begin with
    ``stock`` are those of the nearest stock voice, those with ``own`` of the half that was cloned:
    what the speaker differs by from themselves.
    """

    name: str
    cosine: float
    ceiling: float
    stock: float
    stock_name: str
    clone_ms: float
    """What it took to make the voice of speech that was heard already."""
    usable_ms: float | None = None
    """From the first speech to a usable voice, if the clip came from a microphone."""
    ready_ms: float | None = None
    rank: int = 0
    stock_rank: int = 0
    words: float | None = None
    stock_words: float | None = None
    dnsmos: float | None = None
    stock_dnsmos: float | None = None
    second_judge: float | None = None
    second_judge_ceiling: float | None = None
    stock_second_judge: float | None = None
    second_judge_rank: int | None = None
    stock_second_judge_rank: int | None = None
    ceiling_second_judge_rank: int | None = None
    f0_heard_semitones: float | None = None
    """Against the half that was cloned; how well the F0 was met that could be heard."""
    f0_semitones: float | None = None
    own_f0_semitones: float | None = None
    stock_f0_semitones: float | None = None
    f0_range_semitones: float | None = None
    own_f0_range_semitones: float | None = None
    stock_f0_range_semitones: float | None = None
    rate_percent: float | None = None
    own_rate_percent: float | None = None
    stock_rate_percent: float | None = None
    spectrum_db: float | None = None
    own_spectrum_db: float | None = None
    stock_spectrum_db: float | None = None
    vocal_tract_percent: float | None = None
    own_vocal_tract_percent: float | None = None
    stock_vocal_tract_percent: float | None = None
    dynamics_db: float | None = None
    own_dynamics_db: float | None = None
    stock_dynamics_db: float | None = None


SHARES_OF_FIRST = {
    "top1": "rank",
    "stock_top1": "stock_rank",
    "second_judge_top1": "second_judge_rank",
    "stock_second_judge_top1": "stock_second_judge_rank",
    "second_judge_ceiling_top1": "ceiling_second_judge_rank",
}
"""Name of a share of first places, and the rank that it counts."""

_NOT_AVERAGED = {"name", "stock_name", *SHARES_OF_FIRST.values()}


def row(figures: Figures) -> dict[str, Any]:
    """One speaker's figures for JSON."""
    return {one.name: getattr(figures, one.name) for one in fields(Figures)}


def means(speakers: Sequence[Figures]) -> dict[str, float | None]:
    """Mean of each figure over the speakers who have it, and shares of first places."""
    found = {
        one.name: mean([getattr(figures, one.name) for figures in speakers])
        for one in fields(Figures)
        if one.name not in _NOT_AVERAGED
    }
    for share, rank in SHARES_OF_FIRST.items():
        ranks = [getattr(figures, rank) for figures in speakers]
        found[share] = mean([None if place is None else float(place == 1) for place in ranks])
    return found


def mean(values: Sequence[float | None]) -> float | None:
    """Mean of what is known; ``None`` if nothing is."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def ranks(scores: Matrix) -> list[int]:
    """Place of each row's own speaker when the highest score comes first; 1 is the best.

    ``scores`` is ``[n, n]``: voice ``i`` is meant to be speaker ``i``.
    """
    return [1 + int(np.sum(line > line[target])) for target, line in enumerate(scores)]

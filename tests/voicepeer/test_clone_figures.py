"""Means and ranks: what is not known does not count, and nobody's own place is lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer import clone_figures
from voicepeer.clone_figures import Figures

pytestmark = pytest.mark.unit


def figures(name: str, cosine: float, rank: int, dnsmos: float | None = None) -> Figures:
    return Figures(name, cosine, 0.9, 0.6, "af_sky", 1_200.0, rank=rank, dnsmos=dnsmos)


def test_means_are_of_what_is_known() -> None:
    found = clone_figures.means([figures("a", 0.7, 1, 3.0), figures("b", 0.8, 3)])
    assert found["cosine"] == pytest.approx(0.75)
    assert found["dnsmos"] == pytest.approx(3.0)
    assert found["words"] is None
    assert found["top1"] == 0.5
    assert found["second_judge_top1"] is None
    assert not {"name", "stock_name", "rank"} & found.keys()


def test_every_figure_of_a_row_has_its_mean_or_its_share() -> None:
    one = figures("a", 0.7, 1)
    counted = set(clone_figures.SHARES_OF_FIRST.values())
    averaged = clone_figures.row(one).keys() - counted - {"name", "stock_name"}
    assert averaged | clone_figures.SHARES_OF_FIRST.keys() == clone_figures.means([one]).keys()


def test_rank_counts_who_is_nearer() -> None:
    scores = np.array([[0.5, 0.9, 0.7], [0.1, 0.9, 0.2], [0.8, 0.1, 0.7]])
    assert clone_figures.ranks(scores) == [3, 1, 2]


@given(st.integers(1, 8), st.integers(0, 1_000))
def test_rank_lies_among_the_speakers_and_does_not_change_with_scale(n: int, seed: int) -> None:
    scores = np.random.default_rng(seed).standard_normal((n, n))
    found = clone_figures.ranks(scores)
    assert all(1 <= place <= n for place in found)
    assert clone_figures.ranks(2.0 * scores - 1.0) == found

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from engines.kokoro import transposition
from engines.kokoro.decoder import NORM_CHANNELS
from engines.kokoro.synth import NormStatistics

pytestmark = pytest.mark.unit


def statistics(mean: float = 0.5, variance: float = 2.0) -> NormStatistics:
    shape = NORM_CHANNELS
    return NormStatistics(np.full(shape, mean, np.float32), np.full(shape, variance, np.float32))


def test_the_shipped_curves_are_the_ones_this_version_was_made_for() -> None:
    data = transposition.FILE.read_bytes()
    assert hashlib.sha256(data).hexdigest() == transposition.SHA256


def test_no_shift_changes_nothing_and_a_larger_one_changes_more() -> None:
    own = statistics()
    assert transposition.transposed(own, 0.0) is own
    moved = [
        float(np.abs(transposition.transposed(own, by).mean - own.mean).mean())
        for by in (1.0, 4.0, 12.0)
    ]
    assert 0.0 < moved[0] < moved[1] < moved[2]
    assert (transposition.transposed(own, -12.0).variance > 0.0).all()


def test_fit_finds_curves_that_give_back_what_was_measured() -> None:
    def at(shift: float) -> NormStatistics:
        octaves = shift / 12.0
        return statistics(0.5 + 0.3 * octaves * np.sqrt(2.0), 2.0 * np.exp(0.4 * octaves**2))

    voice = {by: at(by) for by in (0.0, *transposition.SHIFTS_SEMITONES)}
    curves = transposition.fit([voice])
    assert curves["mean"][:, 7] == pytest.approx([0.3, 0.0], abs=1e-3)
    assert curves["log_variance"][:, 7] == pytest.approx([0.0, 0.4], abs=1e-3)


def test_what_is_told_to_the_generator_grows_with_what_is_asked() -> None:
    asked = np.linspace(-12.0, 12.0, 25)
    told = np.array([transposition.steered(float(one)) for one in asked])
    assert (np.diff(told) > 0.0).all()
    assert transposition.steered(0.0) == 0.0
    assert transposition.level_gain(0.0) == 1.0
    assert transposition.level_gain(-6.0) > 1.0 > transposition.level_gain(6.0)

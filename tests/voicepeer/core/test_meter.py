"""A bar that moves with speech."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.meter import FLOOR_DBFS, Meter
from voicepeer.core.pcm import Pcm16

pytestmark = pytest.mark.unit


def square(dbfs: float) -> Pcm16:
    """A square wave, whose RMS level is its amplitude."""
    amplitude = 32767 * 10 ** (dbfs / 20)
    return np.tile(np.array([amplitude, -amplitude]), 480).round().astype(np.int16)


@pytest.mark.parametrize(("dbfs", "value"), [(0.0, 1.0), (-30.0, 0.5), (FLOOR_DBFS, 0.0)])
def test_decibels_are_spread_evenly(dbfs: float, value: float) -> None:
    meter = Meter()
    meter.push(square(dbfs))
    assert meter.read() == pytest.approx(value, abs=0.01)


def test_the_loudest_stretch_counts_until_it_is_read() -> None:
    meter = Meter()
    for dbfs in (-40.0, -10.0, -50.0):
        meter.push(square(dbfs))
    assert meter.read() == pytest.approx(1 - 10 / 60, abs=0.01)
    assert meter.read() == 0.0


@pytest.mark.parametrize("size", [0, 960])
def test_silence_is_nothing(size: int) -> None:
    meter = Meter()
    meter.push(np.zeros(size, np.int16))
    assert meter.read() == 0.0


@given(st.lists(st.integers(-32768, 32767), max_size=50))
def test_it_never_leaves_its_range(samples: list[int]) -> None:
    meter = Meter()
    meter.push(np.array(samples, np.int16))
    assert 0.0 <= meter.read() <= 1.0

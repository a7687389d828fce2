"""Constants and conversions of PCM."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.typing import NDArray

from voicepeer.core.pcm import (
    FRAME_MS,
    FRAME_SAMPLES,
    SILENCE_DBFS,
    WIRE_RATE_HZ,
    from_pcm16,
    level_dbfs,
    to_pcm16,
)

pytestmark = pytest.mark.unit

ANY = npst.arrays(np.float32, st.integers(0, 50), elements=st.floats(width=32))


def test_a_frame_is_20_ms_at_48_khz() -> None:
    assert (WIRE_RATE_HZ, FRAME_MS, FRAME_SAMPLES) == (48_000, 20, 960)


@pytest.mark.parametrize(
    ("sample", "expected"),
    [(0.0, 0), (1.0, 32767), (-1.0, -32767), (2.5, 32767), (-2.5, -32767), (0.5, 16384),
     (float("nan"), 0), (float("inf"), 32767), (float("-inf"), -32767), (1e-9, 0)],
)  # fmt: skip
def test_to_16_bits(sample: float, expected: int) -> None:
    converted = to_pcm16(np.array([sample], np.float32))
    assert converted.dtype == np.int16
    assert converted.tolist() == [expected]


@given(ANY)
def test_no_sample_wraps_around(pcm: NDArray[np.float32]) -> None:
    converted = to_pcm16(pcm)
    assert converted.shape == pcm.shape
    finite = np.nan_to_num(pcm, nan=0.0)
    assert np.all((np.sign(converted) == np.sign(finite)) | (converted == 0))
    assert np.all(np.abs(converted.astype(np.int32)) <= 32767)


@given(npst.arrays(np.int16, st.integers(0, 50)))
def test_16_bits_survive_the_way_through_float(pcm16: NDArray[np.int16]) -> None:
    pcm = from_pcm16(pcm16)
    assert pcm.dtype == np.float32
    assert np.all(np.abs(pcm) <= 1.0)
    back = to_pcm16(pcm).astype(np.int32)
    assert np.all(np.abs(back - pcm16) <= 1)


def test_the_input_is_left_alone() -> None:
    pcm = np.array([np.nan, 2.0], np.float32)
    to_pcm16(pcm)
    assert np.isnan(pcm[0])
    assert pcm[1] == 2.0


def test_levels() -> None:
    t = np.arange(4800, dtype=np.float32) / 48_000
    sine = np.sin(2 * np.pi * 1000 * t, dtype=np.float32)
    assert level_dbfs(sine) == pytest.approx(-3.01, abs=0.01)
    assert level_dbfs(np.float32(0.1) * sine) == pytest.approx(-23.01, abs=0.01)
    assert level_dbfs(np.ones(10, np.float32)) == pytest.approx(0.0, abs=1e-6)


def test_silence_has_a_finite_level() -> None:
    assert level_dbfs(np.zeros(0, np.float32)) == SILENCE_DBFS
    assert level_dbfs(np.zeros(960, np.float32)) == SILENCE_DBFS


def test_a_long_quiet_signal_does_not_lose_precision() -> None:
    assert level_dbfs(np.full(2_000_000, 1e-3, np.float32)) == pytest.approx(-60.0, abs=0.01)

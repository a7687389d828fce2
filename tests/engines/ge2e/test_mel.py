"""The mel front end against values that librosa 0.11 computed once for the same signal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engines.api import Pcm
from engines.ge2e.mel import HOP_SAMPLES, MEL_BANDS, SAMPLE_RATE_HZ, filterbank, mel_spectrogram

pytestmark = pytest.mark.unit

GOLDEN = Path(__file__).parent / "golden.npz"


def sweep(samples: int = 4_000) -> Pcm:
    """A rising tone with two high ones; the signal that the golden values were taken from."""
    t = np.arange(samples) / SAMPLE_RATE_HZ
    low = 0.3 * np.sin(2 * np.pi * (120 + 400 * t) * t)
    high = 0.2 * np.sin(2 * np.pi * 3100 * t) + 0.05 * np.sin(2 * np.pi * 6900 * t)
    return np.asarray(low + high, dtype=np.float32)


@pytest.fixture(scope="module")
def golden() -> NDArray[np.float32]:
    with np.load(GOLDEN) as stored:
        return np.asarray(stored["mel"], dtype=np.float32)


def test_equals_librosa(golden: NDArray[np.float32]) -> None:
    np.testing.assert_allclose(mel_spectrogram(sweep()), golden, rtol=1e-3, atol=1e-6)


def test_is_power_not_decibels() -> None:
    loud, quiet = mel_spectrogram(sweep()), mel_spectrogram(sweep() * np.float32(0.1))
    np.testing.assert_allclose(quiet * 100.0, loud, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("samples", [1, 159, 160, 161, 16_000])
def test_has_one_frame_a_hop_and_one_more(samples: int) -> None:
    assert mel_spectrogram(sweep(samples)).shape == (1 + samples // HOP_SAMPLES, MEL_BANDS)


def test_a_tone_lands_in_the_band_around_it() -> None:
    t = np.arange(8_000) / SAMPLE_RATE_HZ
    bands = mel_spectrogram(np.sin(2 * np.pi * 1_000 * t).astype(np.float32))[25]
    bin_hz = np.linspace(0, SAMPLE_RATE_HZ / 2, filterbank().shape[1])
    strongest = filterbank()[int(np.argmax(bands))]
    assert abs(bin_hz[int(np.argmax(strongest))] - 1_000) < 100


def test_filters_have_unit_area_where_bins_resolve_them() -> None:
    bin_width_hz = SAMPLE_RATE_HZ / 400
    areas = filterbank().sum(axis=1) * bin_width_hz
    np.testing.assert_allclose(areas[20:], 1.0, atol=0.02)

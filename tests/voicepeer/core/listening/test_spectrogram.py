"""Columns of a spectrogram: where sound is, and that silence costs no accuracy."""

from __future__ import annotations

import numpy as np
import pytest

from voicepeer.core.listening.spectrogram import (
    BAND_BINS,
    COLUMN_SAMPLES,
    FIRST_BIN,
    HOP_SAMPLES,
    NOTHING_DB,
    SILENCE,
    Spectrogram,
)
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm

pytestmark = pytest.mark.unit


def tone(band: int, amplitude: float, samples: int) -> Pcm:
    """In the middle of a band."""
    hz = (FIRST_BIN + BAND_BINS * (band + 0.5)) * LISTEN_RATE_HZ / COLUMN_SAMPLES
    at = np.arange(samples) / LISTEN_RATE_HZ
    return (amplitude * np.sin(2 * np.pi * hz * at)).astype(np.float32)


def test_a_tone_is_in_its_band() -> None:
    spectrogram = Spectrogram(8)
    columns = spectrogram.push(tone(7, 0.1, 4 * COLUMN_SAMPLES))
    bands = spectrogram.band_levels(columns[-1])
    assert int(bands.argmax()) == 7
    # Half of the square of the amplitude: a tone of full scale has -3 dB.
    assert bands[7] == pytest.approx(-23.0, abs=0.5)


def test_columns_are_counted_whatever_is_in_them() -> None:
    spectrogram = Spectrogram(8)
    silence = np.zeros(10 * HOP_SAMPLES, np.float32)
    assert list(spectrogram.push(silence)) == list(range(9))
    assert list(spectrogram.push(tone(3, 0.1, HOP_SAMPLES))) == [9]
    assert spectrogram.count == 10


@pytest.mark.parametrize("amplitude", [0.0, SILENCE / 2, SILENCE])
def test_silence_has_no_levels(amplitude: float) -> None:
    spectrogram = Spectrogram(8)
    for column in spectrogram.push(tone(3, amplitude, 4 * COLUMN_SAMPLES)):
        assert (spectrogram.band_levels(column) == NOTHING_DB).all()
        assert (spectrogram.bin_levels(column) == NOTHING_DB).all()


def test_what_counts_as_silence_is_far_below_every_threshold() -> None:
    """Just over it a tone with all its power in one band is still under -80 dB."""
    spectrogram = Spectrogram(8)
    (column, *_) = spectrogram.push(tone(3, 1.01 * SILENCE, 4 * COLUMN_SAMPLES))
    assert NOTHING_DB < spectrogram.band_levels(column).max() < -80.0


def test_sound_after_silence_is_as_sound_alone() -> None:
    speech = tone(5, 0.2, 6 * COLUMN_SAMPLES)
    alone, after = Spectrogram(64), Spectrogram(64)
    after.push(np.zeros(8 * HOP_SAMPLES, np.float32))
    first = alone.push(speech)
    second = after.push(speech)
    assert (alone.band_levels(first[-1]) == after.band_levels(second[-1])).all()

"""The tone of a voice: what its filter does to speech."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engines.api import Pcm
from engines.kokoro import tone
from engines.kokoro.cloning import TONE_DB
from engines.kokoro.source import SAMPLE_RATE_HZ

pytestmark = pytest.mark.unit

gains = st.lists(
    st.floats(-tone.LIMIT_DB, tone.LIMIT_DB), min_size=tone.TONE_HZ.size, max_size=tone.TONE_HZ.size
).map(lambda values: np.array(values, dtype=np.float32))


def _noise(samples: int = 24_000, seed: int = 0) -> Pcm:
    return np.random.default_rng(seed).normal(0.0, 0.1, samples).astype(np.float32)


def _response_db(taps: NDArray[np.float64]) -> NDArray[np.float64]:
    at_hz = np.fft.rfftfreq(8192, 1.0 / SAMPLE_RATE_HZ)
    response = 20.0 * np.log10(np.abs(np.fft.rfft(taps, 8192)))
    return np.asarray(np.interp(tone.TONE_HZ, at_hz, response))


def _level_db(pcm: Pcm) -> float:
    return 10.0 * float(np.log10(np.mean(np.square(pcm, dtype=np.float64))))


def test_flat_tone_changes_nothing() -> None:
    pcm = _noise()
    flat = tone.fir(np.zeros(tone.TONE_HZ.size, np.float32))
    assert np.abs(tone.filtered(pcm, flat) - pcm).max() < 1e-6


def test_gentle_gains_come_out_as_asked() -> None:
    wanted = np.array([-1, 1, 2, 0, -2, -3, -1, 2, 3, 4], dtype=np.float32)
    assert np.abs(_response_db(tone.fir(wanted)) - wanted).max() < 0.5


@given(gains)
@settings(max_examples=50, deadline=None)
def test_every_filter_keeps_to_its_limits(wanted: tone.Gains) -> None:
    response = _response_db(tone.fir(wanted))
    assert wanted.min() - 1.5 < response.min()
    assert response.max() < wanted.max() + 1.5


@given(gains)
@settings(max_examples=30, deadline=None)
def test_nothing_is_heard_before_its_time(wanted: tone.Gains) -> None:
    click = np.zeros(1_000, np.float32)
    click[300] = 1.0
    heard = tone.filtered(click, tone.fir(wanted))
    assert not heard[:300].any()
    power = np.cumsum(np.square(heard, dtype=np.float64))
    assert power[300 + 48] > 0.9 * power[-1], "most of the sound comes within 2 ms"


def test_stretches_with_their_past_are_filtered_as_the_whole() -> None:
    pcm, taps = _noise(), tone.fir(np.linspace(-6, 6, 10).astype(np.float32))
    whole = tone.filtered(pcm, taps)
    part = tone.filtered(pcm[10_000 - tone.TAPS : 12_000], taps)[tone.TAPS :]
    assert np.abs(part - whole[10_000:12_000]).max() < 1e-6


@given(st.floats(20.0, 12_000.0))
def test_every_frequency_is_shared_out_whole(hz: float) -> None:
    share = tone.shares(np.array([hz]))
    assert share.min() >= 0.0
    assert share.sum() == pytest.approx(1.0)


def test_the_tone_of_clones_keeps_speech_as_loud_as_it_is() -> None:
    """Of speech: much in the low bands, 9 dB less in each octave over 500 Hz."""
    noise = np.fft.rfft(_noise(96_000))
    at_hz = np.fft.rfftfreq(96_000, 1.0 / SAMPLE_RATE_HZ)
    slope = np.minimum(1.0, (500.0 / np.maximum(at_hz, 1.0)) ** 1.5) * (at_hz > 90.0)
    speech = np.fft.irfft(noise * slope).astype(np.float32)
    toned = tone.filtered(speech, tone.fir(TONE_DB))
    assert _level_db(toned) == pytest.approx(_level_db(speech), abs=1.0)
    assert np.abs(TONE_DB).max() < tone.LIMIT_DB

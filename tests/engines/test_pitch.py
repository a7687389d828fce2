"""F0 of signals whose F0 is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.api import Pcm
from engines.pitch import (
    RATIO_RANGE,
    SAMPLE_RATE_HZ,
    matching_ratio,
    semitones,
    track_pitch,
)

pytestmark = pytest.mark.unit


def _voice(f0_hz: float | np.ndarray, seconds: float = 1.0, tilt: float = 1.0) -> Pcm:
    """A buzz: harmonics up to 4 kHz whose amplitude falls with their number to the ``tilt``."""
    samples = int(seconds * SAMPLE_RATE_HZ)
    contour = np.broadcast_to(np.asarray(f0_hz, dtype=np.float64), samples)
    phase = 2.0 * np.pi * np.cumsum(contour) / SAMPLE_RATE_HZ
    count = max(1, int(4000.0 / contour.max()))
    waves = [np.sin(k * phase + 0.7 * k) / k**tilt for k in range(1, count + 1)]
    return np.asarray(0.1 * np.sum(waves, axis=0), dtype=np.float32)


@given(st.floats(70.0, 400.0), st.floats(0.3, 2.0))
@settings(max_examples=40, deadline=None)
def test_median_of_a_steady_voice_is_its_f0(f0_hz: float, tilt: float) -> None:
    median = track_pitch(_voice(f0_hz, tilt=tilt)).median_hz
    assert median is not None
    assert abs(semitones(median, f0_hz)) < 0.1


@pytest.mark.parametrize("f0_hz", [90.0, 130.0, 220.0, 300.0])
def test_missing_fundamental_as_over_a_telephone_is_no_octave_error(f0_hz: float) -> None:
    phase = 2.0 * np.pi * f0_hz * np.arange(SAMPLE_RATE_HZ) / SAMPLE_RATE_HZ
    harmonics = [k for k in range(2, 40) if 300.0 < k * f0_hz < 3400.0]
    pcm = np.sum([0.05 * np.sin(k * phase + k) for k in harmonics], axis=0).astype(np.float32)
    median = track_pitch(pcm).median_hz
    assert median is not None
    assert abs(semitones(median, f0_hz)) < 0.2


def test_noise_at_20_db_does_not_move_the_median() -> None:
    clean = _voice(150.0)
    noise = np.random.default_rng(1).standard_normal(clean.size).astype(np.float32)
    noisy = clean + noise * np.float32(np.std(clean) * 0.1)
    median = track_pitch(noisy).median_hz
    assert median is not None
    assert abs(semitones(median, 150.0)) < 0.3


def test_short_stretches_an_octave_off_are_brought_back_to_the_speaker() -> None:
    """A subharmonic, as in creaky voice, doubles the period for a moment."""
    pcm = _voice(200.0, seconds=2.0)
    creak = slice(SAMPLE_RATE_HZ // 2, SAMPLE_RATE_HZ)
    beat = np.cos(2.0 * np.pi * 100.0 * np.arange(SAMPLE_RATE_HZ // 2) / SAMPLE_RATE_HZ)
    pcm[creak] *= (1.0 + 0.35 * beat).astype(np.float32)
    voiced = track_pitch(pcm).voiced_hz
    assert np.mean(voiced < 120.0) < 0.02


def test_glide_has_its_middle_as_median_and_half_its_width_as_spread() -> None:
    samples = 2 * SAMPLE_RATE_HZ
    glide = 120.0 * 2.0 ** (np.linspace(-6.0, 6.0, samples) / 12.0)
    track = track_pitch(_voice(glide, seconds=2.0))
    assert track.median_hz is not None
    assert abs(semitones(track.median_hz, 120.0)) < 0.5
    assert track.spread_semitones == pytest.approx(0.5 * 0.68 * 12.0, abs=0.7)


def test_pauses_and_noise_are_unvoiced() -> None:
    noise = 0.05 * np.random.default_rng(2).standard_normal(SAMPLE_RATE_HZ)
    voiced = _voice(180.0, seconds=0.5)
    pcm = np.concatenate([voiced, np.zeros(8000), noise]).astype(np.float32)
    f0 = track_pitch(pcm).f0_hz
    assert (f0[5:40] > 0.0).mean() > 0.9
    assert (f0[55:] > 0.0).mean() < 0.1


def test_no_voice_gives_no_median() -> None:
    for pcm in (np.zeros(0), np.zeros(300), np.zeros(SAMPLE_RATE_HZ)):
        track = track_pitch(pcm.astype(np.float32))
        assert track.median_hz is None
        assert track.spread_semitones == 0.0


def test_level_does_not_matter() -> None:
    pcm = _voice(140.0)
    loud, quiet = track_pitch(pcm), track_pitch(pcm * np.float32(0.01))
    np.testing.assert_allclose(loud.f0_hz, quiet.f0_hz, rtol=1e-3)


def test_ratio_takes_own_f0_to_the_reference_within_what_sounds_human() -> None:
    assert matching_ratio(150.0, 120.0) == pytest.approx(1.25)
    assert matching_ratio(400.0, 100.0) == RATIO_RANGE[1]
    assert matching_ratio(50.0, 200.0) == RATIO_RANGE[0]


@pytest.mark.parametrize(("reference", "own"), [(None, 120.0), (120.0, None), (None, None)])
def test_ratio_is_one_when_an_f0_is_unknown(reference: float | None, own: float | None) -> None:
    assert matching_ratio(reference, own) == 1.0

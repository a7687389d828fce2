"""The harmonic source and the short spectra."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.kokoro.source import (
    BINS,
    HALF_FRAME_SAMPLES,
    HOPS_PER_HALF_FRAME,
    SAMPLE_RATE_HZ,
    HarmonicSource,
    analyse,
    synthesise,
)

pytestmark = pytest.mark.unit

MIX = np.array([1.0, 0.5, 0.25, 0, 0, 0, 0, 0, 0], np.float32)


def steady(f0_hz: float, half_frames: int) -> HarmonicSource:
    return HarmonicSource(np.full(half_frames, f0_hz, np.float32), MIX, 0.0)


def gliding(half_frames: int = 60) -> HarmonicSource:
    f0_hz = np.linspace(90.0, 260.0, half_frames, dtype=np.float32)
    f0_hz[20:30] = 0.0
    return HarmonicSource(f0_hz, MIX, -0.03)


@pytest.mark.parametrize("f0_hz", [80.0, 200.0, 350.0])
def test_sounds_at_its_fundamental(f0_hz: float) -> None:
    wave = steady(f0_hz, 80).samples(0, 80)
    assert wave.size == SAMPLE_RATE_HZ
    assert int(np.argmax(np.abs(np.fft.rfft(wave)))) == pytest.approx(f0_hz, abs=1)


def test_unvoiced_is_constant() -> None:
    source = HarmonicSource(np.zeros(4, np.float32), MIX, -0.03)
    np.testing.assert_allclose(source.samples(0, 4), np.tanh(-0.03))


def test_phase_runs_on_without_a_jump() -> None:
    wave = steady(137.3, 40).samples(0, 40)
    step = np.abs(np.diff(wave))
    borders = step[HALF_FRAME_SAMPLES - 1 :: HALF_FRAME_SAMPLES]
    assert borders.max() <= step.max()
    assert step.max() < 0.05


@given(st.integers(0, 58), st.integers(1, 30))
def test_any_window_equals_the_whole(start: int, length: int) -> None:
    source = gliding()
    end = min(source.half_frames, start + length)
    whole, part = source.spectrum(0, source.half_frames), source.spectrum(start, end)
    first = start * HOPS_PER_HALF_FRAME
    np.testing.assert_allclose(part, whole[:, first : first + part.shape[1]], atol=1e-5)


def test_a_window_has_one_frame_more_than_its_hops() -> None:
    assert gliding().spectrum(10, 14).shape == (2 * BINS, 4 * HOPS_PER_HALF_FRAME + 1)


def test_long_segments_keep_their_phase_exact() -> None:
    """In float32 the phase of the ninth harmonic would be off by a degree after ten seconds."""
    mix = np.zeros(9, np.float32)
    mix[8] = 1.0
    source = HarmonicSource(np.full(1600, 200.0, np.float32), mix, 0.0)
    late = source.samples(1580, 1590)
    early = source.samples(10, 20)
    np.testing.assert_allclose(late, early, atol=1e-9)


def test_synthesis_has_the_length_of_its_frames() -> None:
    assert synthesise(np.zeros((2 * BINS, 61), np.float32)).size == 300


def test_synthesis_is_linear_in_magnitude() -> None:
    rng = np.random.default_rng(5)
    spectrum = rng.normal(size=(2 * BINS, 41)).astype(np.float32)
    louder = spectrum.copy()
    louder[:BINS] += np.log(2.0)
    np.testing.assert_allclose(synthesise(louder), 2.0 * synthesise(spectrum), rtol=1e-4, atol=1e-5)


def test_synthesis_of_a_window_equals_the_whole_inside() -> None:
    rng = np.random.default_rng(6)
    spectrum = rng.normal(size=(2 * BINS, 121)).astype(np.float32)
    whole, part = synthesise(spectrum), synthesise(spectrum[:, 40:81])
    np.testing.assert_allclose(part[10:-10], whole[200 + 10 : 400 - 10], atol=1e-6)


def test_analysis_finds_a_tone_in_its_bin() -> None:
    at = np.arange(2400)
    tone = np.sin(2 * np.pi * 2400.0 * at / SAMPLE_RATE_HZ)
    magnitude = analyse(np.pad(tone, 10, mode="reflect"))[:BINS]
    assert np.argmax(magnitude[:, 100]) == 2
    assert magnitude[2, 100] == pytest.approx(5.0, rel=0.05)

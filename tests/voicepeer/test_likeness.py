"""Differences of speech on sounds whose properties are known, and on real people."""

from __future__ import annotations

import numpy as np
import pytest
import soxr
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.pitch import track_pitch
from tests.clips import clip
from voicepeer.core.pcm import Pcm
from voicepeer.likeness import (
    THIRD_OCTAVES_HZ,
    difference,
    dynamics_db,
    formants_hz,
    long_term_spectrum_db,
    manner,
    syllables_per_s,
    vocal_tract_mm,
)

pytestmark = pytest.mark.unit

RATE_HZ = 16_000


def tube(length_mm: float, f0_hz: float = 110.0, seconds: float = 2.0) -> Pcm:
    """A buzz through the resonances of a uniform tube that is open at one end."""
    samples = round(seconds * RATE_HZ)
    pulses = np.zeros(samples)
    pulses[:: round(RATE_HZ / f0_hz)] = 1.0
    spectrum = np.fft.rfft(pulses)
    at_hz = np.fft.rfftfreq(samples, 1.0 / RATE_HZ)
    spacing_hz = 350_000.0 / (2.0 * length_mm)
    for number in range(1, 9):
        centre = (number - 0.5) * spacing_hz
        width = 80.0
        spectrum *= centre**2 / (centre**2 - at_hz**2 + 1j * width * at_hz)
    sound = np.fft.irfft(spectrum, samples)
    return np.asarray(0.5 * sound / np.max(np.abs(sound)), dtype=np.float32)


def syllables(per_s: float, seconds: float = 4.0) -> Pcm:
    """A hum that swells so many times a second."""
    t = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    hum = np.sign(np.sin(2 * np.pi * 120.0 * t)) * 0.3
    swell = 0.05 + 0.95 * np.square(np.sin(np.pi * per_s * t))
    return np.asarray(hum * swell, dtype=np.float32)


@pytest.mark.parametrize("length_mm", [140.0, 155.0, 175.0])
def test_vocal_tract_of_a_tube_is_its_length(length_mm: float) -> None:
    pcm = tube(length_mm)
    assert vocal_tract_mm(pcm, track_pitch(pcm)) == pytest.approx(length_mm, rel=0.04)


@pytest.mark.parametrize("name", ["en_james", "de_Elli"])
def test_vocal_tract_follows_a_recording_played_slower(name: str) -> None:
    """Ten percent slower lowers all resonances as a tract ten percent longer would."""
    pcm = clip(name)[: 5 * RATE_HZ]
    slower = np.asarray(soxr.resample(pcm, 10.0, 11.0), dtype=np.float32)
    away = difference(manner(slower), manner(pcm))
    assert away.vocal_tract_percent == pytest.approx(10.0, abs=4.0)
    assert away.f0_semitones == pytest.approx(1.65, abs=0.4)


@pytest.mark.parametrize("per_s", [3.0, 4.0, 5.5])
def test_syllables_of_a_swelling_hum_are_counted(per_s: float) -> None:
    pcm = syllables(per_s)
    assert syllables_per_s(pcm, track_pitch(pcm)) == pytest.approx(per_s, rel=0.15)


def test_pauses_do_not_slow_a_speaker() -> None:
    pcm = clip("en_susan")
    pause = np.zeros(2 * RATE_HZ, dtype=np.float32)
    paused = np.concatenate([pcm[: pcm.size // 2], pause, pcm[pcm.size // 2 :]])
    away = difference(manner(paused), manner(pcm))
    assert away.rate_percent is not None
    assert away.rate_percent < 8.0


def test_level_does_not_change_the_spectrum_and_a_tilt_does() -> None:
    pcm = clip("de_Sonja")
    quiet = manner(np.asarray(pcm * 0.1, dtype=np.float32))
    assert difference(quiet, manner(pcm)).spectrum_db == pytest.approx(0.0, abs=0.1)
    dull = np.asarray(np.convolve(pcm, [0.5, 0.5], mode="same"), dtype=np.float32)
    away = difference(manner(dull), manner(pcm)).spectrum_db
    assert away is not None
    assert 1.0 < away < 6.0


def test_spectrum_of_a_tone_peaks_in_its_band() -> None:
    t = np.arange(RATE_HZ) / RATE_HZ
    found = long_term_spectrum_db(np.asarray(0.5 * np.sin(2 * np.pi * 2_000.0 * t), np.float32))
    assert found is not None
    assert THIRD_OCTAVES_HZ[found.argmax()] == pytest.approx(2_000.0, rel=0.01)
    assert found.mean() == pytest.approx(0.0, abs=1e-9)


def test_dynamics_follow_a_voice_that_is_compressed() -> None:
    pcm = clip("en_susan")
    track = track_pitch(pcm)
    squeezed = np.asarray(np.sign(pcm) * np.sqrt(np.abs(pcm)), dtype=np.float32)
    own, flat = dynamics_db(pcm, track), dynamics_db(squeezed, track)
    assert flat < 0.7 * own
    assert dynamics_db(pcm * np.float32(0.1), track) == pytest.approx(own, abs=0.1)
    assert difference(manner(squeezed), manner(pcm)).dynamics_db == pytest.approx(own - flat, abs=2)


def test_people_are_more_like_themselves_than_like_others() -> None:
    names = ("en_susan", "en_james", "de_Elli", "de_Friedrich")
    halves = {name: np.array_split(clip(name), 2) for name in names}
    first = {name: manner(one) for name, (one, _) in halves.items()}
    second = {name: manner(other) for name, (_, other) in halves.items()}
    own = [difference(first[name], second[name]) for name in names]
    others = [difference(first[a], second[b]) for a in names for b in names if a != b]
    for figure in ("f0_semitones", "spectrum_db", "vocal_tract_percent"):
        same = np.mean([getattr(one, figure) for one in own])
        assert same < 0.8 * np.mean([getattr(one, figure) for one in others]), figure


@pytest.mark.parametrize(
    "pcm", [np.zeros(0, np.float32), np.zeros(RATE_HZ, np.float32), np.ones(400, np.float32)]
)
def test_nothing_is_told_of_silence_or_too_little(pcm: Pcm) -> None:
    away = difference(manner(pcm), manner(clip("en_james")[: 3 * RATE_HZ]))
    assert {getattr(away, name) for name in type(away).__dataclass_fields__} == {None}


def test_noise_has_no_pitch_but_a_spectrum() -> None:
    noise = np.random.default_rng(1).standard_normal(2 * RATE_HZ) * 0.1
    found = manner(np.asarray(noise, dtype=np.float32))
    assert (found.f0_hz, found.f0_spread_semitones, found.vocal_tract_mm) == (None, None, None)
    assert found.spectrum_db is not None


def test_a_frame_of_silence_has_no_formants() -> None:
    assert formants_hz(np.zeros(281)) is None


@settings(max_examples=20, deadline=None)
@given(st.binary(min_size=1, max_size=2_000), st.integers(8_000, 9_000))
def test_any_samples_can_be_measured(pattern: bytes, size: int) -> None:
    pcm = np.resize(np.frombuffer(pattern, dtype=np.int8), size).astype(np.float32) / 128.0
    found = manner(pcm)
    assert difference(found, found).spectrum_db in (0.0, None)

"""Measures of a recording's quality on signals whose quality is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
import soxr
from hypothesis import given
from hypothesis import strategies as st

from tests.clips import clip
from voicepeer.core.listening.quality import (
    Quality,
    QualityMeter,
    SnrMeter,
    assess,
    clipped_share,
)
from voicepeer.core.pcm import Pcm, level_dbfs

pytestmark = pytest.mark.unit

WINDOW = 512


def noise(level_db: float, samples: int, seed: int = 1) -> Pcm:
    draw = np.random.default_rng(seed).standard_normal(samples)
    return np.asarray(draw * 10 ** (level_db / 20), dtype=np.float32)


def peaking_at(pcm: Pcm, peak: float) -> Pcm:
    return np.asarray(pcm * (peak / np.max(np.abs(pcm))), dtype=np.float32)


@pytest.mark.parametrize("snr_db", [40.0, 25.0, 20.0, 10.0, 0.0])
def test_snr_of_steady_noise_is_right_within_two_decibels(snr_db: float) -> None:
    meter = SnrMeter(window_s=0.032)
    background = noise(-50.0, 200 * WINDOW)
    speech = noise(-50.0 + snr_db, 200 * WINDOW, seed=2)
    for number in range(200):
        part = slice(number * WINDOW, (number + 1) * WINDOW)
        speaking = number % 3 == 0
        meter.push(background[part] + speech[part] * speaking, speech=speaking)
    assert meter.snr_db == pytest.approx(snr_db, abs=2.0)


def test_snr_is_unknown_until_both_were_heard() -> None:
    meter = SnrMeter(window_s=0.032)
    meter.push(noise(-20.0, WINDOW), speech=True)
    assert meter.snr_db is None
    for _ in range(15):
        meter.push(noise(-60.0, WINDOW), speech=False)
    assert meter.snr_db is None
    meter.push(noise(-60.0, WINDOW), speech=False)
    assert meter.snr_db == pytest.approx(40.0, abs=1.0)


def test_snr_forgets_an_old_noise() -> None:
    meter = SnrMeter(window_s=0.032, memory_s=1.0)
    meter.push(noise(-20.0, WINDOW), speech=True)
    for level_db in (-25.0, -70.0):
        for seed in range(32):
            meter.push(noise(level_db, WINDOW, seed), speech=False)
    assert meter.snr_db == pytest.approx(50.0, abs=1.5)


def test_digital_silence_gives_a_large_but_finite_snr() -> None:
    meter = SnrMeter(window_s=0.032)
    meter.push(noise(-20.0, WINDOW), speech=True)
    for _ in range(16):
        meter.push(np.zeros(WINDOW, dtype=np.float32), speech=False)
    assert meter.snr_db == pytest.approx(100.0, abs=1.0)


@pytest.mark.parametrize(
    ("pcm", "share"),
    [
        (np.zeros(0, dtype=np.float32), 0.0),
        (np.array([0.5, -0.9, 0.98], dtype=np.float32), 0.0),
        (np.array([1.0, -1.0, 0.5, 0.0], dtype=np.float32), 0.5),
        (np.array([1.2, -1.3], dtype=np.float32), 1.0),
    ],
)
def test_clipped_share_counts_samples_at_the_limit(pcm: Pcm, share: float) -> None:
    assert clipped_share(pcm) == share


@pytest.mark.parametrize("speaker", ["en_susan", "en_david", "de_Sonja", "de_thorsten"])
def test_good_speech_has_a_perfect_score_and_no_hint(speaker: str) -> None:
    quality = assess(clip(speaker), snr_db=40.0)
    assert quality.score > 0.95
    assert quality.hint is None
    assert quality.bandwidth_hz > 7_000
    assert quality.level_dbfs == pytest.approx(level_dbfs(clip(speaker)), abs=0.01)


def telephone(pcm: Pcm) -> Pcm:
    narrow = soxr.resample(pcm, 16_000, 8_000)
    return np.asarray(soxr.resample(narrow, 8_000, 16_000), dtype=np.float32)


@pytest.mark.parametrize(
    ("quality", "hint"),
    [
        (assess(peaking_at(clip("en_susan"), 0.01)), "too quiet"),
        (assess(clip("en_susan"), snr_db=12.0), "background noise"),
        (assess(np.clip(peaking_at(clip("en_susan"), 4.0), -1.0, 1.0)), "too loud"),
        (assess(0.3 * np.clip(peaking_at(clip("en_susan"), 4.0), -1.0, 1.0)), "too loud"),
        (assess(telephone(clip("en_susan"))), "muffled"),
    ],
    ids=["quiet", "noisy", "clipped", "clipped and turned down", "telephone"],
)
def test_names_the_worst_fault(quality: Quality, hint: str) -> None:
    assert quality.hint is not None
    assert hint in quality.hint
    assert quality.score < 0.7


@pytest.mark.parametrize(("rate_hz", "edge_hz"), [(8_000, 4_000), (11_025, 5_500)])
def test_bandwidth_tells_what_rate_a_recording_once_had(rate_hz: int, edge_hz: float) -> None:
    narrow = soxr.resample(clip("de_Sonja"), 16_000, rate_hz)
    wide = np.asarray(soxr.resample(narrow, rate_hz, 16_000), dtype=np.float32)
    assert assess(wide).bandwidth_hz == pytest.approx(edge_hz, abs=260)


def test_a_quiet_8_bit_recording_is_not_called_clipped() -> None:
    coarse = np.round(peaking_at(clip("en_susan"), 0.05) * 128) / 128
    assert assess(np.asarray(coarse, dtype=np.float32)).clipped_share == 0.0


@pytest.mark.parametrize("sizes", [[1], [511, 1], [512], [160], [7, 1_000, 513]])
def test_pieces_measure_like_the_whole(sizes: list[int]) -> None:
    speech, meter, at, turn = clip("en_susan")[16_000:20_000], QualityMeter(), 0, 0
    while at < speech.size:
        meter.push(speech[at : at + sizes[turn % len(sizes)]])
        at += sizes[turn % len(sizes)]
        turn += 1
    pieces, whole = meter.report(30.0), assess(speech, snr_db=30.0)
    assert pieces.level_dbfs == pytest.approx(whole.level_dbfs, abs=1e-6)
    assert pieces.bandwidth_hz == whole.bandwidth_hz
    assert pieces.score == pytest.approx(whole.score, abs=1e-3)


@given(
    st.lists(st.floats(-2.0, 2.0, width=32), max_size=2_000),
    st.one_of(st.none(), st.floats(-50.0, 150.0)),
)
def test_any_signal_has_finite_figures(samples: list[float], snr_db: float | None) -> None:
    quality = assess(np.array(samples, dtype=np.float32), snr_db=snr_db)
    assert 0.0 <= quality.score <= 1.0
    assert 0.0 <= quality.clipped_share <= 1.0
    assert math.isfinite(quality.level_dbfs)
    assert 0.0 <= quality.bandwidth_hz <= 8_000.0

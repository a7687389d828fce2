"""Rooms, music and company on real clips that were spoilt in known measure."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.clips import clip
from voicepeer import degrading
from voicepeer.core.listening.surroundings import decay_s, separation, tones_db
from voicepeer.core.pcm import Pcm

pytestmark = pytest.mark.unit

RATE_HZ = 16_000
NAMES = ("de_Elli", "de_Friedrich", "de_Sonja", "de_Gaby")


def speech(name: str) -> Pcm:
    return clip(name)[: 8 * RATE_HZ]


def known(value: float | None) -> float:
    assert value is not None
    return value


@pytest.mark.parametrize("name", NAMES)
def test_a_larger_room_takes_longer_to_fall_silent(name: str) -> None:
    pcm = speech(name)
    rooms = [
        degrading.reverberate(pcm, t60_s, 0.0, np.random.default_rng(1)) for t60_s in (0.4, 0.8)
    ]
    dry, small, large = (known(decay_s(one)) for one in (pcm, *rooms))
    assert dry < 0.26 < small < large


def test_decay_of_bursts_in_a_room_is_the_rooms() -> None:
    bursts = np.zeros(6 * RATE_HZ, dtype=np.float32)
    random = np.random.default_rng(2)
    for at in range(6):
        bursts[at * RATE_HZ : at * RATE_HZ + 1_600] = 0.1 * random.standard_normal(1_600)
    heard = degrading.reverberate(bursts, 0.5, -20.0, random)
    assert known(decay_s(heard)) == pytest.approx(0.5, rel=0.3)


@pytest.mark.parametrize("name", NAMES)
def test_music_is_found_under_speech_and_speech_alone_is_none(name: str) -> None:
    pcm, tune = speech(name), degrading.music(8.0, np.random.default_rng(3))
    alone = known(tones_db(pcm))
    heard = [known(tones_db(degrading.under(pcm, tune, ratio_db))) for ratio_db in (20.0, 10.0)]
    assert alone < -34.0 < heard[0] < heard[1]


def test_digital_silence_around_does_not_hide_music() -> None:
    tune = degrading.music(8.0, np.random.default_rng(3))
    heard = degrading.under(speech("de_Elli"), tune, 12.0)
    silence = np.zeros(4 * RATE_HZ, dtype=np.float32)
    around = np.concatenate([silence, heard, silence])
    assert known(tones_db(around)) == pytest.approx(known(tones_db(heard)), abs=3.0)


def test_noise_and_the_hum_of_mains_are_no_music() -> None:
    pcm = speech("de_Sonja")
    t = np.arange(pcm.size) / RATE_HZ
    hum = np.asarray(np.sin(2 * np.pi * 50.0 * t) + 0.5 * np.sin(2 * np.pi * 150.0 * t), np.float32)
    noisy = degrading.noisy(pcm, 20.0, np.random.default_rng(4))
    assert known(tones_db(noisy)) < -36.0
    assert known(tones_db(degrading.under(pcm, hum, 25.0))) < -36.0


def windows(centres: list[int], count: int, spread: float = 0.05) -> list[NDArray[np.float32]]:
    random = np.random.default_rng(5)
    rows = []
    for centre in centres:
        for _ in range(count):
            row = np.eye(64)[centre] + spread * random.standard_normal(64)
            rows.append((row / np.linalg.norm(row)).astype(np.float32))
    return rows


def test_two_groups_of_embeddings_are_apart_and_one_is_not() -> None:
    assert known(separation(windows([0], 12))) < 0.3
    assert known(separation(windows([0, 1], 6))) > 0.8
    assert separation(windows([0], 5)) is None


def test_a_single_odd_window_is_not_another_person() -> None:
    assert separation([*windows([0], 12, 0.01), *windows([1], 1, 0.01)]) == 0.0


@pytest.mark.parametrize("pcm", [np.zeros(0, np.float32), np.ones(RATE_HZ // 2, np.float32)])
def test_too_little_tells_nothing(pcm: Pcm) -> None:
    assert (decay_s(pcm), tones_db(pcm)) == (None, None)


def test_silence_tells_nothing() -> None:
    silence = np.zeros(2 * RATE_HZ, dtype=np.float32)
    assert (decay_s(silence), tones_db(silence)) == (None, None)


@settings(max_examples=15, deadline=None)
@given(st.binary(min_size=1, max_size=500), st.integers(RATE_HZ, RATE_HZ + 2_000))
def test_any_samples_give_finite_figures(pattern: bytes, size: int) -> None:
    pcm = np.resize(np.frombuffer(pattern, dtype=np.int8), size).astype(np.float32) / 128.0
    for figure in (decay_s(pcm), tones_db(pcm)):
        assert figure is None or np.isfinite(figure)

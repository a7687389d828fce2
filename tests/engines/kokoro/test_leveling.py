from __future__ import annotations

import threading
from typing import cast

import numpy as np
import pytest

from engines.api import Controls, Pcm, Segment
from engines.kokoro.leveling import Leveller, Levels, VoiceLevel, expected_level
from engines.kokoro.source import SAMPLE_RATE_HZ
from engines.kokoro.synth import Rendering, Synthesizer
from engines.kokoro.transposition import level_gain
from tests.engines.kokoro.opened import engine

TEXT = "The harbour was quiet in the morning, and nobody had seen the boats come in."


def noise(seconds: float, level: float, seed: int = 1) -> Pcm:
    random = np.random.default_rng(seed)
    samples = round(seconds * SAMPLE_RATE_HZ)
    return (level * random.standard_normal(samples)).astype(np.float32)


@pytest.mark.unit
def test_what_is_heard_soon_outweighs_what_is_expected() -> None:
    level = VoiceLevel(1.0)
    level.learn(noise(0.05, 0.1), noise(0.05, 0.05))
    hint = level.gain
    assert 1.0 < hint < 1.5
    level.learn(noise(4.0, 0.1), noise(4.0, 0.05))
    assert level.gain == pytest.approx(2.0, rel=0.05)
    assert level.known


@pytest.mark.unit
@pytest.mark.parametrize(("own", "other"), [(0.5, 0.0), (0.0, 0.5), (0.0, 0.0)])
def test_silence_at_either_pitch_moves_no_level_far(own: float, other: float) -> None:
    level = VoiceLevel(1.0)
    level.learn(noise(3.0, own), noise(3.0, other))
    assert 10.0 ** (-12.0 / 20.0) - 1e-6 <= level.gain <= 10.0 ** (12.0 / 20.0) + 1e-6


@pytest.mark.unit
def test_an_unknown_voice_is_expected_to_be_like_others() -> None:
    assert expected_level(-8.0).gain == pytest.approx(level_gain(-8.0))
    assert not expected_level(-8.0).known


@pytest.mark.unit
def test_voices_and_pitches_are_learned_apart() -> None:
    levels = Levels()
    levels.of(b"ada", 7.0).learn(noise(4.0, 0.1), noise(4.0, 0.05))
    assert levels.of(b"ada", 7.1).known
    assert not levels.of(b"ada", -7.0).known
    assert not levels.of(b"bob", 7.0).known


@pytest.mark.unit
def test_the_voices_that_spoke_last_are_kept() -> None:
    levels = Levels()
    first = levels.of(b"first", 5.0)
    for index in range(63):
        levels.of(bytes([index]), 5.0)
    assert levels.of(b"first", 5.0) is first
    for index in range(64):
        levels.of(bytes([index]), 6.0)
    assert levels.of(b"first", 5.0) is not first


def level_db(voice: str, semitones: float) -> float:
    chosen = engine().stock_voices()[voice]
    controls = Controls(pitch_semitones=semitones)
    chunks = engine().speak(Segment(TEXT), chosen, controls, threading.Event())
    pcm = np.concatenate([chunk.pcm for chunk in chunks])
    return float(10.0 * np.log10(np.mean(np.square(pcm, dtype=np.float64))))


@pytest.mark.engine
@pytest.mark.parametrize("voice", ["am_fenrir", "zm_yunxia", "jf_gongitsune"])
def test_voices_that_differ_most_keep_their_level_far_from_their_pitch(voice: str) -> None:
    own = level_db(voice, 0.0)
    moved = [level_db(voice, semitones) - own for semitones in (-8.0, 8.0)]
    assert moved == pytest.approx([0.0, 0.0], abs=1.1)


@pytest.mark.unit
def test_levels_of_a_voice_are_forgotten_and_those_of_others_kept() -> None:
    levels = Levels()
    gone, stays = levels.of(b"voice one", 4.0), levels.of(b"voice two", 4.0)
    levels.forget(b"voice one")
    assert levels.of(b"voice one", 4.0) is not gone
    assert levels.of(b"voice two", 4.0) is stays


class Windows:
    """What a synthesizer gives for windows at the voice's own pitch: as loud as it is told."""

    def __init__(self, *levels: float) -> None:
        self.levels = [*levels]

    def window(self, _rendering: object, low: int, high: int) -> Pcm:
        return np.full(high - low, self.levels.pop(0), dtype=np.float32)


def leveller(level: VoiceLevel, windows: Windows | None) -> Leveller:
    own = None if windows is None else cast(Rendering, object())
    return Leveller(cast(Synthesizer, windows), level, own)


@pytest.mark.unit
def test_a_level_that_does_not_move_is_a_factor_and_nothing_else() -> None:
    level = VoiceLevel(0.5)
    pcm = np.linspace(-1, 1, 480, dtype=np.float32)
    applying = leveller(level, None)
    for _ in range(3):
        assert np.array_equal(applying.apply(pcm, 0, 480), pcm * np.float32(level.gain))


@pytest.mark.unit
def test_a_level_that_moves_does_so_without_a_step() -> None:
    windows = Windows(1.0, 0.1)
    applying = leveller(VoiceLevel(1.0), windows)
    pcm = np.full(24_000, 0.5, dtype=np.float32)
    first, second = applying.apply(pcm, 0, 24_000), applying.apply(pcm, 24_000, 48_000)
    assert np.ptp(first) == 0.0
    assert second[0] == pytest.approx(first[-1])
    assert second[-1] < 0.9 * second[0]
    assert np.abs(np.diff(np.concatenate([first, second]))).max() < 1e-3

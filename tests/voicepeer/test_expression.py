from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.clips import clip_path
from voicepeer.audio import write_wav
from voicepeer.core.errors import AudioRejected
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm
from voicepeer.expression import (
    NEUTRAL_LEVEL_DBFS,
    NEUTRAL_SPREAD_SEMITONES,
    NEUTRAL_SYLLABLES_PER_S,
    Expression,
    expression_of,
    recipe_of_file,
)

pytestmark = pytest.mark.unit


def speech(syllables_per_s: float, spread_semitones: float, seconds: float = 4.0) -> Pcm:
    """Vowels in a row whose pitch goes up and down."""
    at = np.arange(round(seconds * LISTEN_RATE_HZ)) / LISTEN_RATE_HZ
    semitones = spread_semitones * np.sqrt(2.0) * np.sin(2.0 * np.pi * 0.9 * at)
    phase = 2.0 * np.pi * np.cumsum(140.0 * 2.0 ** (semitones / 12.0)) / LISTEN_RATE_HZ
    wave = sum(np.sin(order * phase) / order for order in range(1, 20))
    opening = 0.52 - 0.48 * np.cos(2.0 * np.pi * syllables_per_s * at)
    return np.asarray(0.1 * wave * opening, dtype=np.float32)


@pytest.mark.parametrize("rate", [2.5, 4.0, 6.0])
def test_syllables_are_counted(rate: float) -> None:
    assert expression_of(speech(rate, 1.0)).syllables_per_s == pytest.approx(rate, rel=0.1)


@pytest.mark.parametrize("spread", [0.5, 2.0, 4.0])
def test_spread_of_the_melody_is_measured(spread: float) -> None:
    heard = expression_of(speech(4.0, spread)).spread_semitones
    assert heard == pytest.approx(spread * 1.25, rel=0.2), "of a sine, by the 16th percentile"


def test_pauses_change_neither_rate_nor_level() -> None:
    plain = speech(4.0, 1.0)
    paused = np.concatenate([plain, np.zeros(LISTEN_RATE_HZ * 3, np.float32), plain])
    one, other = expression_of(plain), expression_of(paused)
    assert other.syllables_per_s == pytest.approx(one.syllables_per_s, rel=0.05)
    assert other.level_dbfs == pytest.approx(one.level_dbfs, abs=0.3)


def test_neutral_speech_needs_no_recipe() -> None:
    neutral = Expression(NEUTRAL_SPREAD_SEMITONES, NEUTRAL_SYLLABLES_PER_S, NEUTRAL_LEVEL_DBFS)
    recipe = neutral.recipe()
    assert (recipe.speed, recipe.pitch_range, recipe.energy) == pytest.approx((1.0, 1.0, 1.0))
    assert recipe.pitch_semitones == 0.0, "how high somebody speaks is their voice"


def test_an_extreme_recording_makes_no_extreme_speech() -> None:
    wild = Expression(50.0, 50.0, 0.0).recipe()
    dull = Expression(0.0, 0.1, -90.0).recipe()
    assert (wild.speed, wild.pitch_range, wild.energy) == (1.5, 2.0, 1.2)
    assert (dull.speed, dull.pitch_range, dull.energy) == (0.65, 0.4, 0.8)


@pytest.mark.parametrize("pcm", [np.zeros(0, np.float32), np.zeros(32_000, np.float32)])
def test_silence_has_no_expression(pcm: Pcm) -> None:
    with pytest.raises(AudioRejected, match="no speech"):
        expression_of(pcm)


def test_a_moment_of_speech_is_too_short() -> None:
    with pytest.raises(AudioRejected, match="needs 1 s of speech"):
        expression_of(np.pad(speech(4.0, 1.0, 0.6), (0, LISTEN_RATE_HZ)))


def test_a_real_recording_has_one_a_person_could_have() -> None:
    recipe = recipe_of_file(clip_path("en_jennifer"))
    assert 0.65 < recipe.speed < 1.5
    assert 0.4 < recipe.pitch_range < 2.0


def test_files_are_read_at_any_rate(tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav", np.repeat(speech(4.0, 2.0), 3), 3 * LISTEN_RATE_HZ)
    again = recipe_of_file(tmp_path / "a.wav")
    once = expression_of(speech(4.0, 2.0)).recipe()
    assert again.speed == pytest.approx(once.speed, rel=0.1)
    assert again.pitch_range == pytest.approx(once.pitch_range, rel=0.1)

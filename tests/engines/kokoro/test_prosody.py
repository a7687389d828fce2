from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.api import Controls
from engines.kokoro.prosody import at_speed, breathed, scaled_durations, with_melody
from engines.kokoro.synth import Acoustics
from engines.kokoro.transposition import steered

pytestmark = pytest.mark.unit


def acoustics(durations: list[int], f0_hz: list[float] | None = None) -> Acoustics:
    frames = sum(durations)
    text = np.repeat(np.arange(len(durations), dtype=np.float32), durations)[None, None]
    f0 = np.full(2 * frames, 150.0) if f0_hz is None else np.array(f0_hz)
    energy = np.linspace(0.0, 1.0, 2 * frames)
    return Acoustics(
        text, f0.astype(np.float32), energy.astype(np.float32), np.array(durations, dtype=np.int64)
    )


@settings(deadline=None)
@given(st.lists(st.integers(1, 12), min_size=3, max_size=60), st.floats(0.5, 1.3))
def test_length_is_exact_and_all_parts_agree(durations: list[int], speed: float) -> None:
    symbols = "a" * (len(durations) - 2)
    changed = at_speed(acoustics(durations), speed, symbols)
    frames = int(changed.durations.sum())
    assert changed.text.shape[2] == frames
    assert changed.f0_hz.size == changed.energy.size == 2 * frames
    wanted = round(sum(durations) / speed)
    assert frames >= wanted or frames == pytest.approx(wanted, abs=1)
    if min(durations) > 2:
        assert frames == pytest.approx(wanted, abs=1)


@settings(deadline=None)
@given(st.lists(st.integers(1, 12), min_size=3, max_size=60), st.floats(0.5, 2.0))
def test_every_sound_keeps_a_frame_of_its_own_and_its_place(
    durations: list[int], speed: float
) -> None:
    changed = at_speed(acoustics(durations), speed, "a" * (len(durations) - 2))
    assert (changed.durations[1:-1] > 0).all()
    heard = changed.text[0, 0]
    assert (np.diff(heard) >= 0).all()
    assert set(range(1, len(durations) - 1)) <= set(heard.astype(int).tolist())


def test_spaces_give_up_their_time_first() -> None:
    durations = np.array([1, 1, 1, 1, 1, 1, 1, 1], dtype=np.int64)
    sounds = np.array([False, True, False, True, False, True, False, False])
    scaled = scaled_durations(durations, 2.0, sounds)
    assert scaled[sounds].tolist() == [1, 1, 1]
    assert scaled.sum() == 4


def test_speed_one_changes_nothing() -> None:
    given_ = acoustics([1, 2, 3])
    assert at_speed(given_, 1.0, "a") is given_


def test_an_unvoiced_gap_stays_unvoiced_at_another_speed() -> None:
    f0 = [150.0] * 20 + [0.0] * 20 + [100.0] * 20
    changed = at_speed(acoustics([10, 10, 10], f0), 0.5, "a")
    values = set(np.unique(changed.f0_hz).tolist())
    assert values == {0.0, 100.0, 150.0}
    assert (changed.f0_hz == 0.0).sum() == 40


def semitones(f0_hz: np.ndarray) -> np.ndarray:
    return np.asarray(12.0 * np.log2(f0_hz))


MELODY = [100.0, 110.0, 130.0, 0.0, 0.0, 120.0, 105.0, 100.0]


def melody(ratio: float = 1.0, **controls: float) -> np.ndarray:
    return with_melody(acoustics([2, 2], MELODY), ratio, Controls(**controls)).f0_hz


def test_pitch_moves_by_semitones_and_by_the_ratio_of_the_voice() -> None:
    voiced = np.array(MELODY) > 0
    raised = semitones(melody(pitch_semitones=3.0)[voiced]) - semitones(np.array(MELODY)[voiced])
    assert raised == pytest.approx(steered(3.0), abs=1e-3)
    assert melody(1.5)[voiced] == pytest.approx(1.5 * np.array(MELODY)[voiced], rel=1e-4)
    assert (melody(2.0)[~voiced] == 0.0).all()


def test_range_widens_the_melody_around_its_median() -> None:
    voiced = np.array(MELODY) > 0
    before, after = semitones(melody()[voiced]), semitones(melody(pitch_range=2.0)[voiced])
    assert np.ptp(after) == pytest.approx(2.0 * np.ptp(before), rel=1e-3)
    assert np.median(after) == pytest.approx(np.median(before), abs=1e-3)
    assert np.ptp(melody(pitch_range=0.0)[voiced]) == pytest.approx(0.0, abs=1e-3)


def test_slope_turns_the_melody_about_its_middle() -> None:
    voiced = np.array(MELODY) > 0
    moved = semitones(melody(pitch_slope_semitones=4.0)[voiced]) - semitones(melody()[voiced])
    assert moved[0] == pytest.approx(-2.0, abs=1e-3)
    assert moved[-1] == pytest.approx(2.0, abs=1e-3)


def test_whisper_takes_the_voice_away() -> None:
    given_ = acoustics([10, 10])
    assert breathed(given_, 0.0) is given_
    assert (breathed(given_, 1.0).f0_hz == 0.0).all()
    half = breathed(given_, 0.5).f0_hz > 0.0
    assert half.mean() == pytest.approx(0.5, abs=0.05)
    assert not half[:10].any(), "the quietest go first"


def test_what_has_no_voice_has_no_melody() -> None:
    silent = acoustics([2, 2], [0.0] * 8)
    assert with_melody(silent, 1.0, Controls(pitch_semitones=5.0)) is silent
    assert (breathed(silent, 0.5).f0_hz == 0.0).all()

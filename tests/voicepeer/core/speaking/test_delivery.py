from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.api import ControlRanges, Controls
from voicepeer.core.errors import TextRejected
from voicepeer.core.speaking.delivery import Delivery, semitones_of
from voicepeer.core.speaking.emotion import RECIPES, Recipe

pytestmark = pytest.mark.unit

RANGES = ControlRanges(
    speed=(0.5, 2.0), pitch_semitones=(-12.0, 12.0), energy=(0.5, 1.5), pauses=(0.0, 5.0)
)


def test_what_was_not_asked_for_is_plain() -> None:
    assert Delivery().plain == Controls()
    assert Delivery().controls(RANGES) == Controls()
    assert Delivery().gain == 1.0


def test_the_later_wish_counts_and_the_earlier_where_there_is_none() -> None:
    earlier = Delivery(speed=1.2, volume=0.5, emotion="sad")
    later = Delivery(speed=0.8, emotion="happy")
    assert later.over(earlier) == Delivery(speed=0.8, volume=0.5, emotion="happy")


def test_a_named_emotion_takes_the_place_of_one_from_a_recording() -> None:
    recorded = Delivery(recipe=Recipe(speed=1.5))
    assert Delivery(speed=1.1).over(recorded).recipe == Recipe(speed=1.5)
    assert Delivery(emotion="sad").over(recorded).controls().speed == RECIPES["sad"].speed


def test_an_emotion_of_half_strength_goes_half_the_way() -> None:
    half = Delivery(emotion="sad", emotion_strength=0.5).controls()
    assert half.pitch_semitones == pytest.approx(0.5 * RECIPES["sad"].pitch_semitones)


@given(
    st.sampled_from(sorted(RECIPES)),
    st.floats(0.5, 2.0),
    st.floats(-12.0, 12.0),
    st.floats(0.5, 1.5),
)
def test_whatever_is_asked_the_engine_can_do_it(
    emotion: str, speed: float, pitch: float, energy: float
) -> None:
    asked = Delivery(speed=speed, pitch_semitones=pitch, energy=energy, emotion=emotion)
    controls = asked.checked(RANGES).controls(RANGES)
    assert 0.5 <= controls.speed <= 2.0
    assert -12.0 <= controls.pitch_semitones <= 12.0
    assert 0.5 <= controls.energy <= 1.5
    assert controls.whisper == 0.0, "an engine that cannot whisper is not asked to"


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        (Delivery(speed=2.5), "speed can be 0.5 to 2, not 2.5"),
        (Delivery(volume=-0.1), "volume can be 0 to 2, not -0.1"),
        (Delivery(volume=math.nan), "volume can be 0 to 2, not nan"),
        (Delivery(emotion_strength=1.1), "emotion_strength can be 0 to 1, not 1.1"),
        (Delivery(emotion="bored"), "no emotion 'bored': the voice can be angry, cheerful"),
        (Delivery(whisper=0.5), "whisper can be 0 to 0, not 0.5"),
    ],
)
def test_what_is_out_of_range_is_named(asked: Delivery, complaint: str) -> None:
    with pytest.raises(TextRejected, match=complaint):
        asked.checked(RANGES)


def test_the_unit_scale_of_pitch_is_an_octave_each_way() -> None:
    assert [semitones_of(at) for at in (-0.5, 0.0, 0.25, 0.5)] == [-12.0, 0.0, 6.0, 12.0]
    with pytest.raises(TextRejected, match=r"pitch can be -0\.5 to 0\.5, not 0\.6"):
        semitones_of(0.6)

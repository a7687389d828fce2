from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.api import Controls
from voicepeer.core.speaking.emotion import NEUTRAL, RECIPES, Recipe

pytestmark = pytest.mark.unit

EMOTIONS = sorted(set(RECIPES) - {NEUTRAL})


def test_there_are_the_eight_that_are_promised() -> None:
    wanted = "neutral happy sad angry surprised fearful whispering cheerful"
    assert set(RECIPES) == set(wanted.split())


def test_neutral_changes_nothing() -> None:
    asked = Controls(speed=1.3, pitch_semitones=2.0)
    assert RECIPES[NEUTRAL].on(asked) == asked


@pytest.mark.parametrize("name", EMOTIONS)
def test_without_strength_an_emotion_changes_nothing(name: str) -> None:
    assert RECIPES[name].at(0.0) == Recipe()
    assert RECIPES[name].at(1.0) == RECIPES[name]


@given(st.sampled_from(EMOTIONS), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_more_strength_moves_further_the_same_way(name: str, one: float, other: float) -> None:
    weak, strong = sorted((one, other))
    asked = Controls()
    less, more, full = (RECIPES[name].at(by).on(asked) for by in (weak, strong, 1.0))
    for field in ("speed", "pitch_semitones", "pitch_range", "energy", "pauses", "whisper"):
        start, a, b, end = (getattr(one, field) for one in (asked, less, more, full))
        assert abs(a - start) <= abs(b - start) + 1e-9 <= abs(end - start) + 2e-9


@pytest.mark.parametrize("name", EMOTIONS)
def test_every_emotion_is_another(name: str) -> None:
    others = [recipe for other, recipe in RECIPES.items() if other != name]
    assert RECIPES[name] not in others


def test_an_emotion_comes_on_top_of_what_was_asked() -> None:
    said = RECIPES["sad"].on(Controls(speed=2.0, pitch_semitones=3.0, energy=0.9))
    sad = RECIPES["sad"]
    assert said.speed == pytest.approx(2.0 * sad.speed)
    assert said.pitch_semitones == pytest.approx(3.0 + sad.pitch_semitones)
    assert said.energy == pytest.approx(0.9 * sad.energy)

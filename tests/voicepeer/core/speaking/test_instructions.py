"""Instructions in words and the emotion they come to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.speaking.emotion import RECIPES
from voicepeer.core.speaking.instructions import emotion_of

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("instructions", "emotion"),
    [
        ("Speak in a cheerful and positive tone.", "cheerful"),
        ("SOUND SAD", "sad"),
        ("please whisper", "whispering"),
        ("Voice: frightened, then relieved.", "fearful"),
        ("neutral", "neutral"),
        ("Don’t sound angry, be happy!", "happy"),
        ("Never be too sad.", None),
        ("Speak like a pirate with a French accent.", None),
        ("sadistic unhappy", None),
        ("", None),
    ],
)
def test_the_first_emotion_that_is_asked_for(instructions: str, emotion: str | None) -> None:
    assert emotion_of(instructions) == emotion


@pytest.mark.parametrize("emotion", RECIPES)
def test_every_emotion_goes_by_its_own_name(emotion: str) -> None:
    assert emotion_of(f"Be {emotion}.") == emotion


@given(st.text(max_size=2_000))
def test_whatever_is_written_gives_an_emotion_that_exists_or_none(text: str) -> None:
    assert emotion_of(text) in {None, *RECIPES}

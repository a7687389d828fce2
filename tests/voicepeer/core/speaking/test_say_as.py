from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.speaking.normalize import normalize
from voicepeer.core.speaking.say_as import INTERPRETATIONS, say_as

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "interpretation", "how", "said"),
    [
        ("NASA", "characters", "", "N, A, S, A"),
        ("a-1", "spell-out", "", "A, dash, one"),
        ("4096", "digits", "", "four zero nine six"),
        ("4 096", "cardinal", "", "four thousand and ninety-six"),
        ("3", "ordinal", "", "third"),
        ("12", "ordinal", "", "twelfth"),
        ("21.", "ordinal", "", "twenty-first"),
        ("03/04/2021", "date", "dmy", "April third, twenty twenty-one"),
        ("03/04/2021", "date", "mdy", "March fourth, twenty twenty-one"),
        ("2021.3.4", "date", "ymd", "March fourth, twenty twenty-one"),
        ("12:30", "time", "", "twelve thirty"),
        ("+1 555 0100", "telephone", "", "one, five five five, zero one zero zero"),
        ("soon", "date", "ymd", "soon"),
        ("soon", "ordinal", "", "soon"),
        ("soon", "telephone", "", "soon"),
    ],
)
def test_what_is_said(text: str, interpretation: str, how: str, said: str) -> None:
    spoken = normalize(say_as(text, interpretation, how, "en-us"), "en-us").text
    assert spoken.lower().replace(" and ", " ").removeprefix("plus ") == said.lower().replace(
        " and ", " "
    )


@given(st.text(max_size=40), st.sampled_from(sorted(INTERPRETATIONS)), st.text(max_size=4))
def test_any_text_is_taken(text: str, interpretation: str, how: str) -> None:
    for language in ("en-us", "es", "zh", None):
        said = say_as(text, interpretation, how, language)
        if any(char.isalnum() for char in text):
            assert any(char.isalnum() for char in said)

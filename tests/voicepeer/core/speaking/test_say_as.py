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
        ("1984", "cardinal", "", "one thousand nine hundred eighty-four"),
        ("-1984.5", "number", "", "minus one thousand nine hundred eighty-four point five"),
        ("0042", "cardinal", "", "zero zero four two"),
        ("1984", "number", "digits", "one nine eight four"),
        ("3", "number", "ordinal", "third"),
        ("1984", "ordinal", "", "one thousand nine hundred eighty-fourth"),
        ("20210304", "date", "ymd", "March fourth, twenty twenty-one"),
        ("3/4/21", "date", "mdy", "March fourth, twenty twenty-one"),
        ("3/4", "date", "md", "March fourth"),
        ("4.3", "date", "dm", "March fourth"),
        ("2021-03", "date", "ym", "March twenty twenty-one"),
        ("1984", "date", "y", "nineteen eighty-four"),
        ("5", "date", "d", "fifth"),
        ("3", "date", "m", "March"),
        ("13/40", "date", "md", "one three, four zero"),
        ("13/45/2020", "date", "mdy", "one three, four five, two zero two zero"),
        ("13/45/2020", "date", "", "one three, four five, two zero two zero"),
        ("31/4/2021", "date", "dmy", "three one, four, two zero two one"),
        ("2/29/2023", "date", "mdy", "two, two nine, two zero two three"),
        ("29/2/24", "date", "dmy", "february twenty-ninth, twenty twenty-four"),
        ("2:30pm", "time", "hms12", "two thirty P M"),
        ("14.30", "time", "hms24", "fourteen thirty"),
        ("1430", "time", "hms24", "fourteen thirty"),
        ("noonish", "time", "", "noonish"),
        ("1'21\"", "duration", "", "one minute twenty-one seconds"),
        ("1h01m05s", "duration", "", "one hour one minute five seconds"),
        ("1/2", "fraction", "", "one half"),
        ("2+1/2", "fraction", "", "two and one half"),
        ("3/20", "fraction", "", "three twentieths"),
        ("8/17", "fraction", "", "eight seventeenths"),
        ("$45.30", "currency", "", "forty-five dollars and thirty cents"),
        ("USD45.30", "currency", "USD", "forty-five U S dollars and thirty cents"),
        ("5 m/s²", "unit", "", "five meters per second squared"),
        ("12 Main St.", "address", "", "twelve Main Street."),
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


@pytest.mark.parametrize(
    ("text", "interpretation", "how", "language", "said"),
    [
        ("1984", "cardinal", "", "es", "mil novecientos ochenta y cuatro"),
        ("1984", "cardinal", "", "hi", "एक हज़ार नौ सौ चौरासी"),
        ("1984", "cardinal", "", "zh", "一千九百八十四"),
        ("3", "ordinal", "", "es", "tercero"),
        ("3", "ordinal", "", "fr", "troisième"),
        ("3", "ordinal", "", "it", "terzo"),
        ("3", "ordinal", "", "pt-br", "terceiro"),
        ("3", "ordinal", "", "zh", "第三"),
        ("3/4", "date", "md", "zh", "三月四日"),
        ("3/4", "fraction", "", "es", "tres cuartos"),
        ("14h30", "time", "", "fr", "quatorze heures trente"),
        ("añ1", "characters", "", "es", "A, Ñ, uno"),
    ],
)
def test_what_is_said_in_other_languages(
    text: str, interpretation: str, how: str, language: str, said: str
) -> None:
    assert normalize(say_as(text, interpretation, how, language), language).text == said


@given(
    st.text(max_size=40),
    st.sampled_from(sorted(INTERPRETATIONS)),
    st.sampled_from(["", "y", "ymd", "md", "dmy", "hms12", "xyz"]),
)
def test_any_text_is_taken(text: str, interpretation: str, how: str) -> None:
    for language in ("en-us", "es", "zh", "ja", "hi", None):
        said = say_as(text, interpretation, how, language)
        if any(char.isalnum() for char in text):
            assert any(char.isalnum() for char in said)

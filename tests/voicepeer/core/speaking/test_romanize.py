from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.speaking.normalize import normalize
from voicepeer.core.speaking.romanize import romanized

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("word", "latin"),
    [
        ("Привет", "Privet"),
        ("Чайковский", "Chaykovskiy"),
        ("щи", "shchi"),
        ("объект", "obekt"),
        ("Київ", "Kiyiv"),
        ("Ђоковић", "Djokovich"),
        ("Αθήνα", "Athina"),
        ("Σωκράτης", "Sokratis"),
        ("μπύρα", "bira"),
        ("α", "alpha"),
        ("Ω", "omega"),
        ("서울", "seoul"),
        ("김치", "gimchi"),
        ("안녕", "annyeong"),
    ],
)
def test_words_in_latin_letters(word: str, latin: str) -> None:
    assert romanized(word) == latin


@given(st.text(st.characters(min_codepoint=0x370, max_codepoint=0x52F), min_size=1, max_size=12))
def test_any_word_of_these_scripts_is_taken(word: str) -> None:
    assert isinstance(romanized(word), str)


@given(st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), min_size=1, max_size=8))
def test_every_syllable_of_hangul_has_letters(word: str) -> None:
    assert romanized(word).isascii()
    assert romanized(word).isalpha()


@pytest.mark.parametrize(
    ("language", "written", "said"),
    [
        ("en-us", "He said Привет to me.", "He said Privet to me."),
        ("en-us", "The angle α is 5°.", "The angle alpha is five degrees."),
        ("en-us", "5 μm and 3 kΩ", "five micrometers and three kiloohms"),
        ("fr", "Il aime Чехов.", "Il aime Chekhov."),
        ("ru", "Привет", "Привет"),
        ("ko", "안녕", "안녕"),
    ],
)
def test_they_are_named_in_sentences_of_other_languages(
    language: str, written: str, said: str
) -> None:
    assert normalize(written, language).text == said

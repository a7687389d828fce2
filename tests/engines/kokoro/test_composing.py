from __future__ import annotations

import pytest

from engines.api import LanguageSpan, LanguageUnsupported, Pronunciation, Segment
from engines.kokoro.composing import phonemes_of
from engines.kokoro.phonemes import Phonemes, phonemize

pytestmark = pytest.mark.unit


def words(text: str, phonemes: Phonemes) -> list[tuple[str, str]]:
    return [
        (
            text[word.char_start : word.char_end],
            phonemes.symbols[word.phoneme_start : word.phoneme_end],
        )
        for word in phonemes.words
    ]


def test_plain_text_is_phonemized_as_ever() -> None:
    assert phonemes_of(Segment("Hello there.")) == phonemize("Hello there.", "en-us")


@pytest.mark.parametrize("word", ["Ada", "is", "here"])
def test_a_pronunciation_takes_the_place_of_one_word_and_moves_the_others(word: str) -> None:
    text = "Ada is here, now."
    at = text.index(word)
    told = phonemes_of(Segment(text, pronunciations=(Pronunciation(at, at + len(word), "zuːp"),)))
    expected = [
        (one, "zuːp" if one == word else symbols)
        for one, symbols in words(text, phonemize(text, "en-us"))
    ]
    assert words(text, told) == expected
    assert told.symbols.count("zuːp") == 1


def test_one_pronunciation_can_be_of_several_words() -> None:
    text = "In New York now."
    told = phonemes_of(Segment(text, pronunciations=(Pronunciation(3, 11, "bɪɡ"),)))
    assert [one for one, _ in words(text, told)] == ["In", "New York", "now"]


@pytest.mark.parametrize("text", ["Я", "so Я is", "Я is", "is Я"])
def test_what_cannot_be_read_can_still_be_told(text: str) -> None:
    at = text.index("Я")
    told = phonemes_of(Segment(text, pronunciations=(Pronunciation(at, at + 1, "ja"),)))
    assert ("Я", "ja") in words(text, told)
    plain = [word for word in text.split() if word != "Я"]
    assert [one for one, _ in words(text, told) if one != "Я"] == plain


def test_languages_are_read_each_in_its_own_way() -> None:
    text = "He said hola amigos and left."
    span = LanguageSpan(8, 19, "es")
    mixed = words(text, phonemes_of(Segment(text, languages=(span,))))
    spanish = dict(words("hola amigos", phonemize("hola amigos", "es")))
    english = dict(words(text, phonemize(text, "en-us")))
    assert [one for one, _ in mixed] == ["He", "said", "hola", "amigos", "and", "left"]
    assert dict(mixed)["hola"] == spanish["hola"] != english["hola"]
    assert dict(mixed)["left"] == english["left"]


def test_a_language_that_is_not_spoken_is_refused_with_those_that_are() -> None:
    with pytest.raises(LanguageUnsupported, match="en-us"):
        phonemes_of(Segment("He is Владимир.", languages=(LanguageSpan(6, 14, "ru"),)))


def test_stretches_are_kept_apart_by_one_space() -> None:
    text = "hola, he said"
    said = phonemes_of(Segment(text, languages=(LanguageSpan(0, 5, "es"),)))
    assert "  " not in said.symbols
    assert ", " in said.symbols

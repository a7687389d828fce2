from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.api import LanguageUnsupported
from engines.kokoro.phonemes import LANGUAGES, Phonemes, phonemize
from engines.kokoro.vocabulary import TOKENS

pytestmark = pytest.mark.unit


def said(text: str, language: str = "en-us") -> str:
    return phonemize(text, language).symbols


def test_words_point_at_their_text_and_their_phonemes() -> None:
    text = "Hello, big world!"
    phonemes = phonemize(text, "en-us")
    pairs = [
        (
            text[word.char_start : word.char_end],
            phonemes.symbols[word.phoneme_start : word.phoneme_end],
        )
        for word in phonemes.words
    ]
    assert pairs == [("Hello", "həlˈO"), ("big", "bˈɪɡ"), ("world", "wˈɜɹld")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no, yes", "nˈO, jˈɛs"),
        ("no — yes", "nˈO — jˈɛs"),
        ("no - yes", "nˈO — jˈɛs"),
        ("no -- yes", "nˈO — jˈɛs"),
        ("no... yes?", "nˈO… jˈɛs?"),
        ('"no" yes', "“nˈO” jˈɛs"),
        ("«no» yes", "“nˈO” jˈɛs"),
        ("[no] {yes}", "(nˈO) (jˈɛs)"),
        ("no!! yes", "nˈO! jˈɛs"),
        ("no。yes！", "nˈO.jˈɛs!"),
        ("  no \n yes ", "nˈO jˈɛs"),
        ("no ¿yes", "nˈO jˈɛs"),
    ],
)
def test_punctuation_becomes_what_the_model_knows(text: str, expected: str) -> None:
    assert said(text) == expected


@pytest.mark.parametrize("text", ["", " ", "...", "—", "😊👍", "\u200b", "\ud800", "-", "'", "()"])
@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_nothing_to_say_is_empty(text: str, language: str) -> None:
    assert phonemize(text, language) == Phonemes("")


@pytest.mark.parametrize("language", ["xx", "", "tlh", "zz-zz" * 100])
def test_an_unknown_language_names_those_that_are_spoken(language: str) -> None:
    with pytest.raises(LanguageUnsupported) as caught:
        phonemize("hello", language)
    assert all(known in str(caught.value) for known in LANGUAGES)
    assert len(str(caught.value)) < 300


def test_capitals_in_the_language_tag_do_not_matter() -> None:
    assert said("hello", "EN-US") == said("hello", "en-us")


@pytest.mark.parametrize(("tag", "same"), [("en", "en-us"), ("en-au", "en-us"), ("es-mx", "es")])
def test_other_regions_are_read_as_the_nearest(tag: str, same: str) -> None:
    assert said("hola hot water", tag) == said("hola hot water", same)


def test_english_has_two_accents() -> None:
    assert said("hot water", "en-us") == "hˈɑt wˈɔɾəɹ"
    assert said("hot water", "en-gb") == "hˈɒt wˈɔːtə"


@settings(max_examples=300, deadline=None)
@given(
    st.text(alphabet=st.one_of(st.sampled_from("aeb' -.,A1’é\u0301!\"($"), st.characters())),
    st.sampled_from(sorted(LANGUAGES)),
)
def test_any_text_gives_known_symbols_and_words_in_order(text: str, language: str) -> None:
    phonemes = phonemize(text, language)
    assert set(phonemes.symbols) <= TOKENS.keys()
    last_char = last_phoneme = 0
    for word in phonemes.words:
        assert last_char <= word.char_start < word.char_end <= len(text)
        assert last_phoneme <= word.phoneme_start < word.phoneme_end <= len(phonemes.symbols)
        last_char, last_phoneme = word.char_end, word.phoneme_end
    assert bool(phonemes.words) == bool(phonemes.symbols)

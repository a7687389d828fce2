from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.api import PhonemesUnsupported
from engines.kokoro.ipa import from_ipa, to_ipa
from engines.kokoro.vocabulary import TOKENS, to_tokens

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("ipa", "language", "symbols"),
    [
        ("ˈeɪdə", "en-us", "ˈAdə"),
        ("/təˈmɑːtoʊ/", "en-us", "təˈmɑːtO"),
        ("t͡ʃɝt͡ʃ", "en-us", "ʧɜɹʧ"),
        ("dʒɛt", "en-gb", "ʤɛt"),
        ("ˈɡəʊt", "en-gb", "ˈɡQt"),
        ("hɒt", "en-gb", "hɒt"),
        ("red", "en-us", "ɹɛd"),
        ("bɔ̃ʒuʁ", "fr", "bɔ̃ʒuʁ"),
        ("ˈniɲo", "es", "ˈniɲo"),
    ],
)
def test_ipa_becomes_what_the_model_knows(ipa: str, language: str, symbols: str) -> None:
    assert from_ipa(ipa, language) == symbols


@pytest.mark.parametrize("ipa", ["ǃa", "5", "a€", "😊"])
def test_what_the_model_cannot_say_is_named(ipa: str) -> None:
    with pytest.raises(PhonemesUnsupported, match="cannot say"):
        from_ipa(ipa, "en-us")


@pytest.mark.parametrize("letter", sorted(set("AIWYOQaeiouɔɛ") & set(TOKENS)))
@pytest.mark.parametrize("mark", ["\u0303", "ʰ", "ː"])
def test_a_letter_with_a_mark_is_two_symbols_or_one_that_there_is(letter: str, mark: str) -> None:
    assert len(to_tokens(from_ipa(letter + mark, "es"))) in (3, 4)


@given(st.text(max_size=30), st.sampled_from(["en-us", "en-gb", "es", "ja"]))
def test_any_string_is_symbols_of_the_model_or_refused(text: str, language: str) -> None:
    with contextlib.suppress(PhonemesUnsupported):
        to_tokens(from_ipa(text, language))


@pytest.mark.parametrize("symbol", sorted(TOKENS))
def test_every_symbol_of_the_model_is_a_sound_or_none(symbol: str) -> None:
    sound = to_ipa(symbol)
    assert sound == "" or sound.isalpha() or not sound.isascii()


def test_diphthongs_and_affricates_are_spelled_out() -> None:
    assert [to_ipa(symbol) for symbol in "AIWYOQʧʤ"] == "eɪ aɪ aʊ ɔɪ oʊ əʊ tʃ dʒ".split()
    assert [to_ipa(symbol) for symbol in "ˈˌː ,.?"] == [""] * 7

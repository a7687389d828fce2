from __future__ import annotations

import pytest

from engines.kokoro.alphabet import Alphabet, followers
from engines.kokoro.tokens import tokenize

pytestmark = pytest.mark.unit

ALPHABET = Alphabet(
    pronounce=lambda word: word.lower().replace("'", ""),
    digits=tuple(f"d{digit}" for digit in range(10)),
    letters={letter: f"{letter}!" for letter in "abcdefghijklmnopqrstuvwxyz"},
    symbols={"%": "per cent"},
    words_of_one_letter="ai",
    vowels="AEIOU",
    onsets="LR",
    acronyms={"ROM": "rom", "USA": "u s a"},
)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("word", "word"),
        ("a", "a"),
        ("b", "b!"),
        ("km", "k! m!"),
        ("BBC", "b! b! c!"),
        ("NATO", "nato"),
        ("ONU", "onu"),
        ("USB", "u! s! b!"),
        ("HTML", "h! t! m! l!"),
        ("l'ONU", "lonu"),
        ("d'USB", "du! s! b!"),
        ("ROM", "rom"),
        ("d'USA", "du s a"),
        ("rom", "rom"),
        ("well-known", "well known"),
        ("'tis", "tis"),
    ],
)
def test_words_acronyms_and_letters(written: str, said: str) -> None:
    assert ALPHABET.word(written) == said


def test_what_is_left_of_digits_and_signs_is_read() -> None:
    said = [ALPHABET.token(token) for token in tokenize("7 % ☃")]
    assert said == ["d7", "", "per cent", "", ""]


def test_words_are_followed_by_those_of_their_phrase_only() -> None:
    tokens = tokenize("one two, three 4 five")
    following = [
        "" if index is None else tokens[index].text
        for token, index in zip(tokens, followers(tokens), strict=True)
        if token.kind == "word"
    ]
    assert following == ["two", "", "", ""]

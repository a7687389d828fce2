"""From written text to phonemes, with what nobody means to write: the table is ``texts.tsv``."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.kokoro.phonemes import LANGUAGES, Phonemes, phonemize
from engines.kokoro.vocabulary import TOKENS
from voicepeer.core.speaking.normalize import normalize

pytestmark = pytest.mark.unit

TABLE = Path(__file__).with_name("texts.tsv")
ROWS = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines()[1:]]


def said(text: str, language: str) -> Phonemes:
    return phonemize(normalize(text, language).text, language)


@pytest.mark.parametrize(
    ("language", "text", "spoken", "phonemes"), ROWS, ids=[ascii(row[1]) for row in ROWS]
)
def test_a_text_is_spoken_and_sounds_as_it_should(
    language: str, text: str, spoken: str, phonemes: str
) -> None:
    found = normalize(text.replace("\\n", "\n"), language).text
    assert found == spoken
    assert phonemize(found, language).symbols == phonemes


WORDS = {
    "en-us": "hello", "en-gb": "hello", "es": "hola", "fr": "bonjour", "hi": "नमस्ते",
    "it": "ciao", "ja": "こんにちは", "pt-br": "olá", "zh": "你好",
}  # fmt: skip
"""A word of each language; one more language has to be added here."""

ODD = {
    "zero-width space at the ends": "\u200b{}\u200b",
    "byte order mark": "\ufeff{}",
    "bidirectional marks": "\u202e\u2066{}\u2069\u202c",
    "lone surrogates": "\ud800{}\udfff",
    "controls": "\x00\x07{}\x1b\x7f",
    "private use": "\ue000{}\U000f0000",
    "tags": "{}\U000e0041\U000e007f",
    "stray combining marks": "\u0301\u20dd {} \u0327",
    "emoji with joiners": "👩\u200d👩\u200d👧 {} 🏳️\u200d🌈",
    "ten thousand emoji": "{} " + "😊" * 10_000,
    "variation selectors": "{}\ufe0f\ufe0e",
    "blanks of all kinds": "\u00a0\u2003\u3000{}\u2009\u202f",
    "line separators": "\u2028{}\u2029",
    "not a character": "{}\uffff\U0010ffff",
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_what_cannot_be_seen_cannot_be_heard(language: str, odd: str) -> None:
    word = WORDS[language]
    heard = said(odd.format(word), language).symbols.strip(" ,")
    assert heard == said(word, language).symbols


@pytest.mark.parametrize(
    "text",
    [
        "a" + "\u0301" * 5_000,
        "\u0301" * 5_000,
        "😊" * 10_000,
        "\ud800" * 5_000,
        "\u200b\u202e" * 5_000,
        "1" * 5_000,
        "'" * 5_000,
        "क्" * 2_000,
        "िी" * 2_000,
        "ー" * 2_000,
        "々" * 2_000,
        "ｱﾞ" * 2_000,
        "Á̂" * 2_000,
        "ß" * 2_000,
        "\U0001d400" * 2_000,
        "x-" * 2_000,
        "o" * 5_000,
        "ieou" * 250,
    ],
    ids=lambda text: ascii(text[:4]),
)
@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_hostile_text_is_read_in_bounded_time(language: str, text: str) -> None:
    said("warm", language)
    started = time.process_time()
    assert set(said(text, language).symbols) <= TOKENS.keys()
    assert time.process_time() - started < 5.0  # processor time; at most 0.4 s


ALPHABET = st.one_of(
    st.sampled_from("aeiouyáèîöçñß 'l-.,;:!?0123456789€$%&@#/\n"),
    st.sampled_from("कखगािीुूेैोौंँ़्ऋःअआ।"),
    st.sampled_from("你好行长重乐ーぁんっカャ々ｱﾞ。、"),
    st.sampled_from("\u0300\u0301\u0327\u200b\u200d\u202e\ud800\udfff\ufeff\x00\x1b\U000e0041😊"),
    st.characters(),
)


@settings(max_examples=400, deadline=None)
@given(st.text(ALPHABET, max_size=60), st.sampled_from(sorted(LANGUAGES)))
def test_any_text_gives_symbols_that_the_model_knows(text: str, language: str) -> None:
    spoken = normalize(text, language)
    heard = phonemize(spoken.text, language)
    assert set(heard.symbols) <= TOKENS.keys()
    for word in heard.words:
        start, end = spoken.source_span(word.char_start, word.char_end)
        assert 0 <= start < end <= len(text)

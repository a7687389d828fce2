"""Where phonemes are cut before they reach the model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.kokoro.phonemes import Phonemes, PhonemeWord
from engines.kokoro.pieces import FIRST_LONGEST, FIRST_WISHED, LONGEST, WHOLE, Piece, cut

pytestmark = pytest.mark.unit


def said(symbols: str) -> Phonemes:
    """Each run of letters is a word of the same place in the text."""
    words: list[PhonemeWord] = []
    at = 0
    for part in symbols.split(" "):
        letters = len(part.rstrip(".,!?"))
        if letters:
            words.append(PhonemeWord(at, at + letters, at, at + letters))
        at += len(part) + 1
    return Phonemes(symbols, tuple(words))


def sentence(words: int, end: str = ".") -> str:
    return " ".join(["məmə"] * words) + end


def test_nothing_gives_no_piece() -> None:
    assert cut(Phonemes("")) == []


def test_a_short_text_stays_whole() -> None:
    text = sentence(6, ",") + " " + sentence(10)
    assert len(text) <= WHOLE
    assert [piece.symbols for piece in cut(said(text))] == [text]


def test_a_longer_text_begins_with_a_short_piece() -> None:
    text = sentence(8, ",") + " " + sentence(20)
    first, second = cut(said(text))
    assert first.symbols.rstrip().endswith(",")
    assert len(first.symbols) <= FIRST_WISHED
    assert first.symbols + second.symbols == text


def test_a_late_first_pause_is_used_if_there_is_no_earlier() -> None:
    text = sentence(16, ",") + " " + sentence(5, ",") + " " + sentence(20)
    first = cut(said(text))[0]
    assert FIRST_WISHED < len(first.symbols) <= FIRST_LONGEST
    assert first.symbols.count(",") == 1


def test_without_a_pause_the_beginning_is_not_torn_apart() -> None:
    text = sentence(40)
    assert [piece.symbols for piece in cut(said(text))] == [text]


def test_a_very_long_text_is_cut_at_sentences() -> None:
    text = " ".join(sentence(12) for _ in range(20))
    pieces = cut(said(text))
    assert all(len(piece.symbols) <= LONGEST for piece in pieces)
    assert all(piece.symbols.rstrip().endswith(".") for piece in pieces)


def test_without_any_mark_it_is_cut_between_words() -> None:
    pieces = cut(said(sentence(300, "")))
    assert all(len(piece.symbols) <= LONGEST for piece in pieces)
    assert all(piece.symbols.endswith(" ") for piece in pieces[:-1])


def test_without_anything_it_is_cut_all_the_same() -> None:
    pieces = cut(said("m" * 1000))
    assert [len(piece.symbols) for piece in pieces] == [400, 400, 200]


def test_closing_quotes_stay_with_their_sentence() -> None:
    text = "“" + sentence(6, ".”") + " " + sentence(25)
    assert cut(said(text))[0].symbols.endswith(".” ")


@pytest.mark.parametrize(
    ("symbols", "pause_ms"), [("a.", 200), ("a!” ", 200), ("a, ", 90), ("a", 90), ("", 90)]
)
def test_the_pause_follows_from_the_mark(symbols: str, pause_ms: float) -> None:
    assert Piece(symbols, ()).pause_ms == pause_ms


@given(st.text(alphabet="məs ,.!?", max_size=2500))
def test_all_symbols_and_words_are_kept(symbols: str) -> None:
    phonemes = said(symbols)
    pieces = cut(phonemes)
    assert "".join(p.symbols for p in pieces).replace(" ", "") == symbols.replace(" ", "")
    assert all(0 < len(piece.symbols) <= LONGEST + 8 or piece.symbols for piece in pieces)
    kept = [word.char_start for piece in pieces for word in piece.words]
    assert kept == [word.char_start for word in phonemes.words]
    for piece in pieces:
        for word in piece.words:
            assert 0 <= word.phoneme_start < word.phoneme_end <= len(piece.symbols)

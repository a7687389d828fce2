from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from voicepeer.core.errors import TextRejected
from voicepeer.core.speaking.segment import (
    FIRST_MAX_WORDS,
    PIECE_MAX_WEIGHT,
    TOKEN_MAX_WEIGHT,
    Piece,
    Segmenter,
)

pytestmark = pytest.mark.unit

MIXED = (
    "Well, Dr. Jones paid $3.5 million on August 17, 2026! See https://example.com/a.b?c=1.2, "
    "or mail a.b@c.co.uk before 12:30 p.m. today... ok? 今天是2026年8月17日，气温98.6华氏度。"
    "他说：“行！”नमस्ते। आप कैसे हैं?\n1. First\n2. Second\n\n- v1.0.0 — done"
)

COMMA_SENTENCE = ", ".join(["one two three four five six seven"] * 17) + "."

text_like = st.text(
    alphabet=st.sampled_from(
        list("aAbB19 .,!?;:\n\"')(-—…$@/。，！？」「你好。\u0301\u200d\u00a0😊\ud800"),
    ),
    max_size=120,
)


def pieces(text: str) -> list[Piece]:
    segmenter = Segmenter()
    return segmenter.push(text) + segmenter.end()


def texts(text: str) -> list[str]:
    return [piece.text for piece in pieces(text)]


def visible(text: str) -> str:
    return "".join(text.split())


SPLITS = [
    ("Hello there. How are you?", ["Hello there.", "How are you?"]),
    ("Really?! Yes.", ["Really?!", "Yes."]),
    ("Wait... what?", ["Wait... what?"]),
    ("Wait... What?", ["Wait...", "What?"]),
    ('"Hello!" she said. "Go."', ['"Hello!" she said.', '"Go."']),
    ("Meet Dr. Jones at 6 p.m. today.", ["Meet Dr. Jones at 6 p.m. today."]),
    ("He left at 6 p.m. Then we ate.", ["He left at 6 p.m.", "Then we ate."]),
    ("It is No. 5 of ten.", ["It is No. 5 of ten."]),
    ("Is it? No. I will not.", ["Is it?", "No.", "I will not."]),
    ("J. R. Smith came.", ["J. R. Smith came."]),
    ("So am I. Good.", ["So am I.", "Good."]),
    ("Pi is 3.14 and e is 2.718.", ["Pi is 3.14 and e is 2.718."]),
    ("It was in 2026. Then it ended.", ["It was in 2026.", "Then it ended."]),
    ("Use e.g. this one.", ["Use e.g. this one."]),
    ("Tea, milk, etc. are here.", ["Tea, milk, etc. are here."]),
    ("We have tea etc. Then milk.", ["We have tea etc.", "Then milk."]),
    ("See https://example.com/a.b?c=1.2 for more.", None),
    ("Version v1.0.0 is out.", None),
    ("Mail a.b@c.co.uk before 2026-08-17 12:30.", None),
    ("We met on August 17, 2026 there.", None),
    ("It has 1 000 000 people.", None),
    ("1. First\n2. Second", ["1. First", "2. Second"]),
    ("First line\nSecond line", ["First line", "Second line"]),
    ("a wrapped\nline goes on", ["a wrapped\nline goes on"]),
    ("One\n\ntwo", ["One", "two"]),
    ("Windows\r\nlines", ["Windows\r\nlines"]),
    ("你好。再见！好吗？", ["你好。", "再见！", "好吗？"]),
    ("他说：“行。”然后走了。", ["他说：“行。”", "然后走了。"]),
    ("नमस्ते। आप कैसे हैं?", ["नमस्ते।", "आप कैसे हैं?"]),
    ("شکریہ۔ آپ کیسے ہیں؟", ["شکریہ۔", "آپ کیسے ہیں؟"]),
    ("...", ["..."]),
    ("😊👍", ["😊👍"]),
    ("", []),
    (" \n\t ", []),
]


@pytest.mark.parametrize(("text", "expected"), SPLITS)
def test_ends_sentences_and_nothing_else(text: str, expected: list[str] | None) -> None:
    assert texts(text) == ([text] if expected is None else expected)


def test_first_piece_is_a_short_clause() -> None:
    said = texts("Unfortunately, after all of that, we went home. It rained.")
    assert said[0] == "Unfortunately, after all of that,"


@pytest.mark.parametrize(
    "text",
    [
        "I think that we should go to the store today because it is raining and we have no milk",
        "The quick brown fox jumped over the lazy dog and then ran into the deep dark forest",
        COMMA_SENTENCE,
    ],
)
def test_first_piece_has_under_ten_words_even_without_a_comma(text: str) -> None:
    first = texts(text)[0]
    assert len(first.split()) <= FIRST_MAX_WORDS < 10
    assert first.split()[-1] not in ("the", "to", "of", "a", "and")


def test_first_clause_is_given_before_the_text_ends() -> None:
    segmenter = Segmenter()
    given_at = next(
        i for i, char in enumerate("This is it, and more follows") if segmenter.push(char)
    )
    assert given_at == len("This is it, ") - 1


def test_sentence_is_given_with_the_blank_after_it() -> None:
    segmenter = Segmenter()
    assert segmenter.push("Hello there.") == []
    assert segmenter.push(" ") == [Piece("Hello there.", 0)]


def test_flush_gives_an_unfinished_clause_and_goes_on_after_it() -> None:
    segmenter = Segmenter()
    assert segmenter.push("and so") == []
    assert segmenter.flush() == [Piece("and so", 0)]
    assert segmenter.push(" it goes") == []
    assert segmenter.end() == [Piece("it goes", 7)]
    assert segmenter.held == 0


def test_later_pieces_are_longer_and_bounded() -> None:
    said = texts(COMMA_SENTENCE)
    assert max(len(piece) for piece in said) <= PIECE_MAX_WEIGHT
    assert all(len(piece) > 60 for piece in said[1:-1])


@pytest.mark.parametrize(
    ("text", "longest"),
    [
        ("a" * 5_000, PIECE_MAX_WEIGHT),
        ("今" * 5_000, PIECE_MAX_WEIGHT // 3),
        ("\u0301" * 5_000, PIECE_MAX_WEIGHT),
        ("😊" * 5_000, PIECE_MAX_WEIGHT),
        ("https://example.com/" + "a" * 5_000, TOKEN_MAX_WEIGHT),
        ("1 " * 5_000, 2 * PIECE_MAX_WEIGHT),
        (" " * 5_000 + "a", 1),
    ],
    ids=["letters", "ideographs", "marks", "emoji", "address", "digits", "blanks"],
)
def test_text_without_boundaries_is_cut_at_a_limit(text: str, longest: int) -> None:
    said = pieces(text)
    assert max(len(piece.text) for piece in said) <= longest
    assert visible("".join(piece.text for piece in said)) == visible(text)


def test_a_long_address_stays_whole() -> None:
    address = "https://example.com/" + "a/" * 300
    assert address in " ".join(texts(f"See {address} there.")).split()


def test_visible_characters_are_never_torn_apart() -> None:
    family = "👨\u200d👩\u200d👧"
    assert all(
        not piece.text.startswith("\u200d") and not piece.text.endswith("\u200d")
        for piece in pieces(family * 200)
    )


def test_more_than_the_limit_is_refused_whole() -> None:
    segmenter = Segmenter(max_chars=10)
    segmenter.push("12345")
    with pytest.raises(TextRejected, match="10 characters"):
        segmenter.push("678901")
    assert segmenter.received == 5
    assert segmenter.push("67890") == []
    assert segmenter.end() == [Piece("1234567890", 0)]


def test_fifty_thousand_characters_take_well_under_a_second() -> None:
    text = "The quick brown fox, which jumps over lazy dogs, went home. " * 833
    started = time.process_time()
    pieces(text)
    assert time.process_time() - started < 5.0  # about 0.2 s on an idle machine


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(0, len(MIXED)), max_size=12))
@example(list(range(len(MIXED))))
def test_where_deltas_are_cut_makes_no_difference(cuts: list[int]) -> None:
    segmenter = Segmenter()
    edges = [0, *sorted(cuts), len(MIXED)]
    given_pieces: list[Piece] = []
    for start, end in zip(edges, edges[1:], strict=False):
        given_pieces += segmenter.push(MIXED[start:end])
    assert given_pieces + segmenter.end() == pieces(MIXED)


@settings(max_examples=300, deadline=None)
@given(text_like, st.lists(st.integers(0, 120), max_size=6))
def test_any_text_is_given_once_and_in_order_however_it_comes(text: str, cuts: list[int]) -> None:
    segmenter = Segmenter()
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    said: list[Piece] = []
    for start, end in zip(edges, edges[1:], strict=False):
        said += segmenter.push(text[start:end])
    said += segmenter.end()
    assert said == pieces(text)
    assert visible("".join(piece.text for piece in said)) == visible(text)
    for piece in said:
        assert text[piece.start : piece.start + len(piece.text)] == piece.text
        assert piece.text


SCRIPTS = [
    ("안녕하세요. 반갑습니다! 네.", ["안녕하세요.", "반갑습니다!", "네."]),
    ("今日は3.5度です。そうですか？はい！", ["今日は3.5度です。", "そうですか？", "はい！"]),
    ("እንዴት ነህ። ደህና ነኝ።", ["እንዴት ነህ።", "ደህና ነኝ።"]),
    ("مرحبا، كيف حالك؟ أنا بخير.", ["مرحبا، كيف حالك؟", "أنا بخير."]),
    ("Բարև։ Ինչպես եք։", ["Բարև։", "Ինչպես եք։"]),
    ("မင်္ဂလာပါ။ ဟုတ်ကဲ့။", ["မင်္ဂလာပါ။", "ဟုတ်ကဲ့။"]),
    ("ជំរាបសួរ។ បាទ។", ["ជំរាបសួរ។", "បាទ។"]),
    ("Привет. Как дела?", ["Привет.", "Как дела?"]),
    ("Véalo, p. ej. esto. Luego no.", ["Véalo, p. ej. esto.", "Luego no."]),
    ("Das ist z. B. gut. Ja.", ["Das ist z. B. gut.", "Ja."]),
    ("你好！！真的？！好．", ["你好！！", "真的？！", "好．"]),
]


@pytest.mark.parametrize(("text", "expected"), SCRIPTS)
def test_ends_sentences_of_every_script(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


@pytest.mark.parametrize("text", [text for text, _ in SCRIPTS])
def test_every_cut_position_of_every_script_gives_the_same(text: str) -> None:
    for cut in range(len(text) + 1):
        segmenter = Segmenter()
        said = segmenter.push(text[:cut]) + segmenter.push(text[cut:]) + segmenter.end()
        assert said == pieces(text), text[:cut]


UNBREAKABLE = (
    "1,234.56 12:30 192.168.0.1 https://a.b/c?d=1.2&e=3,4 a.b@c.co.uk 2026-08-17 v1.2.3 $3.50 "
    "Dr.\u00a0No e.g. +1-555-123-4567 10:00:00 3.14 1/2 #tag.x @name.y www.example.com/a,b 50%"
).split()


@pytest.mark.parametrize("token", UNBREAKABLE)
@pytest.mark.parametrize("frame", ["{} is it.", "We have {} here, and there.", "So, {}, ok."])
def test_no_token_is_ever_split_wherever_its_deltas_are_cut(token: str, frame: str) -> None:
    text = frame.format(token)
    for cut in range(len(text) + 1):
        segmenter = Segmenter()
        said = segmenter.push(text[:cut]) + segmenter.push(text[cut:]) + segmenter.end()
        assert any(token in piece.text for piece in said), (cut, said)


@pytest.mark.parametrize(
    ("held", "released"),
    [
        ("and so it goes", ["and so it goes"]),
        ("and so ", ["and so"]),
        ("好的", ["好的"]),
        ("It costs 3", []),
        ("Is it 3?", ["Is it 3?"]),
        ("It costs 3. ", []),
        ("It costs $", []),
        ("Go to example.co", []),
        ("Meet Dr.", []),
        ("Meet Dr. ", []),
        ("It is the U.S. ", []),
        ("She left at 6 p.m. ", []),
        ("3.", []),
        ("", []),
    ],
)
def test_what_is_released_for_want_of_text_tears_nothing_apart(
    held: str, released: list[str]
) -> None:
    segmenter = Segmenter()
    assert segmenter.push(held) == []
    assert [piece.text for piece in segmenter.release()] == released


@settings(max_examples=200, deadline=None)
@given(text_like, st.integers(0, 120))
def test_release_loses_and_repeats_nothing(text: str, cut: int) -> None:
    segmenter = Segmenter()
    said = segmenter.push(text[:cut]) + segmenter.release()
    said += segmenter.push(text[cut:]) + segmenter.end()
    assert visible("".join(piece.text for piece in said)) == visible(text)


def test_memory_of_an_endless_stream_is_bounded() -> None:
    segmenter = Segmenter(max_chars=1_000_000)
    most = 0
    for _ in range(3_000):
        segmenter.push("abcdefghij")
        most = max(most, segmenter.held)
    assert most <= PIECE_MAX_WEIGHT + 10


@pytest.mark.parametrize(
    "text",
    [
        "这是一个没有任何标点符号的很长的句子所以一共有2026个字和Python3.11这样的词而且" * 4,
        "句読点のないとても長い文でどこで切られるかを2026年にiPhone15で見たいのですが" * 4,
    ],
)
def test_without_marks_a_wide_script_is_cut_in_no_number_and_no_latin_word(text: str) -> None:
    found = [piece.text for piece in pieces(text)]
    assert "".join(found) == text
    assert len(found) > 2
    for left, right in zip(found, found[1:], strict=False):
        assert not (left[-1].isascii() and right[0].isascii())
        assert not right[0].isdecimal()


@pytest.mark.parametrize(
    "text",
    ["डॉ. शर्मा आए", "प्रो. गुप्ता कहाँ हैं", "Viaja a EE. UU. desde Lima", "il n. 3 della lista",
     "Vive en Sta. María", "रु. 500 देना"],
)  # fmt: skip
def test_abbreviations_that_a_newcomer_found_cut_stay_whole(text: str) -> None:
    assert texts(text) == [text]


@pytest.mark.parametrize(
    "text", ["lun. a vie. de nueve a dos", "sáb. e dom. às nove", "mar. e gio."]
)
def test_short_days_are_not_cut_from_what_follows_them(text: str) -> None:
    segmenter = Segmenter()
    pieces = [*segmenter.push(f"Uno dos. {text}"), *segmenter.flush()]
    assert [piece.text.strip() for piece in pieces] == ["Uno dos.", text]

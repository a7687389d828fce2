from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.errors import TextRejected
from voicepeer.core.speaking.lexicon import MAX_ENTRIES, Entry, Lexicon
from voicepeer.core.speaking.reading import Reader

pytestmark = pytest.mark.unit


def found(words: dict[str, str], text: str) -> list[tuple[str, Entry]]:
    return [(text[one.start : one.end], one.entry) for one in Lexicon.read(words).find(text)]


def test_slashes_mean_sounds_and_all_else_is_a_spelling() -> None:
    entries = Lexicon.read({"Ada": "/ˈeɪdə/", "w/o": "without", "SQL": " sequel "}).entries
    assert entries["Ada"] == Entry(ipa="ˈeɪdə")
    assert entries["w/o"] == Entry(spelling="without")
    assert entries["SQL"] == Entry(spelling="sequel")


def test_small_letters_are_found_in_any_case_and_capitals_as_they_are() -> None:
    words = {"sql": "sequel", "US": "u s"}
    assert [one for one, _ in found(words, "SQL Sql sql. US us")] == ["SQL", "Sql", "sql", "US"]


def test_only_whole_words_are_found() -> None:
    assert found({"art": "x"}, "artful cart art, art's") == [
        ("art", Entry(spelling="x")),
        ("art", Entry(spelling="x")),
    ]


def test_longer_entries_come_first_and_blanks_are_alike() -> None:
    words = {"new": "a", "new york": "b"}
    assert [entry.spelling for _, entry in found(words, "New  York is new")] == ["b", "a"]


def test_signs_can_be_words() -> None:
    assert [one for one, _ in found({"c++": "c plus plus", "→": "to"}, "C++ → c++11")] == [
        "C++", "→", "c++",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "text", "times"),
    [
        ("重庆", "我在重庆工作，重庆很大。", 2),
        ("SQL", "用SQL查询，不是MySQL。", 1),
        ("カナダ", "私はカナダ人です", 1),
        ("서울", "서울에서 만나요", 1),
        ("五", "十五和五个，五百", 1),
        ("कम", "कम काम, कमी, कमरा, हकम", 1),
        ("दिल्ली", "नई दिल्ली।", 1),
        ("की", "राम की, कीमत, शकील", 1),
        ("3", "3, 13, 3.5, 2.3, 1,300 and 3.", 2),
        ("100", "100 of 1,100 at 100:1 or 100%", 2),
        ("art", "art@x.com, x.art.org, my_art, art-house. Art.", 2),
        ("don't", "don’t, don't, DON'T", 3),
        ("café", "cafe\u0301 café cafés", 2),
        ("é", "e\u0301, cafe\u0301", 1),
        ("ß", "ß SS", 1),
        ("new york", "New\nYork, new yorker", 1),
    ],
)
def test_words_are_found_whole_in_every_script(word: str, text: str, times: int) -> None:
    assert len(found({word: "x"}, text)) == times


def test_an_entry_is_longest_first_also_without_blanks() -> None:
    words = {"长江": "a", "长江大桥": "b", "大桥": "c"}
    assert [entry.spelling for _, entry in found(words, "南京长江大桥和长江")] == ["b", "a"]


def test_entries_between_letters_are_used() -> None:
    reader = Reader("zh", Lexicon.read({"重庆": "虫庆", "SQL": "西口"}))
    assert reader.read("我在重庆用SQL。").spoken.text == "我在虫庆用西口。"
    reader = Reader("hi", Lexicon.read({"कम": "ज़्यादा"}))
    assert reader.read("कम कमी").spoken.text == "ज़्यादा कमी"


def test_entries_come_before_every_rule() -> None:
    reader = Reader(
        "en-us", Lexicon.read({"dr.": "drive", "km": "k m", "$5": "a fiver", "II": "two"})
    )
    said = reader.read("Dr. Lee ran 3 km for $5, Henry II.").spoken.text
    assert said == "drive Lee ran three k m for a fiver, Henry two."


def test_the_nearer_lexicon_counts() -> None:
    session, voice = Lexicon.read({"a": "x", "b": "y"}), Lexicon.read({"b": "z"})
    both = voice.over(session)
    assert {word: entry.spelling for word, entry in both.entries.items()} == {"a": "x", "b": "z"}
    assert Lexicon().over(session) is session


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ({"": "x"}, "1 to 64 characters"),
        ({"a" * 65: "x"}, "1 to 64 characters"),
        ({"a": " "}, "1 to 256 characters"),
        ({"a": "//"}, "1 to 256 characters"),
        ({"a": "/K9/"}, "no symbol of the IPA"),
        ({"a": "/你好/"}, "no symbol of the IPA"),
        ({"a": "/ /"}, "1 to 256 characters"),
        ({"a": "x" * 257}, "1 to 256 characters"),
        ({str(i): "x" for i in range(MAX_ENTRIES + 1)}, "may have 1000 entries, this has 1001"),
    ],
)
def test_what_cannot_be_said_is_refused(words: dict[str, str], complaint: str | None) -> None:
    if complaint is None:
        assert Lexicon.read(words).entries["a"].spelling == "//"
        return
    with pytest.raises(TextRejected, match=complaint):
        Lexicon.read(words)


@given(st.dictionaries(st.text(min_size=1, max_size=8), st.just("x"), max_size=6), st.text())
def test_any_words_and_any_text(words: dict[str, str], text: str) -> None:
    usable = {word: said for word, said in words.items() if word.strip()}
    places = [(one.start, one.end) for one in Lexicon.read(usable).find(text)]
    assert all(start < end for start, end in places)
    assert places == sorted(places)


def test_a_full_lexicon_is_quick() -> None:
    lexicon = Lexicon.read({f"word{i}": "x" for i in range(MAX_ENTRIES)})
    text = "nothing to be found in here, word7 but one. " * 20
    assert len(list(lexicon.find(text))) == 20

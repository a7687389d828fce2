from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.api import LanguageSpan, Pronunciation
from voicepeer.core.speaking.lexicon import Lexicon
from voicepeer.core.speaking.normalize import normalize
from voicepeer.core.speaking.reading import Note, Reader, Reading
from voicepeer.core.speaking.ssml import Style

pytestmark = pytest.mark.unit

SUPPORTED = frozenset({"en-us", "es", "zh", "ja"})
LEXICON = Lexicon.read({"sql": "sequel", "Ada": "/ˈeɪdə/", "π": "/paɪ/"})


def written(text: str, reading: Reading) -> list[str]:
    """Where each spoken word was written."""
    spoken, out, at = reading.spoken, [], 0
    for word in spoken.text.split():
        start = spoken.text.index(word, at)
        at = start + len(word)
        low, high = spoken.source_span(start, at)
        out.append(text[low:high])
    return out


def test_without_anything_special_it_is_the_normal_form() -> None:
    text = "It was 98.6°F at noon, Dr. Jones."
    assert Reader("en-us", supported=SUPPORTED).read(text).spoken == normalize(text, "en-us")


def test_a_lexicon_comes_before_the_rules() -> None:
    text = "I paid $5 for SQL, Ada."
    reading = Reader("en-us", LEXICON).read(text)
    assert reading.spoken.text == "I paid five dollars for sequel, Ada."
    assert written(text, reading)[-2:] == ["SQL,", "Ada."]
    at = reading.spoken.text.index("Ada")
    assert reading.pronunciations == (Pronunciation(at, at + 3, "ˈeɪdə"),)


def test_what_has_no_letters_can_be_given_sounds() -> None:
    reading = Reader("en-us", Lexicon.read({"→": "/tuː/"})).read("A → B")
    (told,) = reading.pronunciations
    assert reading.spoken.text[told.char_start : told.char_end].isalpha()
    assert not reading.spoken.is_silent


def test_another_script_is_read_by_its_own_rules_and_marked() -> None:
    text = "I said 你好, you know 5."
    reading = Reader("en-us", supported=SUPPORTED).read(text)
    (span,) = reading.languages
    assert span.language == "zh"
    assert "你好" in reading.spoken.text[span.char_start : span.char_end]
    assert reading.spoken.text.endswith("you know five.")
    assert reading.spoken.text.startswith("I said 你好")


def test_no_blank_is_put_where_none_was_written() -> None:
    text = "他说Hello, how are you，然后走了。"
    reading = Reader("zh", supported=SUPPORTED).read(text)
    (span,) = reading.languages
    assert span.language == "en-us"
    assert " " not in reading.spoken.text[: span.char_start + 1]


def test_markup_says_what_its_text_is() -> None:
    text = "The W3C met Ada on 3."
    notes = [
        Note(4, 7, Style(said="World Wide Web Consortium")),
        Note(12, 15, Style(ipa="ˈɑːdə")),
        Note(19, 20, Style(said="3rd")),
    ]
    reading = Reader("en-us", LEXICON).read(text, 0, notes)
    assert reading.spoken.text == "The World Wide Web Consortium met Ada on third."
    assert written(text, reading)[1:5] == ["W3C"] * 4
    assert [one.ipa for one in reading.pronunciations] == ["ˈɑːdə"], "markup before the lexicon"


def test_notes_count_in_the_whole_utterance() -> None:
    reading = Reader("en-us").read("Go on", 100, [Note(103, 105, Style(said="off"))])
    assert reading.spoken.text == "Go off"


def test_what_was_cut_off_a_told_stretch_says_nothing_more() -> None:
    note = Note(0, 9, Style(said="whole"))
    assert Reader("en-us").read("five", 0, [note]).spoken.text == "whole"
    assert Reader("en-us").read("nine", 5, [note]).spoken.is_silent


def test_a_language_by_markup() -> None:
    reading = Reader("en-us").read("Say hola now", 0, [Note(4, 8, Style(language="es"))])
    assert reading.languages == (LanguageSpan(4, 8, "es"),)


@given(
    st.text(alphabet=st.sampled_from(list("aAb1 .,你好かñ¿π→SQLAda\n😊\ud800\u0301")), max_size=40),
    st.sampled_from(["en-us", "zh", "es"]),
    st.integers(0, 20),
    st.integers(1, 20),
)
def test_any_text_has_a_reading_whose_parts_fit(
    text: str, language: str, start: int, length: int
) -> None:
    notes = [Note(start, start + length, Style(said="x y"))]
    reading = Reader(language, LEXICON, SUPPORTED).read(text, 0, notes)
    size = len(reading.spoken.text)
    assert len(reading.spoken.origin) == len(reading.spoken.until) == size
    for low, high in zip(reading.spoken.origin, reading.spoken.until, strict=True):
        assert 0 <= low <= high <= len(text)
    for group in (reading.languages, reading.pronunciations):
        edges = [at for one in group for at in (one.char_start, one.char_end)]
        assert edges == sorted(edges)
        assert all(0 <= at <= size for at in edges)


@pytest.mark.parametrize(
    ("language", "of_the_element", "said"),
    [("es", None, "tercero"), ("en-us", None, "third"), ("en-us", "fr", "troisième")],
)
def test_say_as_is_read_in_the_language_it_stands_in(
    language: str, of_the_element: str | None, said: str
) -> None:
    note = Note(0, 1, Style(language=of_the_element, interpretation="ordinal:"))
    assert Reader(language).read("3", 0, [note]).spoken.text == said


@pytest.mark.parametrize(
    ("words", "written", "said"),
    [
        ({"sql": "sequel"}, "my #sql tag", "my sequel tag"),
        ({"sql": "sequel"}, "ask @sql", "ask at sequel"),
        ({"sql": "sequel"}, "two SQLs", "two sequels"),
        ({"sql": "sequel"}, "no-sql, SQL's", "no-sequel, sequel's"),
        ({"sql": "sequel"}, "MySQL", "MySQL"),
        ({"$": "bucks"}, "I have $5 now", "I have bucks five now"),
        ({"$": "bucks"}, "5$", "five bucks"),
        ({"C++": "see plus plus"}, "use C++17.", "use see plus plus seventeen."),
        ({"C++": "see plus plus"}, "(C++)", "(see plus plus)"),
        ({"&": "and"}, "R&D", "R and D"),
        ({"C#": "see sharp"}, "C#9", "see sharp nine"),
        ({".net": "dot net"}, "ASP.NET", "ASP dot net"),
    ],
)
def test_signs_beside_a_word_of_a_lexicon_leave_a_blank(
    words: dict[str, str], written: str, said: str
) -> None:
    assert Reader("en-us", Lexicon.read(words)).read(written).spoken.text == said


def test_no_blank_comes_between_characters_that_have_none() -> None:
    reader = Reader("zh", Lexicon.read({"$": "刀", "银行": "银航"}))
    assert reader.read("第$页的银行里").spoken.text == "第刀页的银航里"


@pytest.mark.parametrize(
    ("ipa", "plural"), [("ˈsiːkwəl", "ˈsiːkwəlz"), ("ˈɡɪt", "ˈɡɪts"), ("ˈbʌʃ", "ˈbʌʃɪz")]
)
def test_the_plural_of_an_acronym_is_in_its_sounds(ipa: str, plural: str) -> None:
    reading = Reader("en-us", Lexicon.read({"SQL": f"/{ipa}/"})).read("two SQLs, one SQL")
    assert [one.ipa for one in reading.pronunciations] == [plural, ipa]
    assert reading.spoken.text == "two SQLs, one SQL"

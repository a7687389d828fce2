"""What is written and what is said for it: the tables are in ``readings``, one a language."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voicepeer.core.speaking.normalize import normalize

pytestmark = pytest.mark.unit

SIGNS = "\u0900-\u0963"
"""Vowel signs of Devanagari, which are no letters to regular expressions."""

TABLES = Path(__file__).with_name("readings")


def plain(text: str) -> str:
    kept = rf"\w{SIGNS}"
    return " ".join(re.sub(rf"[^{kept}\s'-]|(?<!\w)[-']|[-'](?!\w)", " ", text.lower()).split())


def _unescaped(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else {"n": "\n", "\\": "\\"}[match[2]]


def table(language: str) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for line in (TABLES / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith(("# ", "## ")):
            written, _, said = line.rpartition("|")
            written = re.sub(r"\\u([0-9a-f]{4})|\\([n\\])", _unescaped, written.strip())
            rows.append((written, said.strip()))
    return rows


CASES = [
    pytest.param(path.stem, written, said, id=f"{path.stem} {ascii(written)}")
    for path in sorted(TABLES.glob("*.txt"))
    for written, said in table(path.stem)
]


@pytest.mark.parametrize(("language", "written", "said"), CASES)
def test_is_said_and_no_digit_or_symbol_is_left(language: str, written: str, said: str) -> None:
    spoken = normalize(written, language).text
    assert plain(spoken) == said
    assert not re.search(r"[0-9$€£%@#*_`~^<>{}\\|=+&]", spoken)


def test_there_are_enough_lines() -> None:
    assert len(table("en-us")) >= 200
    assert all(
        len(table(language)) >= 75 for language in ("es", "fr", "hi", "it", "ja", "pt-br", "zh")
    )


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("105 of 1,005", "one hundred and five of one thousand and five"),
        ("2,300,040", "two million three hundred thousand and forty"),
        ("8/7/2026", "july eighth twenty twenty-six"),
        ("7/25/2026", "july twenty-fifth twenty twenty-six"),
    ],
)
def test_british_numbers_and_dates(written: str, said: str) -> None:
    assert plain(normalize(written, "en-gb").text) == said


def test_american_dates_have_the_month_first() -> None:
    assert plain(normalize("8/7/2026", "en-us").text) == "august seventh twenty twenty-six"


def test_pauses_are_kept() -> None:
    said = normalize("Well, yes… (maybe); “no”: — ok?!", "en-us").text
    assert said == "Well, yes… (maybe); “no”: — ok?!"


def test_a_sentence_that_ends_with_an_abbreviation_still_ends() -> None:
    assert normalize("He left at 6 p.m. We ate.", "en-us").text == "He left at six P M. We ate."
    assert normalize("I like tea, etc.", "en-us").text == "I like tea, et cetera."
    assert normalize("On Main St.", "en-us").text == "On Main Street."


def test_words_point_at_what_was_written() -> None:
    source = "We paid **$3.5 million** to Dr. Jones 😊 today."
    spoken = normalize(source, "en-us")
    for said, written in [
        ("three", "$3.5 million"),
        ("dollars", "$3.5 million"),
        ("Doctor", "Dr."),
        ("Jones", "Jones"),
        ("today", "today"),
    ]:
        at = spoken.text.index(said)
        start, end = spoken.source_span(at, at + len(said))
        assert source[start:end] == written


def test_a_piece_takes_a_few_milliseconds() -> None:
    text = (
        "On August 17th, 2026, the company paid $3.5 million for 5 km of cable at 6 p.m., "
        "and www.example.com said so to Dr. Jones."
    )
    normalize(text, "en-us")
    started = time.process_time()
    for _ in range(20):
        normalize(text, "en-us")
    assert (time.process_time() - started) / 20 < 0.05  # 1 ms on an idle machine


LANGUAGES = ["en-us", "en-gb", "es", "fr", "it", "pt-br", "hi", "ja", "zh", "xx", ""]
ODD = (
    "aA9 .,$%-'/:@#*_~`<>[](){}|\\&+=^°½²€\n\t\0\u00a0\u200b\u200d\u202e\u0301\ud800\udfff\ufeff😊"
)


@settings(max_examples=300, deadline=None)
@given(
    st.text(alphabet=st.one_of(st.sampled_from(ODD), st.characters()), max_size=80),
    st.sampled_from(LANGUAGES),
)
def test_any_string_is_read_without_an_error(text: str, language: str) -> None:
    spoken = normalize(text, language)
    assert len(spoken.text) == len(spoken.origin) == len(spoken.until)
    assert all(
        0 <= start < end <= len(text)
        for start, end in zip(spoken.origin, spoken.until, strict=True)
    )
    assert not re.search("[\ud800-\udfff\u200b-\u200f\u202a-\u202e\x00-\x08]", spoken.text)
    assert spoken.text == spoken.text.strip()


@pytest.mark.parametrize(
    "text",
    [
        "😊" * 10_000,
        "a" + "\u0301" * 10_000,
        "1" * 10_000,
        "1." * 5_000,
        "1,000" * 2_000,
        "(" * 10_000,
        "*" * 10_000,
        "_a" * 5_000,
        "[" * 5_000 + "](" * 5_000,
        "a@" * 5_000,
        "a." * 5_000,
        "-1" * 5_000,
        "$1-" * 3_000,
        "<a " * 3_000,
        "'" * 10_000,
        "| " * 5_000,
        "- " * 5_000,
        "1/" * 5_000,
        "12:" * 3_000,
        "\ud800" * 10_000,
        " \n" * 5_000,
    ],
    ids=lambda text: ascii(text[:6]),
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_text_takes_bounded_time(text: str, language: str) -> None:
    started = time.process_time()
    normalize(text[:4_000], language)
    assert time.process_time() - started < 3.0  # at most 0.2 s each on an idle machine


REPEATED = [
    "1-", "a-", "I.", "$1", ".", "-1", "a1-", "1.1-", "5s ", "3B ", "$5 ", "St. ", "5 ft ", "1/2 ",
    "5 × ", "Oak Dr. ", "a∧", "1,2,", "2020、", "<!--",
]  # fmt: skip


@pytest.mark.parametrize("text", REPEATED)
@pytest.mark.parametrize("language", ["en-us", "zh"])
def test_what_is_repeated_costs_no_more_than_its_length(text: str, language: str) -> None:
    text = (text * 15_000)[:8_000]
    started = time.process_time()
    normalize(text, language)
    assert time.process_time() - started < 3.0  # up to 11 s when rules looked at all that is before


@pytest.mark.parametrize("group", [",111", ",11", ".111", " 111", "，111", "'111"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_number_of_many_groups_is_read(group: str, language: str) -> None:
    for count in (*range(1, 30), 1_500):
        assert normalize(f"1{group * count},111th", language).text


@pytest.mark.parametrize(
    ("language", "text", "spoken"),
    [
        ("en-us", "10%-20% off", "ten to twenty percent off"),
        ("es", "10%-20%", "diez a veinte por ciento"),
        ("fr", "10 % – 20 %", "dix à vingt pour cent"),
        ("hi", "10%-20%", "दस से बीस प्रतिशत"),
        ("en-us", "Add ½ cup, or ¼.", "Add one half cup, or one quarter."),
        ("es", "con ½ kilo", "con medio kilo"),
        ("hi", "लगभग ½", "लगभग आधा"),
        ("en-us", "It takes 5 min. Then rest.", "It takes five minutes. Then rest."),
        ("fr", "Ça dure 5 min.", "Ça dure cinq minutes."),
        ("zh", "分数是100，200，300。", "分数是一百，二百，三百。"),
        ("zh", "他今年20，100岁", "他今年二十，一百岁"),
    ],
)
def test_what_a_newcomer_found_misread(language: str, text: str, spoken: str) -> None:
    assert normalize(text, language).text == spoken


@pytest.mark.parametrize("language", ["en-us", "es", "hi", "zh", "ja"])
@pytest.mark.parametrize("blank", [" ", "\t", "\u00a0", "\u3000", " \t"])
def test_many_blanks_are_one_and_cost_no_more_than_their_number(language: str, blank: str) -> None:
    began_s = time.process_time()
    assert normalize(f"a{blank * 30_000}b", language).text == normalize("a b", language).text
    # A minute when it was quadratic.
    assert time.process_time() - began_s < 5.0

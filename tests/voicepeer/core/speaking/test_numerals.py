"""Number words of both languages, read back by an independent little parser."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.speaking.english import numerals as english
from voicepeer.core.speaking.spanish import numerals as spanish

pytestmark = pytest.mark.unit

ENGLISH = {
    **{word: n for n, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen".split())},
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
}  # fmt: skip
SCALES = {name: 1000**n for n, name in enumerate(
    "thousand million billion trillion quadrillion quintillion".split(), 1)}  # fmt: skip


def english_value(said: str) -> int:
    total = group = 0
    for word in said.replace("-", " ").split():
        if word in ENGLISH:
            group += ENGLISH[word]
        elif word == "hundred":
            group *= 100
        else:
            total, group = total + group * SCALES[word], 0
    return total + group


@given(st.integers(0, english.MAX_CARDINAL - 1))
def test_english_cardinals_mean_their_number(number: int) -> None:
    assert english_value(english.cardinal(number)) == number


@given(st.integers(1, 10**9))
def test_negative_numbers_begin_with_minus(number: int) -> None:
    assert english.cardinal(-number) == f"minus {english.cardinal(number)}"
    assert spanish.cardinal(-number) == f"menos {spanish.cardinal(number)}"


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (1, "first"),
        (2, "second"),
        (3, "third"),
        (5, "fifth"),
        (8, "eighth"),
        (9, "ninth"),
        (12, "twelfth"),
        (20, "twentieth"),
        (21, "twenty-first"),
        (40, "fortieth"),
        (100, "one hundredth"),
        (111, "one hundred eleventh"),
        (1000, "one thousandth"),
    ],
)
def test_english_ordinals(number: int, said: str) -> None:
    assert english.ordinal(number) == said


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (476, "four hundred seventy-six"),
        (1000, "one thousand"),
        (1066, "ten sixty-six"),
        (1900, "nineteen hundred"),
        (1905, "nineteen oh five"),
        (1984, "nineteen eighty-four"),
        (2000, "two thousand"),
        (2009, "two thousand nine"),
        (2010, "twenty ten"),
        (2100, "twenty-one hundred"),
        (12345, "twelve thousand three hundred forty-five"),
    ],
)
def test_years(number: int, said: str) -> None:
    assert english.year(number) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,234.5", "one thousand two hundred thirty-four point five"),
        (".05", "point zero five"),
        ("007", "zero zero seven"),
        ("0", "zero"),
        ("0.0", "zero point zero"),
        ("10.", "ten"),
    ],
)
def test_english_decimals(text: str, said: str) -> None:
    assert english.decimal(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("7", "seven"),
        ("42", "forty-two"),
        ("150", "one fifty"),
        ("105", "one oh five"),
        ("300", "three hundred"),
        ("1080", "ten eighty"),
        ("4000", "four thousand"),
        ("05", "zero five"),
        ("12345", "one two three four five"),
    ],
)
def test_numbers_in_names(text: str, said: str) -> None:
    assert english.grouped(text) == said


def test_plurals_of_numbers() -> None:
    assert english.plural("sixty") == "sixties"
    assert english.plural("six") == "sixes"
    assert english.plural("nineteen hundred") == "nineteen hundreds"


def to_roman(number: int) -> str:
    pairs = [(50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]
    written = ""
    for value, letters in pairs:
        while number >= value:
            written, number = written + letters, number - value
    return written


@given(st.integers(1, 89))
def test_roman_numerals_are_read_back(number: int) -> None:
    assert english.roman(to_roman(number)) == number


@pytest.mark.parametrize("text", ["", "IIII", "VV", "IC", "LIVE", "MIX", "XIVI", "iv", "ABC", "LL"])
def test_what_is_no_canonical_roman_numeral(text: str) -> None:
    assert english.roman(text) is None


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "cero"),
        (16, "dieciséis"),
        (22, "veintidós"),
        (31, "treinta y uno"),
        (100, "cien"),
        (101, "ciento uno"),
        (555, "quinientos cincuenta y cinco"),
        (700, "setecientos"),
        (900, "novecientos"),
        (1000, "mil"),
        (1001, "mil uno"),
        (21_000, "veintiún mil"),
        (31_031, "treinta y un mil treinta y uno"),
        (100_000, "cien mil"),
        (10**6, "un millón"),
        (21 * 10**6, "veintiún millones"),
        (2_500_001, "dos millones quinientos mil uno"),
    ],
)
def test_spanish_cardinals(number: int, said: str) -> None:
    assert spanish.cardinal(number) == said


@given(st.integers(0, spanish.MAX_CARDINAL - 1))
def test_spanish_numbers_before_a_noun_never_end_in_uno(number: int) -> None:
    assert not spanish.before_noun(number).endswith("uno")
    assert not spanish.before_noun(number, feminine=True).endswith(("uno", "cientos"))


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_different_spanish_numbers_are_said_differently(first: int, second: int) -> None:
    assert (spanish.cardinal(first) == spanish.cardinal(second)) == (first == second)


@pytest.mark.parametrize(
    ("number", "ending", "said"),
    [
        (1, "o", "primero"),
        (1, "er", "primer"),
        (3, "er", "tercer"),
        (2, "a", "segunda"),
        (20, "os", "vigésimos"),
        (21, "o", None),
        (0, "o", None),
    ],
)
def test_spanish_ordinals(number: int, ending: str, said: str | None) -> None:
    assert spanish.ordinal(number, ending) == said


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("1.234", (1234, "", "")),
        ("1.234,5", (1234, "coma", "5")),
        ("3,14", (3, "coma", "14")),
        ("3.14", (3, "punto", "14")),
        ("3.1416", (3, "punto", "1416")),
        ("1234.567", (1234, "punto", "567")),
        ("007", (None, "", "")),
        ("0,5", (0, "coma", "5")),
    ],
)
def test_spanish_marks_in_numbers(text: str, parsed: tuple[int | None, str, str]) -> None:
    assert spanish.parse(text) == parsed


@given(st.text(alphabet="0123456789.,", min_size=1, max_size=12).filter(lambda t: t[0].isdigit()))
def test_digits_of_anything_are_read(text: str) -> None:
    count = sum(char.isdigit() for char in text)
    assert len(english.digits(text).split()) == len(spanish.digits(text).split()) == count

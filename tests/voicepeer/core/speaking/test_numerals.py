"""Number words of both languages, read back by an independent little parser."""

from __future__ import annotations

import re
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.speaking.english import numerals as english
from voicepeer.core.speaking.french import numerals as french
from voicepeer.core.speaking.french.reading import LOCALE as FRENCH
from voicepeer.core.speaking.hindi import numerals as hindi
from voicepeer.core.speaking.italian import numerals as italian
from voicepeer.core.speaking.portuguese import numerals as portuguese
from voicepeer.core.speaking.roman import roman
from voicepeer.core.speaking.romance import quantity
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
        (21, "o", "vigésimo primero"),
        (25, "a", "vigésima quinta"),
        (100, "º", "centésimo"),
        (1, "ra", "primera"),
        (7, "mo", "séptimo"),
        (33, "er", "trigésimo tercer"),
        (1001, "o", None),
        (0, "o", None),
    ],
)
def test_spanish_ordinals(number: int, ending: str, said: str | None) -> None:
    assert spanish.ordinal(number, ending) == said


ROMANCE = [spanish, french, italian, portuguese]


@pytest.mark.parametrize(
    ("number", "in_french", "in_italian", "in_portuguese"),
    [
        (0, "zéro", "zero", "zero"),
        (1, "un", "uno", "um"),
        (16, "seize", "sedici", "dezesseis"),
        (21, "vingt et un", "ventuno", "vinte e um"),
        (38, "trente-huit", "trentotto", "trinta e oito"),
        (43, "quarante-trois", "quarantatré", "quarenta e três"),
        (71, "soixante et onze", "settantuno", "setenta e um"),
        (80, "quatre-vingts", "ottanta", "oitenta"),
        (81, "quatre-vingt-un", "ottantuno", "oitenta e um"),
        (97, "quatre-vingt-dix-sept", "novantasette", "noventa e sete"),
        (100, "cent", "cento", "cem"),
        (101, "cent un", "centouno", "cento e um"),
        (200, "deux cents", "duecento", "duzentos"),
        (203, "deux cent trois", "duecentotré", "duzentos e três"),
        (1000, "mille", "mille", "mil"),
        (1001, "mille un", "milleuno", "mil e um"),
        (2000, "deux mille", "duemila", "dois mil"),
        (80_000, "quatre-vingt mille", "ottantamila", "oitenta mil"),
        (200_000, "deux cent mille", "duecentomila", "duzentos mil"),
        (10**6, "un million", "un milione", "um milhão"),
        (80 * 10**6, "quatre-vingts millions", "ottanta milioni", "oitenta milhões"),
        (2 * 10**9, "deux milliards", "due miliardi", "dois bilhões"),
        (1_000_100, "un million cent", "un milione cento", "um milhão e cem"),
        (-3, "moins trois", "meno tre", "menos três"),
        (10**12, "un" + " zéro" * 12, "uno" + " zero" * 12, "um" + " zero" * 12),
    ],
)
def test_romance_cardinals(
    number: int, in_french: str, in_italian: str, in_portuguese: str
) -> None:
    assert french.cardinal(number) == in_french
    assert italian.cardinal(number) == in_italian
    assert portuguese.cardinal(number) == in_portuguese


@pytest.mark.parametrize("language", ROMANCE, ids=lambda module: module.__name__.split(".")[-2])
@given(st.integers(0, 10**12 - 1), st.integers(0, 10**12 - 1))
def test_different_numbers_are_said_differently(
    language: ModuleType, first: int, second: int
) -> None:
    assert (language.cardinal(first) == language.cardinal(second)) == (first == second)


@pytest.mark.parametrize("language", ROMANCE, ids=lambda module: module.__name__.split(".")[-2])
@given(st.integers(0, 999), st.integers(0, 999))
def test_thousands_are_said_before_the_rest(
    language: ModuleType, thousands: int, rest: int
) -> None:
    said = language.cardinal(thousands * 1000 + rest)
    assert said.endswith(language.cardinal(rest)[-2:]) or rest == 0
    assert ("mil" in said) == (thousands > 0)


@pytest.mark.parametrize(
    ("language", "number", "ending", "said"),
    [
        (french, 1, "er", "premier"),
        (french, 1, "re", "première"),
        (french, 2, "nd", "second"),
        (french, 4, "e", "quatrième"),
        (french, 5, "es", "cinquièmes"),
        (french, 9, "e", "neuvième"),
        (french, 21, "e", "vingt et unième"),
        (french, 80, "e", "quatre-vingtième"),
        (french, 200, "e", "deux centième"),
        (french, 0, "e", None),
        (italian, 3, "a", "terza"),
        (italian, 11, "o", "undicesimo"),
        (italian, 23, "o", "ventitreesimo"),
        (italian, 26, "ª", "ventiseiesima"),
        (italian, 1000, "º", "millesimo"),
        (italian, 2000, "º", "duemillesimo"),
        (italian, 0, "o", None),
        (portuguese, 3, "ª", "terceira"),
        (portuguese, 23, "o", "vigésimo terceiro"),
        (portuguese, 90, "º", "nonagésimo"),
        (portuguese, 100, "º", "centésimo"),
        (portuguese, 215, "ª", "ducentésima décima quinta"),
        (portuguese, 2, "ªs", "segundas"),
        (portuguese, 1001, "º", None),
    ],
)
def test_romance_ordinals(language: ModuleType, number: int, ending: str, said: str | None) -> None:
    assert language.ordinal(number, ending) == said


@pytest.mark.parametrize(
    ("language", "number", "masculine", "feminine"),
    [
        (french, 21, "vingt et un", "vingt et une"),
        (french, 81, "quatre-vingt-un", "quatre-vingt-une"),
        (french, 11, "onze", "onze"),
        (italian, 1, "un", "una"),
        (italian, 21, "ventuno", "ventuno"),
        (portuguese, 2, "dois", "duas"),
        (portuguese, 201, "duzentos e um", "duzentas e uma"),
        (portuguese, 2_000_002, "dois milhões e dois", "dois milhões e duas"),
        (spanish, 21, "veintiún", "veintiuna"),
        (spanish, 200_000_500, "doscientos millones quinientos", "doscientos millones quinientas"),
    ],
)
def test_numbers_before_a_noun(
    language: ModuleType, number: int, masculine: str, feminine: str
) -> None:
    assert language.before_noun(number) == masculine
    assert language.before_noun(number, feminine=True) == feminine


@pytest.mark.parametrize(
    ("text", "whole", "mark", "fraction"),
    [
        ("1.234", 1234, "", ""),
        ("1 234", 1234, "", ""),
        ("1.234,5", 1234, ",", "5"),
        ("3,14", 3, ",", "14"),
        ("3.14", 3, ".", "14"),
        ("3.1416", 3, ".", "1416"),
        ("1234.567", 1234, ".", "567"),
        ("007", None, "", ""),
        ("0,5", 0, ",", "5"),
        ("1234567890", None, "", ""),
        ("1.234.567.890", 1234567890, "", ""),
    ],
)
def test_marks_in_romance_numbers(text: str, whole: int | None, mark: str, fraction: str) -> None:
    found = quantity.parse(text)
    assert (found.whole, found.mark, found.fraction) == (whole, mark, fraction)


@given(st.text(alphabet="0123456789., ", max_size=30))
def test_whatever_looks_like_a_number_is_read(text: str) -> None:
    reader = quantity.Reader(FRENCH)
    for match in re.finditer(quantity.NUMBER, text):
        assert quantity.parse(match.group()).written == match.group()
        assert not re.search(r"\d", reader.plain(match.group()))


@given(st.text(alphabet="0123456789.,", min_size=1, max_size=12).filter(lambda t: t[0].isdigit()))
def test_digits_of_anything_are_read(text: str) -> None:
    count = sum(char.isdigit() for char in text)
    reader = quantity.Reader(FRENCH)
    assert len(english.digits(text).split()) == len(reader.digits(text).split()) == count


@pytest.mark.parametrize("value", range(1, 40))
def test_roman_numerals_below_forty(value: int) -> None:
    tens, units = divmod(value, 10)
    numeral = "X" * tens + ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"][units]
    assert roman(numeral) == value


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "शून्य"),
        (79, "उनासी"),
        (89, "नवासी"),
        (100, "एक सौ"),
        (1001, "एक हज़ार एक"),
        (99_999, "निन्यानवे हज़ार नौ सौ निन्यानवे"),
        (100_000, "एक लाख"),
        (10**7, "एक करोड़"),
        (10**9, "एक अरब"),
        (-3, "माइनस तीन"),
        (10**13, "एक" + " शून्य" * 13),
    ],
)
def test_hindi_cardinals(number: int, said: str) -> None:
    assert hindi.cardinal(number) == said


def test_hindi_numbers_below_a_hundred_all_differ() -> None:
    assert len({hindi.cardinal(number) for number in range(100)}) == 100


@pytest.mark.parametrize(
    ("number", "said"),
    [(1947, "उन्नीस सौ सैंतालीस"), (1900, "उन्नीस सौ"), (2000, "दो हज़ार"), (2026, "दो हज़ार छब्बीस")],
)
def test_hindi_years(number: int, said: str) -> None:
    assert hindi.year(number) == said


@pytest.mark.parametrize(
    ("number", "ending", "said"),
    [(1, "ली", "पहली"), (4, "थे", "चौथे"), (6, "ठा", "छठा"), (5, "वाँ", "पाँचवाँ"), (0, "वाँ", None)],
)
def test_hindi_ordinals(number: int, ending: str, said: str | None) -> None:
    assert hindi.ordinal(number, ending) == said

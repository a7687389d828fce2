from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.speaking.english import numerals
from voicepeer.core.speaking.normalize import normalize

pytestmark = pytest.mark.unit


def indian(number: int) -> str:
    """Digits as they are grouped in South Asia."""
    head, last = divmod(number, 1000)
    groups = [f"{last:03}"]
    while head >= 100:
        head, pair = divmod(head, 100)
        groups.append(f"{pair:02}")
    return ",".join([str(head), *reversed(groups)])


@given(st.integers(100_000, 999_999_999))
def test_indian_groups_are_read_by_lakhs_and_crores(number: int) -> None:
    crores, rest = divmod(number, 10_000_000)
    lakhs, rest = divmod(rest, 100_000)
    parts = [(crores, " crore"), (lakhs, " lakh"), (rest, "")]
    expected = " ".join(numerals.cardinal(part) + name for part, name in parts if part)
    assert numerals.decimal(indian(number)) == expected
    assert normalize(f"₹{indian(number)}", "en-gb").text.endswith(" rupees")


@given(st.integers(1000, 10**12))
def test_groups_of_three_are_read_by_thousands(number: int) -> None:
    assert numerals.whole(f"{number:,}") == numerals.cardinal(number)


@pytest.mark.parametrize(
    ("text", "year"),
    [("MCMXCIV", 1994), ("MDCCLXXVI", 1776), ("MMXXVI", 2026), ("MIX", 1009),
     ("MIM", None), ("XIV", None), ("", None), ("MMMM", None)],
)  # fmt: skip
def test_years_in_roman_numerals(text: str, year: int | None) -> None:
    assert numerals.roman_year(text) == year


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("on 5/6 we met", "on June fifth we met"),
        ("on 25/12", "on December twenty-fifth"),
        ("₹1,00,150", "one lakh one hundred and fifty rupees"),
        ("5 m/s² at 221B", "five meters per second squared at two twenty-one B"),
    ],
)
def test_british_readings(text: str, said: str) -> None:
    assert normalize(text, "en-gb").text == said

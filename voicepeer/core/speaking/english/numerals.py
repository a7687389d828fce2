"""English number words."""

from __future__ import annotations

import re

from voicepeer.core.speaking.roman import roman as roman_value

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen".split()
)
_TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
_SCALES = ("", "thousand", "million", "billion", "trillion", "quadrillion", "quintillion")
_IRREGULAR_ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth",
    "nine": "ninth", "twelve": "twelfth",
}  # fmt: skip
MAX_CARDINAL = 10**21
"""From here on numbers are read digit by digit."""

INDIAN = r"\d{1,2}(?:,\d{2}){1,9},\d{3}"
"""Digits as grouped in South Asia: "12,34,567"."""

NUMBER = rf"(?:{INDIAN}|\d{{1,3}}(?:,\d{{3}}){{1,9}})(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
"""A number as it is written; ``decimal`` reads it."""

_INDIAN = re.compile(INDIAN)
_CANONICAL_ROMAN = re.compile(r"(?=[IVXL])(?:XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_ROMAN_YEAR = re.compile(r"MM?(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")


def _below_hundred(number: int) -> str:
    if number < 20:
        return _UNITS[number]
    tens, units = divmod(number, 10)
    return _TENS[tens] + (f"-{_UNITS[units]}" if units else "")


def _below_thousand(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    if not hundreds:
        return _below_hundred(rest)
    return f"{_UNITS[hundreds]} hundred" + (f" {_below_hundred(rest)}" if rest else "")


def cardinal(number: int) -> str:
    """ "one thousand two hundred thirty-four"; negative numbers begin with "minus"."""
    if number < 0:
        return f"minus {cardinal(-number)}"
    if number >= MAX_CARDINAL:
        return digits(str(number))
    if number == 0:
        return _UNITS[0]
    groups: list[str] = []
    scale = 0
    while number:
        number, group = divmod(number, 1000)
        if group:
            groups.append(f"{_below_thousand(group)} {_SCALES[scale]}".rstrip())
        scale += 1
    return " ".join(reversed(groups))


def _indian(number: int) -> str:
    """By crores (ten million) and lakhs (a hundred thousand)."""
    crores, rest = divmod(number, 10_000_000)
    lakhs, rest = divmod(rest, 100_000)
    said = [f"{cardinal(crores)} crore"] if crores else []
    said += [f"{cardinal(lakhs)} lakh"] if lakhs else []
    return " ".join([*said, cardinal(rest)] if rest or not said else said)


def whole(text: str) -> str:
    """A whole number as written, with or without commas."""
    number = int(text.replace(",", ""))
    return _indian(number) if _INDIAN.fullmatch(text) else cardinal(number)


def ordinal(number: int) -> str:
    """ "twenty-first"."""
    said = cardinal(number)
    cut = max(said.rfind(" "), said.rfind("-")) + 1
    last = said[cut:]
    if last in _IRREGULAR_ORDINALS:
        return said[:cut] + _IRREGULAR_ORDINALS[last]
    return said[:-1] + "ieth" if said.endswith("y") else said + "th"


def year(number: int) -> str:
    """ "nineteen eighty-four", "two thousand six", "twenty twenty-six"."""
    century, rest = divmod(number, 100)
    if not 10 <= century < 100 or number % 1000 < 10:
        return cardinal(number)
    if rest == 0:
        return f"{cardinal(century)} hundred"
    return f"{cardinal(century)} {_below_hundred(rest) if rest > 9 else 'oh ' + _UNITS[rest]}"


def plural(said: str) -> str:
    """Plural of a number's last word ("nineties", "hundreds")."""
    if said.endswith("y"):
        return said[:-1] + "ies"
    return said + ("es" if said.endswith(("x", "s")) else "s")


def digits(text: str) -> str:
    """Digits one by one; other characters are passed over."""
    return " ".join(_UNITS[int(char)] for char in text if char in "0123456789")


def decimal(text: str) -> str:
    """A number as written, with commas and at most one point: "1,234.5", ".5"."""
    before, point, fraction = text.partition(".")
    if len(before) > 1 and before.startswith("0") and not point:
        return digits(before)
    said = whole(before) if before else ""
    return f"{said} point {digits(fraction)}".strip() if fraction else said


def grouped(text: str) -> str:
    """A number in a name or a code: up to two digits together, "0" first digit by digit."""
    if text.startswith("0") or len(text) > 4:
        return digits(text)
    if len(text) == 4 and not text.endswith("000"):
        return year(int(text))
    if len(text) == 3 and not text.endswith("00"):
        rest = int(text[1:])
        return (
            f"{_UNITS[int(text[0])]} {_below_hundred(rest) if rest > 9 else f'oh {_UNITS[rest]}'}"
        )
    return cardinal(int(text))


def roman(text: str) -> int | None:
    """Value of a canonical Roman numeral below ninety; None for anything else."""
    return roman_value(text) if text and _CANONICAL_ROMAN.fullmatch(text) else None


def roman_year(text: str) -> int | None:
    """Value of a canonical Roman numeral from 1000 to 2999; None for anything else."""
    return roman_value(text) if _ROMAN_YEAR.fullmatch(text) else None

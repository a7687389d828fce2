"""What the rules of a language need to know of it: words and small decisions, no patterns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from voicepeer.core.speaking.rule import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Locale:
    """One language. Mappings go from what is written to what is said."""

    cardinal: Callable[[int], str]
    digits: Callable[[str], str]
    """Digits one by one."""
    phone_digits: Callable[[str], str]
    decimals: Callable[[str], str]
    """The digits behind a point."""
    before: Callable[[str, str], str | None]
    """A number by the characters that follow it, where they change how it is read."""

    point: str
    dot: str
    """Between the numbers of a version."""
    minus: str
    plus: str
    """The sign of a positive number."""
    upto: str
    part_of: str
    """Between the numbers of a figure: "图3-1"."""
    figures: str
    """Pattern of words before such numbers."""
    pages: Callable[[str], str]
    buildings: tuple[str, ...]
    """What a dash behind does not make a range: parts of an address."""
    signed: str
    """A character behind which a dash before a number is a sign and no part of a name."""
    counters: str
    """Pattern of what numbers count, which no result of a match has behind it."""
    results: str
    """Pattern of words near a result of a match."""
    results_after: str
    """Pattern of words right behind one."""
    ratios: str
    """Pattern of words before two numbers that are compared."""
    percent: Callable[[str], str]
    permille: Callable[[str], str]
    degrees: Callable[[str, str], str]
    """Said number, and the scale: "C", "F", "K" or empty."""
    below_zero: str
    """Before a negative temperature."""
    fraction: Callable[[str, str], str]
    """Said numerator and denominator."""
    ratio: str
    power: Callable[[str], str]
    """What is said behind a base for a said exponent."""
    about: str
    """The wavy line before a single number."""
    ordinal: Callable[[str], str]
    numbered: Callable[[str], str]
    """The number behind "No."."""

    year: Callable[[str], str]
    date: Callable[[str | None, int, int], str]
    """Year as it is said, month and day."""
    time: Callable[[int, int, int | None], str]
    morning: str
    afternoon: str

    spelled: Mapping[str, str]
    """Names of the marks in addresses."""
    at: str
    hashtag: str
    version: str
    phone: str
    """Pattern of telephone numbers as they are written in the country."""
    emergency: str
    """Pattern of what is before a number that is dialled, and the number as a group."""

    codes_after: str
    """Pattern of words behind which a number is a code, read digit by digit."""

    currencies: Mapping[str, str]
    signs: str
    """Pattern of a currency before its amount."""
    codes: str
    """Pattern of a currency behind its amount."""
    scales: str
    """Pattern of a multiplier in the language's own characters."""
    units: Mapping[str, str]
    per: Callable[[str, str], str]
    """A measure and the unit below its slash."""

    symbols: Mapping[str, str]
    extra: tuple[Rule, ...] = field(default=())
    """Rules of the language alone; they come after addresses and dates."""

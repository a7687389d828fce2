"""What the rules of a language need to know of it: words and small decisions, no patterns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from voicepeer.core.speaking.rule import Rule


class Noun(NamedTuple):
    """Something that is counted."""

    one: str
    many: str
    feminine: bool = False


class Currency(NamedTuple):
    """A currency, and its hundredth part where that is named."""

    name: Noun
    cent: Noun | None = None
    small: Noun | None = None
    """The hundredth where it is named only when it stands alone ("cincuenta céntimos")."""


class Scale(NamedTuple):
    """A multiplier, such as "millions", and whether "of" comes between it and a noun."""

    one: str
    many: str
    of: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Locale:
    """One language. Mappings go from what is written to what is said."""

    cardinal: Callable[[int], str]
    """A whole number that stands alone."""
    before_noun: Callable[[int, bool], str]
    """A whole number before a masculine (False) or feminine noun."""
    ordinal: Callable[[int, str], str | None]
    """An ordinal with its written ending; None where there is none."""
    ordinal_endings: str
    """Pattern of what is written behind digits to make them ordinal."""
    ordinal_before_noun: str = "º"
    """The ending that asks for the form before a masculine noun ("tercer piso")."""
    short_ordinal_endings: str = r"(?!)"
    """Pattern of letters that are typed for the signs of ordinals: "10o lugar"."""
    roman_endings: str = r"\.?[ºª]"
    """The same behind Roman numerals."""
    is_feminine: Callable[[str], bool]
    """Whether the word that follows a number looks feminine."""
    plural_endings: tuple[str, ...] = ("s", "x")
    singular: Callable[[str], str]
    """One of what a plural names, so far as its ending tells; else the word itself."""

    comma: str
    point: str
    minus: str
    times: Noun
    """What "x" behind a factor is: "2,5x"."""
    by: str
    """Between the sides of something: "1920x1080"."""
    upto: str
    between: str
    """Pattern of words behind which a range has "and" instead."""
    out_of: str
    """Between marks and the best mark: "15/20"."""
    score_words: str
    """Pattern of words behind which a fraction is a mark."""
    power: str
    """Before an exponent."""
    percent: str
    degree: Noun
    number: str
    """The word for "No."."""
    version: str
    hashtag: str
    at: str
    spelled: Mapping[str, str]
    """Names of the marks in addresses."""

    date: Callable[[int, int, int | None], str]
    """Day, month from 1 to 12, and year."""
    months: str
    """Pattern of the names of months."""
    month_abbreviations: Mapping[str, str]
    """Short names of months, without a period."""
    before_date: str
    """Pattern of words behind which "3/4" is a day."""
    before_improper: str
    """Pattern of words behind which only "12/10" is one, which is no part of a whole."""
    weekdays: Mapping[str, str]
    """Short names of the days of the week, without a period, and their names."""
    pressure: str
    """Pattern of what blood pressure is called, of which "12/8" is said in two numbers."""
    pressure_link: str = " "
    """Between them."""
    day_parts: tuple[str, str, str]
    """What "a.m." is, and "p.m." in the afternoon and from eight on."""
    time_before: str = r"(?!)"
    """Pattern of words behind which "17.45" is a time."""
    laws: str
    """Pattern of what is numbered within a year: "Ley 39/2015"."""
    law_link: str
    """Between such a number and its year."""
    time: Callable[[int, int], str]
    hour_marks: str
    """Pattern of what may stand between hours and minutes besides a colon."""
    after_time: str
    """Pattern of a word behind a time that is part of it, such as " h"."""

    currencies: Mapping[str, Currency]
    sign: str
    """Pattern of a currency before its amount."""
    code: str
    """Pattern of a currency behind its amount."""
    cents_link: str
    """What is between an amount and its cents."""
    scales: Mapping[str, Scale]
    of: Callable[[str], str]
    """A noun with "of" before it."""
    units: Mapping[str, Noun]
    per: Mapping[str, str]
    """Units below a slash, with their "per"."""
    per_unit: Callable[[Noun], str]
    """ "Per" and a unit that is not in ``per``."""
    centimetres_link: str
    """Between metres and centimetres: "1m75"."""

    half: tuple[str, str]
    """What half is behind a masculine and a feminine noun: "y medio", "y media"."""
    half_of: Callable[[str, bool, bool], str]
    """Half of a noun, feminine or not, with a determiner before it or not."""
    determiners: str = r"(?!)"
    """Pattern of the determiners after which "half" is said in another way."""
    fraction: Callable[[int, int], str | None]
    link: str
    """ "And", with its blanks."""
    roman_before: str
    """Pattern of words behind which a Roman numeral is a number."""
    roman_ordinal_after: str
    """Pattern of what follows a Roman numeral that is an ordinal ("XX secolo")."""
    roman_ordinal_before: str = r"(?!)"
    """Pattern of words behind which a Roman numeral is an ordinal ("secolo XX")."""
    regnal: Callable[[int, bool], str]
    """The number of a king or, if True, a queen."""
    regnal_names: str
    """Pattern of names behind which even "I" and "V" are numbers."""

    abbreviations: Mapping[str, str]
    """Without the final period; they may begin with a capital, too."""
    before_numbers: Mapping[str, str]
    """Abbreviations that are such only before digits or a Roman numeral."""
    ending_abbreviations: frozenset[str]
    """Those whose period may end a sentence as well."""
    symbols: Mapping[str, str]
    phone: str
    """Pattern of telephone numbers as they are written in the country."""
    singular_below_two: bool = False
    """Whether 0 and 1.5 take the singular as well as 1."""
    phone_pairs: bool = False
    """Whether groups of two digits are read as numbers."""
    extra: tuple[Rule, ...] = field(default=())
    """Rules of the language alone; they come first."""

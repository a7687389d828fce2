"""How dates, years and times are said."""

from __future__ import annotations

import re

from voicepeer.core.speaking.english import numerals
from voicepeer.core.speaking.rule import Rule

_MONTHS = (
    "January February March April May June July August September October November December".split()
)
_SHORT_MONTHS = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9,
    "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
_MONTH_NUMBERS = {month.lower(): index for index, month in enumerate(_MONTHS, 1)} | _SHORT_MONTHS
_MONTH = (
    r"(?P<month>(?:January|February|March|April|May|June|July|August|September|October|November|"
    r"December)\b|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?)"
)
_DAY = r"(?P<day>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_WEEKDAYS = {
    "Mon": "Monday", "Tue": "Tuesday", "Tues": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday",
    "Thur": "Thursday", "Thurs": "Thursday", "Fri": "Friday", "Sat": "Saturday", "Sun": "Sunday",
}  # fmt: skip
_HALF_DAY = r"(?P<half>[ap]\.?m\b\.?|[AP]\.?M\b\.?)"


def _month(match: re.Match[str]) -> str:
    return _MONTHS[_MONTH_NUMBERS[match["month"].rstrip(".").lower()] - 1]


def _date(month: int, day: int, year: str | None) -> str | None:
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    said = f"{_MONTHS[month - 1]} {numerals.ordinal(day)}"
    if not year:
        return said
    number = int(year)
    if len(year) == 2:
        number += 2000 if number < 50 else 1900
    return f"{said}, {numerals.year(number)}"


def _iso(match: re.Match[str]) -> str | None:
    said = _date(int(match["month"]), int(match["day"]), match["year"])
    return f"{said}, " if said and match["and_time"] else said


def _day_of_month(match: re.Match[str]) -> str | None:
    said = _date(int(match[2]), int(match[3]), None)
    return f"{match[1]}{said}" if said else None


def _month_first(match: re.Match[str]) -> str | None:
    first, second = int(match[1]), int(match[2])
    return _date(first, second, match[3]) or _date(second, first, match[3])


def _day_first(match: re.Match[str]) -> str | None:
    first, second = int(match[1]), int(match[2])
    return _date(second, first, match[3]) or _date(first, second, match[3])


def _written_month_day(match: re.Match[str]) -> str:
    said = f"{_month(match)} {numerals.ordinal(int(match['day']))}"
    return f"{said}, {numerals.year(int(match['year']))}" if match["year"] else said


def _written_day_month(match: re.Match[str]) -> str:
    said = f"the {numerals.ordinal(int(match['day']))} of {_month(match)}"
    said = said.removeprefix("the ") if match["the"] else said
    return f"{match['the'] or ''}{said}" + (
        f", {numerals.year(int(match['year']))}" if match["year"] else ""
    )


def _written_month_year(match: re.Match[str]) -> str:
    return f"{_month(match)} {numerals.year(int(match['year']))}"


def _decade(match: re.Match[str]) -> str:
    number = match[2]
    said = numerals.year(int(number)) if len(number) == 4 else numerals.cardinal(int(number))
    return numerals.plural(said)


def _short_decade(match: re.Match[str]) -> str:
    return match[1] + numerals.plural(numerals.cardinal(int(match[2])))


def _year_range(match: re.Match[str]) -> str | None:
    first, last = match[1], match[2]
    if len(last) == 4 and int(last) <= int(first):
        return None
    said = numerals.year(int(last)) if len(last) == 4 else numerals.grouped(last)
    return f"{numerals.year(int(first))} to {said}"


def _clock(hours: int, minutes: int) -> str:
    said = numerals.cardinal(hours)
    if minutes == 0:
        return said
    return f"{said} {'oh ' if minutes < 10 else ''}{numerals.cardinal(minutes)}"


def _half(match: re.Match[str]) -> str:
    return "A M" if match["half"][0] in "aA" else "P M"


def _period(match: re.Match[str]) -> str:
    """The period of "p.m." is also that of a sentence that ends with it."""
    rest = match.string[match.end() :]
    ends = match["half"].endswith(".") and (not rest.strip() or re.match(r"\s+[A-Z]", rest))
    return "." if ends else ""


def _time(match: re.Match[str]) -> str | None:
    hours, minutes = int(match["hours"]), int(match["minutes"] or 0)
    if hours > 24 or minutes > 59:
        return None
    if match["half"]:
        return f"{_clock(hours, minutes)} {_half(match)}{_period(match)}"
    seconds = match["seconds"]
    if seconds and int(seconds):
        return f"{_clock(hours, minutes)} and {numerals.cardinal(int(seconds))} seconds"
    if minutes:
        return _clock(hours, minutes)
    return (
        f"{numerals.cardinal(hours)} o'clock" if 0 < hours < 13 else f"{_clock(hours, 0)} hundred"
    )


def _hour(match: re.Match[str]) -> str | None:
    hours = int(match["hours"])
    return f"{numerals.cardinal(hours)} {_half(match)}{_period(match)}" if hours < 25 else None


def _year(match: re.Match[str]) -> str:
    return numerals.year(int(match[1]))


def _weekday(match: re.Match[str]) -> str:
    return _WEEKDAYS[match[1]] + (match[2] or "")


_SLASHED = re.compile(r"(?<![\d/.\w])(\d{1,2})/(\d{1,2})/(\d{4}|\d{2})(?![\d/])")
_BEFORE_DATES = (
    Rule(re.compile(r"(?<![\w.])ca?\.\s?(?=\d{3,4}\b)"), "circa "),
    Rule(
        re.compile(
            r"\b(Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)\.?(,?)"
            r"(?=\s(?:\d|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))"
        ),
        _weekday,
    ),
    Rule(
        re.compile(
            r"(?<![\d-])(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?!\d|-\d)"
            r"(?P<and_time>[T ](?=\d{1,2}:\d\d))?"
        ),
        _iso,
    ),
)
_AFTER_DATES = (
    Rule(re.compile(r"(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d{4})(?![\d.]*\d)"), _day_first),
    Rule(
        re.compile(rf"\b{_MONTH}\s+{_DAY}(?:,?\s+{_YEAR})?(?![\w:%-]|[.,]\d)"), _written_month_day
    ),
    Rule(
        re.compile(rf"\b(?P<the>[Tt]he )?{_DAY}(?: of)?\s+{_MONTH}(?:,?\s+{_YEAR})?(?![\d-])"),
        _written_day_month,
    ),
    Rule(re.compile(rf"\b{_MONTH},?\s+{_YEAR}\b"), _written_month_year),
    Rule(re.compile(r"\b((?:[Tt]he|[Ee]arly|[Ll]ate|[Mm]id)[ -])(\d0)s\b"), _short_decade),
    Rule(re.compile(r"(?<![\w$€£.,])(')?(\d{3}0|(?<=')\d0)'?s\b"), _decade),
    Rule(
        re.compile(
            r"(?<![\w.,/$€£-])(1[1-9]\d\d|20\d\d)\s?[-–]\s?(1[1-9]\d\d|20\d\d|\d\d)(?![\w/:-])"
        ),
        _year_range,
    ),
    Rule(
        re.compile(
            r"(?<![\d:.])(?P<hours>\d{1,2}):(?P<minutes>\d\d)(?::(?P<seconds>\d\d)(?:\.\d+)?)?"
            rf"(?:\s?{_HALF_DAY}|Z\b)?(?![\d:])"
        ),
        _time,
    ),
    Rule(re.compile(rf"(?<![\d:.,])(?P<hours>\d{{1,2}})\s?{_HALF_DAY}"), _hour),
    Rule(re.compile(r"(?<=\b[AP] M)\s?[-–]\s?(?=\w)"), " to "),
    Rule(
        re.compile(
            r"(?<![\w.,:/$€£#+–-])(1[5-9]\d\d|20\d\d)(?![\w:%°/]|[.,]\d|-\d)"
            r"(?!\s?(?:%|°|[kKMGT]?Hz|[kmcn]?m\b|[kKMGT]i?B\b|kg\b|g\b|ms\b|miles|meters|dollars|"
            r"people|bytes|times|points|steps|words|characters|calories|feet|pounds|RPM|rpm|ml\b))"
        ),
        _year,
    ),
)

_SHORT_SLASHED = re.compile(
    r"\b((?:[Oo]n|[Bb]y|[Ss]ince|[Uu]ntil|[Bb]efore|[Aa]fter|[Dd]ue|[Tt]hrough) )"
    r"(\d{1,2})/(\d{1,2})(?![\d/])"
)

MONTH_FIRST = (
    *_BEFORE_DATES,
    Rule(_SLASHED, _month_first),
    Rule(_SHORT_SLASHED, _day_of_month),
    *_AFTER_DATES,
)
"""American order: 8/17/2026."""

DAY_FIRST = (*_BEFORE_DATES, Rule(_SLASHED, _day_first), *_AFTER_DATES)
"""British order: 17/8/2026."""

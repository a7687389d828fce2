"""How dates and years are said."""

from __future__ import annotations

import re

from voicepeer.core.speaking.english import numerals, times
from voicepeer.core.speaking.rule import Rule

_MONTHS = (
    "January February March April May June July August September October November December".split()
)
_SHORT_MONTHS = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9,
    "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
_SHORT_NAMES, _MONTH_NAMES = "|".join(_SHORT_MONTHS), "|".join(_MONTHS)
_MONTH_NUMBERS = {month.lower(): index for index, month in enumerate(_MONTHS, 1)} | _SHORT_MONTHS
_MONTH = (
    r"(?P<month>(?:January|February|March|April|May|June|July|August|September|October|November|"
    r"December)\b|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?)"
)
_DAY = r"(?P<day>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_MONTH_NAME = _MONTH.replace("(?P<month>", "(?:")
_DAY_NAME = r"(?:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)"
_WEEKDAYS = {
    "Mon": "Monday", "Tue": "Tuesday", "Tues": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday",
    "Thur": "Thursday", "Thurs": "Thursday", "Fri": "Friday", "Sat": "Saturday", "Sun": "Sunday",
}  # fmt: skip


_FASHIONS = (
    r"(?:music|pop|rock|disco|kids?|hits?|movies?|films?|fashion|styles?|shows?|songs?|bands?|era|"
    r"cartoons?|sitcoms?|party|icons?|teens?|nostalgia|child|dance|vibes?|aesthetic)"
)


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


def _iso_month(match: re.Match[str]) -> str | None:
    """ "2024-06" is a month; "2005-06" are two years."""
    year, month = int(match[1]), int(match[2])
    if month == (year + 1) % 100 or not 1 <= month <= 12:
        return None
    return f"{_MONTHS[month - 1]} {numerals.year(year)}"


def _days(match: re.Match[str]) -> str | None:
    """ "May 5–7" and "5–7 May"."""
    first, last = int(match["first"]), int(match["last"])
    if not 0 < first < last < 32:
        return None
    said = f"{numerals.ordinal(first)} to {numerals.ordinal(last)}"
    year = f", {numerals.year(int(match['year']))}" if match["year"] else ""
    if match.start("month") < match.start("first"):
        return f"{_month(match)} {said}{year}"
    return f"the {said} of {_month(match)}{year}"


def _short_month(match: re.Match[str]) -> str:
    return _MONTHS[_MONTH_NUMBERS[match[1].lower()] - 1]


def _written_month(match: re.Match[str]) -> str:
    name = match["month"] or match["alone"] or match["also"]
    return _MONTHS[_MONTH_NUMBERS[name.rstrip(".").lower()] - 1]


def _short_year(match: re.Match[str]) -> str:
    return f"{match[1]} {_two_digits(match[2], match[3])}"


def _apostrophe_year(match: re.Match[str]) -> str:
    return _two_digits(match[1], match[2])


def _two_digits(tens: str, units: str) -> str:
    """The end of a year."""
    return f"oh {numerals.digits(units)}" if tens == "0" else numerals.cardinal(int(tens + units))


def _season(match: re.Match[str]) -> str | None:
    """ "2020/21"."""
    if int(match[2]) != (int(match[1]) + 1) % 100:
        return None
    return f"{numerals.year(int(match[1]))} to {numerals.grouped(match[2])}"


def _day_of_month(match: re.Match[str]) -> str | None:
    first, second = int(match[2]), int(match[3])
    said = _date(first, second, None) or _date(second, first, None)
    return f"{match[1]}{said}" if said else None


def _month_of_day(match: re.Match[str]) -> str | None:
    first, second = int(match[2]), int(match[3])
    said = _date(second, first, None) or _date(first, second, None)
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


def _early_year(match: re.Match[str]) -> str:
    return numerals.year(int(match.group()))


def _year(match: re.Match[str]) -> str:
    return numerals.year(int(match[1]))


def _weekday(match: re.Match[str]) -> str:
    return _WEEKDAYS[match[1] or match[3]] + (match[2] or "")


_SLASHED = re.compile(r"(?<![\d/.\w])(\d{1,2})/(\d{1,2})/(\d{4}|\d{2})(?![\d/])")
_BEFORE_DATES = (
    Rule(re.compile(r"(?<![\w.])ca?\.\s?(?=\d{3,4}\b)"), "circa "),
    Rule(
        re.compile(
            rf"\b({_DAY_NAME[3:-1]})\b\.?()(?=\s?(?:[-–—/&,]|and|or|to|through)\s?{_DAY_NAME}\b)"
        ),
        _weekday,
    ),
    Rule(
        re.compile(
            rf"(?:(?<=day[-–—/&,])|(?<=day [-–—&] )|(?<=day or )|(?<=day to )|(?<=day, )"
            rf"|(?<=day and )|(?<=day through ))({_DAY_NAME[3:-1]})\b\.?(?!\w)()"
        ),
        _weekday,
    ),
    Rule(
        re.compile(
            rf"\b({_DAY_NAME[3:-1]})\.?(,?)"
            r"(?=\s(?:\d|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))"
        ),
        _weekday,
    ),
    Rule(re.compile(r"\b(Tues|Thurs?)\b(?:\.(?=,|\s+[a-z]))?()"), _weekday),
    Rule(
        re.compile(
            rf"(?:(?<=\b[Oo]n )|(?<=\b[Bb]y )|(?<=\b(?:[Tt]his|[Nn]ext|[Ll]ast) )|(?<=\b[Ee]very )"
            rf"|(?<=\b[Uu]ntil ))({_DAY_NAME[3:-1]})\b(?:\.(?=,|\s+[a-z0-9]))?()"
            rf"|\b(Mon|Tue|Wed|Thu|Fri|Sat)\.(?=\s+[a-z])()"
        ),
        _weekday,
    ),
    Rule(re.compile(rf"(?<=day)\s?[-–—]\s?(?=(?:{'|'.join(_WEEKDAYS.values())})\b)"), " to "),
    Rule(
        re.compile(rf"\b({_SHORT_NAMES})\b\.?(?=\s?[-–—/]\s?{_MONTH_NAME})", re.IGNORECASE),
        _short_month,
    ),
    Rule(
        re.compile(
            rf"(?:(?<=[a-z][-–—/])|(?<=[a-z] [-–—] ))({_SHORT_NAMES})\b\.?(?! \d)", re.IGNORECASE
        ),
        _short_month,
    ),
    Rule(re.compile(rf"\b({_MONTH_NAMES})\s?[-–—]\s?(?=(?:{_MONTH_NAMES})\b)"),
         lambda match: f"{match[1]} to "),
    Rule(
        re.compile(
            r"(?<![\d/-])(?P<year>\d{4})([-/])(?P<month>\d{2})\2(?P<day>\d{2})(?![\d/]|-\d)"
            r"(?P<and_time>[T ](?=\d{1,2}:\d\d))?"
        ),
        _iso,
    ),
    Rule(re.compile(r"(?<![\w/.-])((?:19|20)\d\d)-(\d\d)(?![\w/:-]|\.\d)"), _iso_month),
    Rule(re.compile(r"(?<![\w/.-])((?:19|20)\d\d)/(\d\d)(?![\w/:-]|\.\d)"), _season),
    Rule(
        re.compile(
            rf"(?<=\d)-(?=(?:{_SHORT_NAMES})-\d{{2,4}}\b)"
            r"|(?<=\d[- ](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))-(?=\d{4}\b)",
            re.IGNORECASE,
        ),
        " ",
    ),
)  # fmt: skip
_DATE_LINKS = (
    Rule(
        re.compile(
            rf"(?:(?<=\d)|(?<=\d(?:st|nd|rd|th)))\s?[-–—]\s?(?={_MONTH_NAME} \d)"
            rf"|(?<=[a-z.])\s?[–—]\s?(?=\d{{1,2}}(?:st|nd|rd|th)? {_MONTH_NAME})"
        ),
        " to ",
    ),
    Rule(
        re.compile(
            rf"\b{_MONTH}\s+(?P<first>\d{{1,2}})(?:st|nd|rd|th)?\s?[-–—]\s?(?P<last>\d{{1,2}})"
            rf"(?:st|nd|rd|th)?(?:,?\s+{_YEAR})?(?![\w:%-]|[.,]\d)"
        ),
        _days,
    ),
    Rule(
        re.compile(
            rf"\b(?:[Tt]he )?(?P<first>\d{{1,2}})(?:st|nd|rd|th)?\s?[-–—]\s?(?P<last>\d{{1,2}})"
            rf"(?:st|nd|rd|th)?(?: of)?\s+{_MONTH}(?:,?\s+{_YEAR})?(?![\d-])"
        ),
        _days,
    ),
)
_AFTER_DATES = (
    *_DATE_LINKS,
    Rule(re.compile(r"(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d{4})(?![\d.]*\d)"), _day_first),
    Rule(
        re.compile(rf"\b{_MONTH}\s+{_DAY}(?:,?\s+{_YEAR})?(?![\w:%-]|[.,]\d)"), _written_month_day
    ),
    Rule(
        re.compile(
            rf"(?<![\d:.])\b(?P<the>[Tt]he )?{_DAY}(?: of)?\s+{_MONTH}(?:,?\s+{_YEAR})?(?![\d-])"
        ),
        _written_day_month,
    ),
    Rule(re.compile(rf"\b{_MONTH},?\s+{_YEAR}\b"), _written_month_year),
    Rule(
        re.compile(
            r"\b((?:[Tt]he(?: (?:roaring|swinging|early|late|low|high|mid))?|"
            r"[Ee]arly|[Ll]ate|[Mm]id|[Ll]ow|[Hh]igh|[Uu]pper|[Ll]ower|[Hh]is|[Hh]er|"
            r"[Tt]heir|[Mm]y|[Yy]our|[Oo]ur|[Ii]ts)[ -])(\d0)s\b"
        ),
        _short_decade,
    ),
    Rule(re.compile(r"\b((?:low|high|mid|upper|lower)[ -])(\d00)s\b"), _short_decade),
    Rule(re.compile(r"(?<![\w$€£.,])(')?(\d{3}0|(?<=')\d0)'?s\b"), _decade),
    Rule(re.compile(rf"()(?<![\w.,$])([2-9]0)s(?= {_FASHIONS}\b)"), _short_decade),
    Rule(re.compile(r"((?:ties|ens)(?: and | or | to |-|–))(\d0)s\b"), _short_decade),
    Rule(
        re.compile(
            r"(?<![\w.,/$€£-])(1[1-9]\d\d|20\d\d)\s?[-–]\s?(1[1-9]\d\d|20\d\d|\d\d)(?![\w/:-])"
        ),
        _year_range,
    ),
    *times.RULES,
    Rule(
        re.compile(
            r"(?<![\w.,:/$€£#+–-])(1[5-9]\d\d|20\d\d)(?![\w:%°/]|[.,]\d|-\d|\s?[x×*]\s?\d)"
            r"(?!\s?(?:%|°|[kKMGT]?Hz|[kmcn]?m\b|[kKMGT]i?B\b|kg\b|g\b|ms\b|miles|meters|dollars|"
            r"people|bytes|times|points|steps|words|characters|calories|feet|pounds|RPM|rpm|ml\b))"
        ),
        _year,
    ),
    Rule(
        re.compile(
            r"(?<=\b(?:[Ii]n|AD) )(1[0-4]\d\d)(?=[.,;:!?)]*(?:$|\s*\n)|[.,;:!?)]\s| (?:and|the|"
            r"when|by|after|at|it|he|she|they|as|to|a|an|on|for|with|of|but|until|AD|CE|BC|BCE|[A-Z])\b)"
        ),
        _year,
    ),
    Rule(
        re.compile(r"(?<=\bA\.D\. )(1[0-4]\d\d)\b|\b(1[0-4]\d\d)(?= (?:AD|CE|A\.D\.|C\.E\.))"),
        _early_year,
    ),
    Rule(re.compile(r"(?<=\b[Yy]ear )(1[0-4]\d\d)(?![\w.,]\d)"), _year),
    Rule(
        re.compile(
            rf"\b{_MONTH}(?= '\d\d\b)"
            r"|\b(?P<alone>Feb|Aug|Sept|Oct|Nov|Dec)(?:\.(?=,|\s+[a-z])|(?=\.))"
            r"|(?<=\b(?:[Ii]n|of|by) )(?P<also>Jan|Mar|Apr|Jun|Jul|Sep)\.(?=,|\s+[a-z])"
        ),
        _written_month,
    ),
    Rule(re.compile(rf"\b((?:{_MONTH_NAMES})(?: [a-z-]+)?) '(\d)(\d)\b"), _short_year),
    Rule(re.compile(r"(?<!\S)'(\d)(\d)(?![\w'])"), _apostrophe_year),
)

_SHORT_SLASHED = re.compile(
    r"\b((?:[Oo]n|[Bb]y|[Ss]ince|[Uu]ntil|[Bb]efore|[Aa]fter|[Dd]ue|[Tt]hrough"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,?) )"
    r"(\d{1,2})/(\d{1,2})(?![\d/])"
)

_OUTSIDE = (
    r"(?<![\w/.,$€£:×+=^-])(?<!\d )(?<![×+=*<>÷−-] )(?<!score )(?<!scored )(?<!got )(?<!about )"
)
_NO_PART = (
    r"(?![\w/%°\"″'′]|[.,]\d|\s?[=+*×÷<>−]|\s?-\s?\d|"
    r"\s(?:of|in|inch(?:es)?|points?|marks?|seconds?|miles?|cups?|share|mm|lb|oz)\b)"
)
_DAYS_THAT_PART_NOTHING = r"(1[7-9]|2[1-9]|3[01])"
"""No one counts in seventeenths, or in thirtieths that are written with a slash."""

_BARE_MONTH_FIRST = re.compile(rf"{_OUTSIDE}(0?[1-9]|1[0-2])/{_DAYS_THAT_PART_NOTHING}{_NO_PART}")
_BARE_DAY_FIRST = re.compile(rf"{_OUTSIDE}{_DAYS_THAT_PART_NOTHING}/(0?[1-9]|1[0-2]){_NO_PART}")

MONTH_FIRST = (
    *_BEFORE_DATES,
    Rule(_SLASHED, _month_first),
    Rule(_SHORT_SLASHED, _day_of_month),
    Rule(_BARE_MONTH_FIRST, lambda match: _date(int(match[1]), int(match[2]), None)),
    *_AFTER_DATES,
)
"""American order: 8/17/2026."""

DAY_FIRST = (
    *_BEFORE_DATES,
    Rule(_SLASHED, _day_first),
    Rule(_SHORT_SLASHED, _month_of_day),
    Rule(_BARE_DAY_FIRST, lambda match: _date(int(match[2]), int(match[1]), None)),
    *_AFTER_DATES,
)
"""British order: 17/8/2026."""

"""Dates and times of day."""

from __future__ import annotations

import re

from voicepeer.core.speaking.romance.locale import Locale
from voicepeer.core.speaking.romance.quantity import Reader
from voicepeer.core.speaking.rule import Rule, alternatives, followed, preceded

_ISO = re.compile(r"(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?!\d|-\d)(?:T(?=\d\d:))?")
_DAY_FIRST = re.compile(r"(?<![\d/.\w])(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?![\d/]|[.,-]\d)")

_MONTH = re.compile(r"0?[1-9]|1[0-2]")
_NO_DAY = frozenset(((24, 7), (16, 9)))
"""Always open, and the shape of a screen."""

_EQUALS = re.compile(r"\s?=")
_OF_SOMETHING = re.compile(r"\s(?:d[eiu]|des|de[il]|dell[aeo]|d[ao]s?|d'\w+)\b(?!\s(?:20|19)\d\d)")
_NOUN = re.compile(r"\s[^\W\d_A-ZÀ-Þ]{3,}")
_TO = r"\s?(?:[-–]|a|al|à|au|às|y|e|et|até|hasta|fino al|jusqu'au)\s?"
_OTHER_DAY = re.compile(rf"{_TO}(\d{{1,2}})/(\d{{1,2}})(?![\w/]|[.,]\d)")
_OTHER_DAY_BEFORE = re.compile(rf"(?<![\d/])(\d{{1,2}})/(\d{{1,2}}){_TO}$")


class Dates:
    """Rules for days and hours; what can be neither is left to other rules."""

    def __init__(self, locale: Locale) -> None:
        self._locale = locale
        self._reader = Reader(locale)
        self._before = re.compile(rf"\b(?:{locale.before_date}),?\s$", re.I)
        self._improper = re.compile(
            rf"\b(?:{locale.before_date}|{locale.before_improper}),?\s$", re.I
        )

    def _said(self, day: int, month: int, year: int) -> str | None:
        if not (1 <= day <= 31 and 1 <= month <= 12):
            return None
        return self._locale.date(day, month, year)

    def _iso(self, match: re.Match[str]) -> str | None:
        said = self._said(int(match[3]), int(match[2]), int(match[1]))
        return f"{said} " if said and match.group().endswith("T") else said

    def _day_first(self, match: re.Match[str]) -> str | None:
        year = int(match[4])
        if len(match[4]) == 2:
            if match[2] != "/":
                return None
            year += 2000 if year < 70 else 1900
        return self._said(int(match[1]), int(match[3]), year)

    def _day_and_month(self, match: re.Match[str]) -> str | None:
        """Without a year it may be a fraction as well; what is around it tells."""
        day, month = int(match[1]), int(match[2])
        if (day, month) in _NO_DAY or not (1 <= day <= 31 and 1 <= month <= 12):
            return None
        if followed(match, _EQUALS):
            return None
        return self._locale.date(day, month, None) if self._is_day(match, day, month) else None

    def _is_day(self, match: re.Match[str], day: int, month: int) -> bool:
        if day > 12 or match[1].startswith("0") or match[2].startswith("0"):
            return True
        if (day >= month and preceded(match, self._improper)) or self._has_other_end(match):
            return True
        part = day < month and followed(match, _OF_SOMETHING)
        half = (day, month) == (1, 2) and followed(match, _NOUN)
        return not (part or half) and preceded(match, self._before)

    def _has_other_end(self, match: re.Match[str]) -> bool:
        """Whether it is an end of "12/10 - 15/11", of which one cannot be a part of a whole."""
        other = _OTHER_DAY.match(match.string, match.end())
        start = max(0, match.start() - 16)
        other = other or _OTHER_DAY_BEFORE.search(match.string[start : match.start()])
        if other is None or not 1 <= int(other[2]) <= 12 or not 1 <= int(other[1]) <= 31:
            return False
        return int(other[1]) >= int(other[2]) or int(match[1]) >= int(match[2])

    def _short_month(self, match: re.Match[str]) -> str:
        month = self._locale.month_abbreviations[match["month"].lower()]
        link = " de " if " de " in self._locale.date(2, 1, None) else " "
        year = match.groupdict().get("year")
        return f"{link}{month}" + (f"{link}{self._reader.plain(year)}" if year else "")

    def _month_of_year(self, match: re.Match[str]) -> str | None:
        month, year = int(match[1]), int(match[2])
        return self._locale.date(1, month, year).split(" ", 1)[1].removeprefix("de ")

    def _numbered_in_year(self, match: re.Match[str]) -> str | None:
        law = match["law"] or ""
        if not law and not match["mark"] and _MONTH.fullmatch(match["number"]):
            return None
        number, year = self._reader.plain(match["number"]), self._reader.plain(match["year"])
        mark = f"{self._locale.number} " if match["mark"] else ""
        return f"{law}{mark}{number}{self._locale.law_link}{year}"

    def _first_of_month(self, match: re.Match[str]) -> str:
        return self._locale.date(1, 1, None).split()[0]

    def _time(self, match: re.Match[str]) -> str | None:
        hours, minutes, seconds = int(match[1]), int(match[2]), match[3]
        if hours > 24 or minutes > 59:
            return None
        if match["unit"] and not minutes:
            return self._reader.counted(str(hours), self._locale.units["h"])
        said = self._locale.time(hours, minutes)
        if match["half"] and hours <= 12:
            return f"{said} {self._part_of_day(match, hours)}"
        if not seconds:
            return said
        counted = self._reader.counted(str(int(seconds)), self._locale.units["s"])
        return f"{said}{self._locale.link}{counted}"

    def _hour(self, match: re.Match[str]) -> str | None:
        hours = int(match[1])
        if not 1 <= hours <= 12:
            return None
        said = self._locale.time(hours, 0)
        return f"{said} {self._part_of_day(match, hours)}"

    def _part_of_day(self, match: re.Match[str], hours: int) -> str:
        """Its period is the sentence's, too, at the end of a text."""
        morning, afternoon, evening = self._locale.day_parts
        said = evening if 8 <= hours < 12 else afternoon
        if match["half"].lower() == "a":
            said = morning
        ends = match.group().endswith(".") and not match.string[match.end() :].strip()
        return f"{said}." if ends else said

    def _time_after_word(self, match: re.Match[str]) -> str | None:
        hours, minutes = int(match[2]), int(match[3])
        if hours > 24 or minutes > 59:
            return None
        return f"{match[1]} {self._locale.time(hours, minutes)}"

    def rules(self) -> tuple[Rule, ...]:
        """In the order they are applied in."""
        return (*self._day_rules(), *self._hour_rules())

    def _day_rules(self) -> tuple[Rule, ...]:
        locale = self._locale
        short = alternatives(locale.month_abbreviations)
        return (
            Rule(_ISO, self._iso),
            Rule(_DAY_FIRST, self._day_first),
            Rule(
                re.compile(
                    rf"(?P<law>\b(?:{locale.laws})\s)?(?P<mark>(?<!\w)[Nn](?:[ºo°]|\.[ºo°]?)\s?)?"
                    r"(?<![\w./,])"
                    rf"(?P<number>\d{{1,3}}(?:\.\d{{3}})+|\d{{1,6}})"
                    r"/(?P<year>(?:19|20)\d\d|(?(law)\d\d|(?!)))(?![\w/]|[.,]\d)"
                ),
                self._numbered_in_year,
            ),
            Rule(
                re.compile(r"(?<![\d/.,\w])(0?[1-9]|1[0-2])/((?:19|20)\d\d)(?![\d/]|[.,]\d)"),
                self._month_of_year,
            ),
            Rule(
                re.compile(
                    rf"(?<=\d)(?P<link>[º°]?\s(?:de\s)?|[-/])(?P<month>{short})"
                    r"(?:[-/.]?\s?(?:de\s)?(?P<year>(?:19|20)\d\d)(?!\d)|\.(?!\w))",
                    re.I,
                ),
                self._short_month,
            ),
            Rule(
                re.compile(r"(?<![\d/.,\w])(\d{1,2})/(\d{1,2})(?![\w/]|[.,]\d)"),
                self._day_and_month,
            ),
            Rule(
                re.compile(rf"(?<![\w.,])1(?=\s(?:de\s)?(?:{locale.months})\b)", re.I),
                self._first_of_month,
            ),
        )

    def _hour_rules(self) -> tuple[Rule, ...]:
        locale = self._locale
        half = r"(?:\s?(?P<half>[apAP])(?:\.\s?m\.|m\b\.?|\.?\s?M\.?)(?!\w))"
        times = (
            rf"(?<![\d:.,/])(\d{{1,2}})(?::|{locale.hour_marks})(\d\d)(?::(\d\d))?"
            rf"(?![\d:]|[.,]\d)(?:{half}|(?P<unit>{locale.after_time}))?"
        )
        return (
            Rule(
                re.compile(
                    rf"\b({locale.time_before})\s(\d{{1,2}})[.,](\d\d)(?!\d|[.,]\d|\s?%)"
                    rf"(?:{locale.after_time})?"
                ),
                self._time_after_word,
            ),
            Rule(
                re.compile(
                    rf"(?<=\d)(:\d\d|{locale.hour_marks}(?:\d\d)?)\s?[-–]\s?"
                    rf"(?=\d{{1,2}}(?::\d\d|{locale.hour_marks}))"
                    rf"|(?<=\d)((?::|{locale.hour_marks})[0-5]\d)\s?[-–]\s?"
                    r"(?=(?:1?\d|2[0-4])(?![\w:/-]|[.,]\d))"
                ),
                lambda match: f"{(match[1] or match[2]).rstrip()} {locale.upto} ",
            ),
            Rule(re.compile(times), self._time),
            Rule(re.compile(rf"(?<![\w.,:/])(\d{{1,2}}){half}"), self._hour),
        )

"""Dates and times of day."""

from __future__ import annotations

import re

from voicepeer.core.speaking.romance.locale import Locale
from voicepeer.core.speaking.romance.quantity import Reader
from voicepeer.core.speaking.rule import Rule

_ISO = re.compile(r"(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?!\d|-\d)(?:T(?=\d\d:))?")
_DAY_FIRST = re.compile(r"(?<![\d/.\w])(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?![\d/]|[.,-]\d)")


class Dates:
    """Rules for days and hours; what can be neither is left to other rules."""

    def __init__(self, locale: Locale) -> None:
        self._locale = locale
        self._reader = Reader(locale)

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

    def _first_of_month(self, match: re.Match[str]) -> str:
        return self._locale.date(1, 1, None).split()[0]

    def _time(self, match: re.Match[str]) -> str | None:
        hours, minutes, seconds = int(match[1]), int(match[2]), match[3]
        if hours > 24 or minutes > 59:
            return None
        said = self._locale.time(hours, minutes)
        if not seconds:
            return said
        counted = self._reader.counted(str(int(seconds)), self._locale.units["s"])
        return f"{said}{self._locale.link}{counted}"

    def rules(self) -> tuple[Rule, ...]:
        """In the order they are applied in."""
        times = (
            rf"(?<![\d:.,/])(\d{{1,2}})(?::|{self._locale.hour_marks})(\d\d)(?::(\d\d))?"
            rf"(?![\d:]|[.,]\d)(?:{self._locale.after_time})?"
        )
        return (
            Rule(_ISO, self._iso),
            Rule(_DAY_FIRST, self._day_first),
            Rule(
                re.compile(rf"(?<![\w.,])1(?=\s(?:de\s)?(?:{self._locale.months})\b)", re.I),
                self._first_of_month,
            ),
            Rule(re.compile(times), self._time),
        )

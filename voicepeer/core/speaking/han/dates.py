"""Dates and times of day."""

from __future__ import annotations

import re

from voicepeer.core.speaking.han.locale import Locale
from voicepeer.core.speaking.rule import Rule

_YEAR_FIRST = re.compile(
    r"(?<![\d.])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?![\d]|[-/.]\d)(?:[T ](?=\d\d:))?"
)
_MONTH_OF = re.compile(r"(?<![\d.-])([12]\d{3})[-/](0[1-9]|1[0-2])(?![\d]|[-/.]\d)")
_DAY = re.compile(
    r"(?<![\d./])(0?[1-9]|1[0-2])/(\d{1,2})(?![\d/]|[.,]\d)"
    r"(?P<weekday>(?= ?\((?:[月火水木金土日][)曜]|周|星期)))?"
)
_YEARS = re.compile(r"(?<!\d)([12]\d{3}) ?(年?) ?[-–—~～〜] ?([12]\d{3}) ?年")
_MONTHS = re.compile(r"(?<!\d)(\d{1,2}) ?[-–—~～〜] ?(\d{1,2}) ?月")
_CLOCK = r"(\d{1,2}):([0-5]\d)(?::([0-5]\d))?(?![\d:])"
_HALF = r"(?: ?([aApP])\.?[mM]\.?(?![A-Za-z]))?"
_TIME = re.compile(rf"(?<![\d:.])({_CLOCK}{_HALF})")
_TIMES = re.compile(rf"(?<![\d:.]){_CLOCK} ?[-–—~～〜] ?{_CLOCK}")
_HOUR = re.compile(r"(?<![\d:.])(\d{1,2}) ?([aApP])\.?[mM]\.?(?![A-Za-z])")


class Dates:
    """Rules for days and hours."""

    def __init__(self, locale: Locale) -> None:
        self._locale = locale

    def _date(self, match: re.Match[str]) -> str | None:
        month, day = int(match[3]), int(match[4])
        if not (1 <= month <= 12 and 1 <= day <= 31):
            return None
        said = self._locale.date(self._locale.year(match[1]), month, day)
        return said + (" " if match.group().endswith((" ", "T")) else "")

    def _month_of(self, match: re.Match[str]) -> str:
        return f"{self._locale.year(match[1])}年{self._locale.cardinal(int(match[2]))}月"

    def _day(self, match: re.Match[str]) -> str | None:
        """A month and a day, where it can be no fraction that people write."""
        day = int(match[2])
        if not 1 <= day <= 31 or (day < 13 and match["weekday"] is None):
            return None
        return self._locale.date(None, int(match[1]), day)

    def _years(self, match: re.Match[str]) -> str:
        first, last = self._locale.year(match[1]), self._locale.year(match[3])
        return f"{first}{match[2]}{self._locale.upto}{last}年"

    def _months(self, match: re.Match[str]) -> str:
        first, last = (self._locale.cardinal(int(match[group])) for group in (1, 2))
        return f"{first}{self._locale.upto}{last}月"

    def _clock(self, hour: str, minute: str, second: str | None) -> str | None:
        if int(hour) > 24:
            return None
        return self._locale.time(int(hour), int(minute), int(second) if second else None)

    def _time(self, match: re.Match[str]) -> str | None:
        said = self._clock(match[2], match[3], match[4])
        return None if said is None else self._half(match[5]) + said

    def _times(self, match: re.Match[str]) -> str | None:
        first, last = self._clock(*match.group(1, 2, 3)), self._clock(*match.group(4, 5, 6))
        return None if first is None or last is None else first + self._locale.upto + last

    def _hour(self, match: re.Match[str]) -> str | None:
        said = self._clock(match[1], "00", None)
        return None if said is None else self._half(match[2]) + said

    def _half(self, letter: str | None) -> str:
        if not letter:
            return ""
        return self._locale.morning if letter in "aA" else self._locale.afternoon

    def rules(self) -> tuple[Rule, ...]:
        """In the order they are applied in."""
        return (
            Rule(_YEAR_FIRST, self._date),
            Rule(_MONTH_OF, self._month_of),
            Rule(_DAY, self._day),
            Rule(_YEARS, self._years),
            Rule(_MONTHS, self._months),
            Rule(_TIMES, self._times),
            Rule(_TIME, self._time),
            Rule(_HOUR, self._hour),
        )

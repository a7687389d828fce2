"""Dates and times of day."""

from __future__ import annotations

import re

from voicepeer.core.speaking.han.locale import Locale
from voicepeer.core.speaking.han.ranges import RANGE
from voicepeer.core.speaking.rule import Rule

_YEAR_FIRST = re.compile(
    r"(?<![\d.])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?![\d]|[-/.]\d)(?:[T ](?=\d\d:))?"
)
_FROM_YEAR = re.compile(
    rf"(?<![\d.])(\d{{4}})([-/.])(\d{{1,2}})\2(\d{{1,2}}) ?{RANGE} ?"
    r"(?:(\d{4})\2)?(\d{1,2})\2(\d{1,2})(?!\d|[-/.]\d)"
)
_WEEKDAY_BEHIND = r"(?: ?\((?:[月火水木金土日](?:曜日?)?|周.|星期.)\))?"
_DAYS = re.compile(
    rf"(?<![\d./])(\d{{1,2}})/(\d{{1,2}})({_WEEKDAY_BEHIND}) ?{RANGE} ?"
    r"(\d{1,2})/(\d{1,2})(?!\d|[/.]\d)"
)
_MONTH_OF = re.compile(r"(?<![\d.-])([12]\d{3})[-/](0[1-9]|1[0-2])(?![\d]|[-/.]\d)")
_DAY = re.compile(
    r"(?P<before>(?:截止|截至|日期|时间|定于|将于|自|从|締切|〆切|期日|期限|日時|日程)"
    r"[はがを为是:：]? ?)?"
    r"(?<![\d./])(?P<month>0?[1-9]|1[0-2])/(?P<day>\d{1,2})(?![\d/]|[.,]\d)"
    r"(?P<after>(?= ?\((?:[月火水木金土日][)曜]|周|星期)|\s?\d{1,2}:\d\d|放假|上线|发布|发售|开售|"
    r"开始|开幕|开学|当天|上午|下午|晚上|早上|之?前|(?:は|の)?(?:締|〆|必着|開催|発売|開始|終了|当日|"
    r"午前|午後|公開|放送|リリース|オープン)))?(?P<sign>日(?![\w]))?"
)
_YEARS = re.compile(rf"(?<!\d)([12]\d{{3}}) ?(年?) ?{RANGE} ?([12]\d{{3}}) ?年")
_MONTHS = re.compile(rf"(?<!\d)(\d{{1,2}}) ?{RANGE} ?(\d{{1,2}}) ?月")
_CLOCK = r"(\d{1,2}):([0-5]\d)(?::([0-5]\d))?(?![\d:])"
_HALF = r"(?: ?([aApP])\.?[mM]\.?(?![A-Za-z]))?"
_TIME = re.compile(rf"(?<![\d:])(?<!\d\.)({_CLOCK}{_HALF})(?:分(?!钟|の))?")
_TIMES = re.compile(rf"(?<![\d:.]){_CLOCK} ?{RANGE} ?{_CLOCK}")
_HALF_FIRST = re.compile(r"(?<![A-Za-z])([aApP])\.?[mM]\.? ?(?=\d{1,2}(?::\d\d|[时時点點]))")
_HOUR = re.compile(r"(?<![\d:.])(\d{1,2}) ?([aApP])\.?[mM]\.?(?![A-Za-z])")

_PACE = re.compile(r"(?<![\d.])(\d{1,3})['′](\d{1,2})(?:[\"″]|'')")


class Dates:
    """Rules for days and hours."""

    def __init__(self, locale: Locale) -> None:
        self._locale = locale

    def _date(self, match: re.Match[str]) -> str | None:
        month, day = int(match[3]), int(match[4])
        if not _is_day(month, day):
            return None
        said = self._locale.date(self._locale.year(match[1]), month, day)
        return said + (" " if match.group().endswith((" ", "T")) else "")

    def _month_of(self, match: re.Match[str]) -> str:
        return f"{self._locale.year(match[1])}年{self._locale.cardinal(int(match[2]))}月"

    def _day(self, match: re.Match[str]) -> str | None:
        """A month and a day, where it can be no fraction that people write."""
        month, day = int(match["month"]), int(match["day"])
        before, told = (
            match["before"] or "",
            match["after"] is not None or match["sign"] is not None,
        )
        if not 1 <= day <= 31 or not (day > 12 or before or told or month > day):
            return None
        return before + self._locale.date(None, month, day)

    def _from_year(self, match: re.Match[str]) -> str | None:
        first, last = (int(match[3]), int(match[4])), (int(match[6]), int(match[7]))
        if not (_is_day(*first) and _is_day(*last)):
            return None
        year = self._locale.year(match[5]) if match[5] else None
        said = self._locale.date(self._locale.year(match[1]), *first)
        return said + self._locale.upto + self._locale.date(year, *last)

    def _days(self, match: re.Match[str]) -> str | None:
        first, last = (int(match[1]), int(match[2])), (int(match[4]), int(match[5]))
        if not (_is_day(*first) and _is_day(*last)):
            return None
        days = first[1], last[1]
        if first[0] == last[0] == 1 < min(days) and max(days) <= 10 and not match[3]:
            parts = [self._locale.fraction(*map(self._locale.cardinal, (1, day))) for day in days]
            return self._locale.upto.join(parts)  # "1/2-1/3" are parts of something
        said = self._locale.date(None, *first) + match[3]
        return said + self._locale.upto + self._locale.date(None, *last)

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

    def _pace(self, match: re.Match[str]) -> str:
        minutes, seconds = (self._locale.cardinal(int(match[group])) for group in (1, 2))
        return f"{minutes}分{seconds}秒"

    def rules(self) -> tuple[Rule, ...]:
        """In the order they are applied in."""
        return (
            Rule(_PACE, self._pace),
            Rule(_FROM_YEAR, self._from_year),
            Rule(_YEAR_FIRST, self._date),
            Rule(_MONTH_OF, self._month_of),
            Rule(_DAYS, self._days),
            Rule(_DAY, self._day),
            Rule(_YEARS, self._years),
            Rule(_MONTHS, self._months),
            Rule(_HALF_FIRST, lambda match: self._half(match[1])),
            Rule(_TIMES, self._times),
            Rule(_TIME, self._time),
            Rule(_HOUR, self._hour),
        )


def _is_day(month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= 31

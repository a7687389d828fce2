"""What a dash or a wavy line is before a number: "to", a result, part of a name."""

from __future__ import annotations

import re

from voicepeer.core.speaking.han.locale import Locale
from voicepeer.core.speaking.han.quantity import NUMBER, Reader
from voicepeer.core.speaking.rule import Rule, alternatives

WAVE = "[~～〜]"
RANGE = "[-–—~～〜]"

_WORD = r"[^\W\d_A-Za-z]"
_LETTERS = re.compile(rf"(?<![A-Za-z\d])([A-Za-z]){WAVE}(?=[A-Za-z](?![A-Za-z\d]))")
_PAIR = r"(?<![\d.,:/–—-])(\d{1,3}) ?[–—-] ?(\d{1,3})(?![\d.,:/%–—-])"
_PAIR_OR_RATIO = rf"(?<![\d.,:/–—-])(\d{{1,3}}) ?[:–—-] ?({NUMBER})(?![\d.,:/%–—-])"
_PAGES = re.compile(
    rf"(?<![A-Za-z])(?:pp?\.|pp|[pP](?=\d+ ?{RANGE})) ?(\d{{1,4}})(?: ?{RANGE} ?(\d{{1,4}}))?"
    r"(?![A-Za-z\d.])"
)
_AIRLINER = re.compile(r"(波音|ボーイング)(7\d7)(?:(-)(?=\d))?(?!\d)")
_SIGNED = r"\d[\d.,]*\s?(?:[%‰℃℉°]|度|元|円|美元|ドル|万|亿|億|分(?!之))"
"""What a number is whose sign is meant as one, whatever is before it."""


_LATER = (
    "(?:[上下]午|[早晚]上|中午|凌晨|次日|当[日天]|第二天|翌[日朝]?|午[前後]|深夜|夕方|夜|公元前?|"
    r"紀元[前後]|前(?=\d)) ?"
)
_WEEKDAYS = re.compile(
    rf"((?:周|星期|礼拜|週)[一二三四五六日天]){RANGE}(?=(?:周|星期|礼拜|週)?[一二三四五六日天])|"
    rf"(?<![^\W、。])([月火水木金土日](?:曜日?)?){RANGE}(?=[月火水木金土日](?:曜|[^\w]|$|[はのにも]))"
)


class Ranges:
    """Rules that come before numbers are words."""

    def __init__(self, locale: Locale) -> None:
        self._locale = locale
        self._reader = Reader(locale)

    def _counted(self, match: re.Match[str]) -> str | None:
        unit = match["unit"].strip()
        if not (unit or match["next"]) or unit.endswith(self._locale.buildings):
            return None
        return f"{match['number']}{match['unit']}{self._locale.upto}"

    def _result(self, match: re.Match[str]) -> str:
        before, first, last = match.groups()
        return before + self._locale.ratio.join(map(self._reader.plain, (first, last)))

    def _figure(self, match: re.Match[str]) -> str:
        numbers = (self._locale.cardinal(int(part)) for part in re.findall(r"\d+", match[2]))
        return match[1] + self._locale.part_of.join(numbers)

    def _pages(self, match: re.Match[str]) -> str:
        pages = [self._reader.plain(page) for page in match.groups() if page]
        return self._locale.pages(self._locale.upto.join(pages))

    def _airliner(self, match: re.Match[str]) -> str:
        return match[1] + self._locale.digits(match[2]) + ("，" if match[3] else "")

    def _results(self) -> tuple[Rule, ...]:
        """Results of matches, and ratios, that words beside them tell."""
        locale = self._locale
        no_unit = rf"(?! ?{locale.counters})"
        near = rf"(?:{locale.results})"
        patterns = (
            rf"((?:{locale.ratios}) ?){_PAIR_OR_RATIO}{no_unit}",
            rf"(){_PAIR_OR_RATIO}(?= ?(?:{locale.results_after}))",
            rf"(){_PAIR}{no_unit}(?=[^\d。！？!?\n]{{0,12}}{near})",
            rf"({near}[^\d。！？!?\n]{{0,6}}){_PAIR}{no_unit}",
        )
        return tuple(Rule(re.compile(pattern), self._result) for pattern in patterns)

    def rules(self) -> tuple[Rule, ...]:
        """In the order they are applied in."""
        locale = self._locale
        figure = rf"((?:{locale.figures}) ?)(\d{{1,2}}(?:-\d{{1,2}}){{1,2}})(?! ?{locale.counters})"
        unit = rf"{_WORD}{{1,3}}|[%‰℃℉]|°[CF]?|(?:{alternatives(locale.units)})(?![A-Za-z])"
        # Each side says what it counts: "50万-60万", "5km-10km", "¥100-¥200", "第3-第5".
        counted = (
            rf"(?P<number>\d)(?P<unit>(?: ?(?:{unit}))?(?:\([^()\d]{{1,4}}\))?) ?"
            rf"(?<![–—-]){RANGE}(?![–—]) ?(?=(?P<next>第 ?|[A-Z]{{0,2}}[¥￥$€£]|{_LATER})?-?\d)"
        )
        return (
            Rule(re.compile(rf"{figure}(?![\d-])"), self._figure),
            Rule(_PAGES, self._pages),
            Rule(_AIRLINER, self._airliner),
            *self._results(),
            Rule(re.compile(counted), self._counted),
            Rule(_WEEKDAYS, lambda match: (match[1] or match[2]) + locale.upto),
            Rule(_LETTERS, lambda match: match[1] + locale.upto),
            Rule(re.compile(rf"(?<={_WORD})(?<!{locale.signed})-(?=\d)(?!{_SIGNED})"), " "),
        )

"""What is left of digits and symbols, after everything with a meaning is gone."""

from __future__ import annotations

import re

from voicepeer.core.speaking.han.locale import Locale
from voicepeer.core.speaking.han.quantity import NUMBER, Reader
from voicepeer.core.speaking.han.ranges import RANGE, WAVE
from voicepeer.core.speaking.rule import Rule, alternatives
from voicepeer.core.speaking.vulgar import VULGAR

_START = r"(?<![A-Za-z\d.,])"
_MIXED = re.compile(
    r"(?<![A-Za-z0-9])(?<!\d\.)(?=[A-Za-z0-9_.-]{0,64}\d)(?=[A-Za-z0-9_-]{0,64}(?:\d\.\d+)?[A-Za-z])"
    r"(?:[A-Za-z0-9_-]|(?<=\d)\.(?=\d))+"
)
_MIXED_PARTS = re.compile(r"\d+(?:\.\d+)?|[A-Za-z]+")
_NAME = r"[\u30a1-\u30fa\u30fc\u4e00-\u9fff]"
_EXCLAIMED = "[的了嗨喂哟噜嗯啊哦呀哈呢吧啦嘛哟喔噢诶唉哇咯哎嘿呵嘻好]"
_BETWEEN_NAMES = re.compile(rf"(?<={_NAME})(?<!{_EXCLAIMED}){WAVE}(?={_NAME})")
_LAST_WAVE = re.compile(rf"{WAVE}+(?=\s|$|[^\w\s])")
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_POWER = rf"(?:\^(?P<caret>\(?[-−]?\d{{1,4}}\)?)|(?P<raised>[⁺⁻]?[{_RAISED}]+))"
_SCIENTIFIC = re.compile(
    r"(?<![A-Za-z\d.,])(\d+(?:\.\d+(?=[eE]))?)[eE](?:\+|(?=-))(-?\d{1,3})(?![A-Za-z\d.-])"
)
_OXIDES = frozenset(("CO", "NO", "SO", "HO"))
"""Letters before a digit that are chemical elements, though they look like words."""

_YEARLY = re.compile(r" ?\)|学年|赛季|財年|财年|年度|シーズン")
_NEXT = 4
"""Characters behind a number that may change how it is read."""


class Figures:
    """Rules for numbers without a unit, for formulas and symbols."""

    def __init__(self, locale: Locale) -> None:
        self._locale = locale
        self._reader = Reader(locale)
        self._counters = re.compile(rf" ?{locale.counters}")

    def _fraction(self, match: re.Match[str]) -> str:
        if float(match["top"]) > int(match["bottom"]):  # blood pressure, scores, "24/7"
            return "，".join(self._reader.plain(match[group]) for group in ("top", "bottom"))
        return self._with_whole(match["whole"], match["top"], match["bottom"])

    def _vulgar(self, match: re.Match[str]) -> str:
        return self._with_whole(match[1], *map(str, VULGAR[match[2]]))

    def _with_whole(self, whole: str | None, top: str, bottom: str) -> str:
        said = self._locale.fraction(self._reader.plain(top), self._reader.plain(bottom))
        return self._reader.plain(whole) + self._locale.spelled["and"] + said if whole else said

    def _ratio(self, match: re.Match[str]) -> str:
        return f"{self._reader.plain(match[1])}{self._locale.ratio}{self._reader.plain(match[2])}"

    def _range(self, match: re.Match[str]) -> str:
        first, last = match.group(1, 2)
        following = match.string[match.end() : match.end() + _NEXT]
        counted = self._counters.match(following) is not None
        if _are_years(first, last, counted=counted, yearly=bool(_YEARLY.match(following))):
            return f"{self._locale.year(first)}{self._locale.upto}{self._locale.year(last)}"
        numbers = [self._reader.before(number, following) for number in (first, last)]
        dashed = not counted and "." not in first + last and match[0].strip("0123456789, ") in "-–—"
        if dashed and _value(last) <= _value(first):
            small = _value(first) < 200
            return (self._locale.ratio if small else self._locale.spelled["-"]).join(numbers)
        return self._locale.upto.join(numbers)

    def _exponent(self, match: re.Match[str]) -> str:
        if match["caret"]:
            written = match["caret"].strip("()")
            minus, number = written[0] in "-−", written.lstrip("-−")
        else:
            minus, raised = match["raised"][0] == "⁻", match["raised"].lstrip("⁺⁻")
            number = "".join(str(_RAISED.index(char)) for char in raised)
        unit = self._locale.units.get((match.groupdict().get("unit") or "").strip(), "")
        if not minus and number in ("2", "3"):
            return self._locale.symbols[_RAISED[int(number)]] + unit
        said = (self._locale.minus if minus else "") + self._reader.plain(number)
        return self._locale.power(said) + unit

    def _ordinal(self, match: re.Match[str]) -> str:
        return self._locale.ordinal(self._reader.plain(match[1]))

    def _mixed(self, match: re.Match[str]) -> str:
        """Letters and numbers apart: "MP3", "G123"."""
        parts = _MIXED_PARTS.findall(match.group())
        return " ".join(_lettered(part) if part.isalpha() else self._code(part) for part in parts)

    def _code(self, digits: str) -> str:
        if len(digits) < 3 or "." in digits:
            return self._reader.plain(digits)
        return self._locale.digits(digits)

    def _list_marker(self, match: re.Match[str]) -> str:
        return f"{match[1]}{self._locale.cardinal(int(match[2]))}，"

    def _plain(self, match: re.Match[str]) -> str:
        following = match.string[match.end() : match.end() + _NEXT]
        return self._reader.before(match.group(), following)

    def early_rules(self) -> tuple[Rule, ...]:
        """Powers of numbers, which units may be behind; before measures."""
        unit = rf"(?P<unit> ?(?:{alternatives(self._locale.units)})(?![A-Za-z]))?"
        return (
            Rule(_SCIENTIFIC, lambda match: f"{match[1]}×10^({match[2]})"),
            Rule(re.compile(rf"(?<=\d){_POWER}{unit}"), self._exponent),
        )

    def rules(self) -> tuple[Rule, ...]:
        """In the order they are applied in."""
        locale = self._locale
        symbols = "".join(re.escape(symbol) for symbol in locale.symbols)
        return (
            Rule(re.compile(r"(?m)^( *)(\d{1,2})[.、)] *(?=[^\s\d])"), self._list_marker),
            Rule(re.compile(rf"(\d+)? ?([{''.join(VULGAR)}])"), self._vulgar),
            Rule(
                re.compile(
                    rf"{_START}(?:(?P<whole>\d{{1,3}}) )?(?P<top>\d{{1,3}}(?:\.\d+)?)[/⁄]"
                    r"(?P<bottom>\d{1,4})(?![A-Za-z\d/]|[.,]\d)"
                ),
                self._fraction,
            ),
            Rule(re.compile(rf"{_START}(\d+):(\d+)(?![\d:])"), self._ratio),
            Rule(
                re.compile(r"(?<![A-Za-z0-9])(\d{1,4})(?:st|nd|rd|th)(?![A-Za-z])"), self._ordinal
            ),
            Rule(re.compile(rf"(?<=[A-Za-z)]){_POWER}"), self._exponent),
            Rule(re.compile(r"(?<=\d) ?[×xX*✕] ?(?=\d)"), locale.symbols["×"]),
            Rule(re.compile(r"(?<=\d) ?[-−–] ?(?=\d[\d.,]* ?=)"), locale.symbols["−"]),
            Rule(re.compile(rf"{_START}({NUMBER}) ?{RANGE} ?({NUMBER})(?![-\d])"), self._range),
            Rule(_BETWEEN_NAMES, locale.upto),
            Rule(_LAST_WAVE, ""),
            Rule(re.compile(rf"(?<![\w)]){WAVE} ?(?=\d)"), locale.about),
            Rule(re.compile(r"[-=]>"), locale.symbols["→"]),
            Rule(re.compile(rf"(?<![A-Za-z0-9.)\]])[-−](?={NUMBER})"), locale.minus),
            Rule(_MIXED, self._mixed),
            Rule(re.compile(NUMBER), self._plain),
            Rule(re.compile(f"[{symbols}]"), lambda match: locale.symbols[match.group()]),
            Rule(re.compile(r"[/_\\|^~`{}<>]"), " "),
        )


def _value(written: str) -> int:
    return int(written.replace(",", ""))


def _lettered(part: str) -> str:
    return " ".join(part) if part in _OXIDES else part


def _are_years(first: str, last: str, *, counted: bool, yearly: bool) -> bool:
    """Whether a range is of years: nobody groups their digits, and they are not long ago."""
    if not (first.isdecimal() and last.isdecimal() and len(first) == len(last) == 4):
        return False
    since = 1000 if yearly else 1800
    return since <= int(first) < int(last) < 2100 and (yearly or not counted)

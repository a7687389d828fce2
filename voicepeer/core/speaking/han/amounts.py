"""Money, percentages, temperatures and measures."""

from __future__ import annotations

import re

from voicepeer.core.speaking.han.locale import Locale
from voicepeer.core.speaking.han.quantity import NUMBER, Reader
from voicepeer.core.speaking.han.ranges import RANGE
from voicepeer.core.speaking.rule import Rule, alternatives

_MINUS = r"(?P<minus>(?<![A-Za-z0-9.)\]])[-−])?"
_NUMBER = rf"(?<![A-Za-z\d.,])(?P<number>{NUMBER})"
_UPTO = rf"(?: ?{RANGE} ?(?P<below>-)?\+?(?P<upto>{NUMBER}))?"
_ARC = re.compile(
    r"(?<![\d.])(\d{1,3})°(\d{1,2}(?:\.\d+)?)['′](?:(\d{1,2}(?:\.\d+)?)(?:[\"″]|''))?"
)
_HUNDREDTHS = re.compile(r"(?<=\d秒)\d{2}(?![\d.,])")
"""Of a time that was stopped: "9秒83"."""

_POWERS = {"k": 1, "thousand": 1, "m": 2, "mn": 2, "million": 2, "b": 3, "bn": 3, "billion": 3}
_SHORT = r"(?:[kKmMbB]|[mM]n|[bB]n|thousand|million|billion)(?![A-Za-z])"


class Amounts:
    """Rules for numbers of something."""

    def __init__(self, locale: Locale) -> None:
        self._locale = locale
        self._reader = Reader(locale)

    def _signed(self, match: re.Match[str], following: str) -> str:
        """The number, with what is before "to" in a range."""
        found = match.groupdict()
        minus = self._locale.minus if found.get("minus") else ""
        first = minus + self._reader.before(match["number"], following)
        if not found.get("upto"):
            return first
        return first + self._second(match, self._reader.before(found["upto"], following))

    def _second(self, match: re.Match[str], said: str) -> str:
        """The other end of a range, with its sign."""
        return self._locale.upto + (self._locale.minus if match["below"] else "") + said

    def _money(self, match: re.Match[str]) -> str:
        name = self._locale.currencies[match["currency"]]
        return self._sum(match, name)

    def _sum(self, match: re.Match[str], name: str) -> str:
        found = match.groupdict()
        scale = found.get("scale") or ""
        if found.get("short"):
            return self._in_thousands(match, found["short"]) + name
        return self._signed(match, scale or name) + scale + name

    def _in_thousands(self, match: re.Match[str], short: str) -> str:
        power = _POWERS[short.lower()]
        minus = self._locale.minus if match["minus"] else ""
        said = [self._reader.scaled(match[group] or "0", power) for group in ("number", "upto")]
        if said[0] is None or said[1] is None:
            return self._signed(match, "") + short
        return minus + said[0] + (self._second(match, said[1]) if match["upto"] else "")

    def _cents(self, match: re.Match[str]) -> str:
        """Money has no hundredths that are worth saying: "¥5.50" is "5.5"."""
        return match[1] + (match[2].rstrip("0") if match[2].strip("0.") else "")

    def _percent(self, match: re.Match[str]) -> str:
        permille = match["percent"] == "‰"
        said = self._locale.permille if permille else self._locale.percent
        minus = self._locale.minus if match["minus"] else ""
        first = self._reader.plain(match["number"])
        if not match["upto"]:
            return minus + said(first)
        upto = self._reader.plain(match["upto"])
        if match["first"]:
            return minus + said(first) + self._second(match, said(upto))
        return minus + said(first + self._second(match, upto))

    def _degrees(self, match: re.Match[str]) -> str:
        found = match.groupdict()
        scale = match["scale"] or ""
        number = self._reader.plain(match["number"])
        below = self._locale.below_zero
        if found.get("upto"):
            second = below if found["below"] else ""
            number += self._locale.upto + second + self._reader.plain(found["upto"])
        return self._locale.degrees((below if match["minus"] else "") + number, scale)

    def _arc(self, match: re.Match[str]) -> str:
        """Degrees, minutes and seconds of an angle."""
        said = self._locale.degrees(self._reader.plain(match[1]), "")
        said += self._reader.plain(match[2]) + "分"
        return said + (f"{self._reader.plain(match[3])}秒" if match[3] else "")

    def _measure(self, match: re.Match[str]) -> str:
        unit = self._locale.units[match["unit"]]
        said = self._signed(match, unit) + unit
        per = match["per"]
        return self._locale.per(said, self._locale.units[per]) if per else said

    def rules(self) -> tuple[Rule, ...]:
        """In the order they are applied in."""
        locale = self._locale
        scale = rf"(?: ?(?:(?P<scale>(?:{locale.scales})+)|(?P<short>{_SHORT})))?"
        units = alternatives(locale.units)
        return (
            Rule(re.compile(r"(?<![A-Za-z0-9.)\]方乗²³~～〜])\+(?=\d)"), locale.plus),
            Rule(_ARC, self._arc),
            Rule(_HUNDREDTHS, lambda match: locale.decimals(match[0])),
            Rule(re.compile(rf"({locale.signs}) ?-(?=\d)"), lambda match: f"-{match[1]}"),
            Rule(re.compile(rf"((?:{locale.signs}) ?\d[\d,]*)(\.\d\d)(?!\d)"), self._cents),
            Rule(
                re.compile(
                    rf"{_MINUS}(?P<currency>{locale.signs}) ?(?P<number>{NUMBER}){_UPTO}{scale}"
                    rf"(?: ?(?:{alternatives(set(locale.currencies.values()))}))?"
                ),
                self._money,
            ),
            Rule(
                re.compile(
                    rf"{_MINUS}{_NUMBER}{_UPTO}{scale} ?(?P<currency>{locale.codes})(?![A-Za-z])"
                ),
                self._money,
            ),
            Rule(
                re.compile(rf"{_MINUS}{_NUMBER}(?P<first> ?[%‰])?{_UPTO} ?(?P<percent>[%‰])"),
                self._percent,
            ),
            Rule(
                re.compile(rf"{_MINUS}{_NUMBER}{_UPTO} ?[°º](?P<scale>[CFK](?![A-Za-z]))?"),
                self._degrees,
            ),
            Rule(
                re.compile(
                    rf"{_MINUS}{_NUMBER}{_UPTO} ?(?P<unit>{units})(?![A-Za-z²³'])"
                    rf"(?:/(?P<per>{units})(?![A-Za-z]))?"
                ),
                self._measure,
            ),
        )

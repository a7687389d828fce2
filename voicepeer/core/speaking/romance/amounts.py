"""Money, percentages, temperatures and measures."""

from __future__ import annotations

import re

from voicepeer.core.speaking.romance.locale import Currency, Locale, Noun, Scale
from voicepeer.core.speaking.romance.quantity import NUMBER, Reader, parse
from voicepeer.core.speaking.rule import Rule, alternatives

_MINUS = r"(?P<minus>(?<![\w.)])[-−])?"
_START = rf"{_MINUS}(?<![\w.,])(?P<number>{NUMBER})(?:\s?[-–]\s?(?P<upto>{NUMBER}))?"


class Amounts:
    """Rules for numbers of something."""

    def __init__(self, locale: Locale) -> None:
        self._locale = locale
        self._reader = Reader(locale)

    def _signed(self, match: re.Match[str]) -> str:
        """The number, with what is before "to" in a range."""
        found = match.groupdict()
        minus = f"{self._locale.minus} " if found.get("minus") else ""
        first = minus + self._reader.plain(match["number"])
        return (
            f"{first} {self._locale.upto} {self._reader.plain(found['upto'])}"
            if found.get("upto")
            else first
        )

    def _counted(self, match: re.Match[str], noun: Noun) -> str:
        found = match.groupdict()
        if found.get("upto"):
            return f"{self._signed(match)} {noun.many}"
        minus = f"{self._locale.minus} " if found.get("minus") else ""
        return minus + self._reader.counted(match["number"], noun)

    def _money(self, match: re.Match[str]) -> str:
        currency = self._locale.currencies[match["currency"]]
        scale = self._locale.scales.get(match["scale"] or match.groupdict().get("short") or "")
        per = self._per(match)
        if scale:
            return self._scaled_money(match, scale, currency.name.many) + per
        if match["upto"] is None:
            return self._sum(match, currency) + per
        return self._counted(match, currency.name) + per

    def _scaled_money(self, match: re.Match[str], scale: Scale, money: str) -> str:
        """ "Three million dollars"; a thousand is not counted when it is one."""
        of = self._locale.of(money) if scale.of else money
        if match["upto"] is None and parse(match["number"]).is_one:
            count = f"{self._locale.before_noun(1, False)} " if scale.of else ""
            return f"{count}{scale.one} {of}"
        single = not match["upto"] and self._reader.is_single(match["number"])
        return f"{self._signed(match)} {scale.one if single else scale.many} {of}"

    def _sum(self, match: re.Match[str], currency: Currency) -> str:
        """Money with two decimals is said in two parts, other decimals are said as such."""
        found = parse(match["number"])
        minus = f"{self._locale.minus} " if match["minus"] else ""
        if found.whole is None or len(found.fraction) != 2:
            return self._counted(match, currency.name)
        cents = int(found.fraction)
        said = minus + self._reader.counted(str(found.whole), currency.name)
        if cents == 0:
            return said
        if currency.cent is None:
            return f"{said}{self._locale.cents_link}{self._locale.cardinal(cents)}"
        rest = self._reader.counted(str(cents), currency.cent)
        return f"{minus}{rest}" if found.whole == 0 else f"{said}{self._locale.cents_link}{rest}"

    def _per(self, match: re.Match[str]) -> str:
        per = match.groupdict().get("per")
        return f" {self._locale.per[per]}" if per else ""

    def _percent(self, match: re.Match[str]) -> str:
        return f"{self._signed(match)} {self._locale.percent}"

    def _degrees(self, match: re.Match[str]) -> str:
        scale = {"C": " Celsius", "F": " Fahrenheit", "K": " Kelvin"}.get(
            match["degrees"] or "", ""
        )
        return self._counted(match, self._locale.degree) + scale

    def _measure(self, match: re.Match[str]) -> str:
        return self._counted(match, self._locale.units[match["unit"]]) + self._per(match)

    def _scaled(self, match: re.Match[str]) -> str:
        scale = self._locale.scales[match["short"] or match["spaced"]]
        return self._counted(match, Noun(scale.one, scale.many))

    def _times(self, match: re.Match[str]) -> str:
        return f"{self._signed(match)} {self._locale.times}"

    def rules(self) -> tuple[Rule, ...]:
        """In the order they are applied in."""
        locale = self._locale
        words = alternatives(name for name in locale.scales if len(name) > 2)
        short = alternatives(name for name in locale.scales if len(name) <= 3)
        of = r"(?:\s(?:d[e']|di))?"
        scale = rf"(?:\s(?P<scale>{words})\b|\s?(?P<short>{short})(?!\w))?"
        behind = rf"(?:\s(?P<scale>{words}){of}|\s?(?P<short>{short}))?"
        per = rf"(?:/(?P<per>{alternatives(locale.per)})\b)?"
        upto = rf"(?:\s?[-–]\s?(?:{locale.sign})?(?P<upto>{NUMBER}))?"
        money = (
            rf"{_MINUS}(?<![\w.,])(?P<number>{NUMBER})"
            rf"(?:\s?(?:{locale.code})?\s?[-–]\s?(?P<upto>{NUMBER}))?"
        )
        return (
            Rule(
                re.compile(
                    rf"{_MINUS}(?P<currency>{locale.sign})\s?(?P<number>{NUMBER}){upto}{scale}{per}"
                ),
                self._money,
            ),
            Rule(
                re.compile(rf"{money}{behind}\s?(?P<currency>{locale.code})(?!\w){per}"),
                self._money,
            ),
            Rule(re.compile(rf"{_START}\s?%"), self._percent),
            Rule(re.compile(rf"{_START}\s?[°º]\s?(?P<degrees>[CFK])(?!\w)"), self._degrees),
            Rule(
                re.compile(
                    rf"{_START}\s?(?P<unit>{alternatives(locale.units)})(?![\w²³']){per}(?!/|\.\w)"
                ),
                self._measure,
            ),
            Rule(
                re.compile(rf"{_START}(?:(?P<short>{short})(?!\w)|\s(?P<spaced>{short})(?=\sd))"),
                self._scaled,
            ),
            Rule(
                re.compile(rf"{_MINUS}(?<![\w.,])(?P<number>{NUMBER})\s?[x×](?!\w|\s?[-\d])"),
                self._times,
            ),
        )

"""Days of the week that are written short: "lun-ven", "sáb. e dom.", "mar. 5 de mayo"."""

from __future__ import annotations

import re

from voicepeer.core.speaking.romance.locale import Locale
from voicepeer.core.speaking.rule import Rule, alternatives

_NO_WORDS = frozenset("lun mié jue vie sáb gio sab sam dim".split())
"""Those that with a period need no company."""

_LINKS = r"a|al|e|y|o|à|au|et|ou"


class Weekdays:
    """Rules for short names; many are words ("mer", "sex", "mar"), so each needs company."""

    def __init__(self, locale: Locale) -> None:
        self._locale = locale
        self._day = rf"(?i:{alternatives(locale.weekdays)})"
        self._short = re.compile(rf"({self._day})\.?")

    def _named(self, text: str) -> str:
        return self._short.sub(self._name, text)

    def _name(self, match: re.Match[str]) -> str:
        name = self._locale.weekdays[match[1].lower()]
        return name.capitalize() if match[1][0].isupper() else name

    def _range(self, match: re.Match[str]) -> str:
        said = f"{self._named(match[1])} {self._locale.upto} {self._named(match[2])}"
        return said + self._end(match)

    def _list(self, match: re.Match[str]) -> str:
        said = re.sub(r"\s?[/–-]\s?", ", ", self._named(match.group()))
        return said + self._end(match)

    def _linked(self, match: re.Match[str]) -> str:
        return self._named(match.group()) + self._end(match)

    def _end(self, match: re.Match[str]) -> str:
        """The period that ends the text as well."""
        ends = match.group().endswith(".") and not match.string[match.end() :].strip()
        return "." if ends else ""

    def rules(self) -> tuple[Rule, ...]:
        """In the order they are applied in."""
        day = self._day
        lone = rf"(?i:{alternatives(_NO_WORDS & self._locale.weekdays.keys())})"
        return (
            Rule(
                re.compile(
                    rf"(?<![\w-]){day}\.?(?:(?:\s?/\s?{day}\b\.?){{1,6}}|(?:[-–]{day}\b\.?){{2,6}})(?!\w)"
                ),
                self._list,
            ),
            Rule(re.compile(rf"(?<![\w-])({day}\.?)\s?[-–]\s?({day}\b\.?)(?![\w-])"), self._range),
            Rule(
                re.compile(
                    rf"(?<!\w){day}(?:\.,\s{day}){{0,6}}(?:\.\s(?:{_LINKS})\s{day}\b\.?"
                    rf"|\s(?:{_LINKS})\s{day}\.)(?!\w)"
                    rf"|(?:(?<=\b[Dd][aeu] )|(?<=\b[Dd][ae]l )){day}\s(?:al?|à|au)\s{day}\b"
                    rf"|(?<!\w){day}(?:,\s{day}){{1,6}}\s(?:{_LINKS})\s{day}\b"
                ),
                self._linked,
            ),
            Rule(
                re.compile(
                    rf"(?<!\w)(?:{day}\.|(?=[A-ZÀ-Þ]){day}\b)(?=,?\s\d{{1,2}}(?:\s?[-–]\s?\d{{1,2}})?(?:[:/]\d|\s?h|º?\s(?:de\s)?(?i:{self._locale.months})))"
                ),
                lambda match: self._named(match.group()),
            ),
            Rule(
                re.compile(rf"(?<=\b(?:le|du|au|Le|Du|Au) ){day}\.(?=\s\d{{1,2}}(?!\w))"),
                lambda match: self._named(match.group()),
            ),
            Rule(
                re.compile(rf"(?<!\w){lone}\.(?!\w)"),
                lambda match: self._named(match.group()) + self._end(match),
            ),
        )

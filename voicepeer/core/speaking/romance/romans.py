"""Roman numerals: of centuries and chapters, of kings and popes, and those that stand alone."""

from __future__ import annotations

import re

from voicepeer.core.speaking.roman import SHORT_ROMAN, roman
from voicepeer.core.speaking.romance.locale import Locale
from voicepeer.core.speaking.rule import Rule, preceded

_LONG = (
    r"(?:(?=[MDCLXVI]{2})M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})\b|[IVX]\b)"
)
_LINK = (
    r"(?:,\s|\s?[-–]\s?|\s(?:y|e|et|o|ou|a|al|à|au|até|hasta|el|i)\s(?:el\s|il\s|o\s|la\s|le\s)?)"
)
_NEXT_WORD = re.compile(r"\s([^\W\d_]{3,})")
_NUMERAL = re.compile(r"\b[IVXLCDM]+\b")
_ARTICLE = re.compile(r"\b(?:el|la|il|lo|o|a|le|l[ao]s|os|as|les|del|do|da|du)\s$", re.I)
_FEMININE_ARTICLE = re.compile(r"\b(?:la|las|le|as|da|na|das|nas|della|alla|nella)\s$", re.I)
_QUEENS = frozenset("Isabel Elizabeth Elisabeth Élisabeth Elisabete Beatriz Marie Margaret".split())
_MEN = frozenset("Papa Andrea Luca Nicola".split())


def is_queen(name: str) -> bool:
    """Whether a name, of which the last word counts, is a woman's."""
    last = name.rpartition(" ")[2]
    return last in _QUEENS or (last.endswith("a") and last not in _MEN)


class Romans:
    """Rules for the Roman numerals of a language."""

    def __init__(self, locale: Locale) -> None:
        self._locale = locale

    def _cardinals(self, match: re.Match[str]) -> str:
        return _NUMERAL.sub(
            lambda found: self._locale.cardinal(roman(found.group())), match["numerals"]
        )

    def _numbered(self, match: re.Match[str]) -> str:
        return f"{match['name']} {self._cardinals(match)}"

    def _ordinals(self, match: re.Match[str]) -> str:
        """Ordinals with the gender of the noun behind them, masculine without one."""
        after = _NEXT_WORD.match(match.string, match.end())
        mark = self._mark_before(after[1]) if after else "º"
        if after is None and preceded(match, _FEMININE_ARTICLE):
            mark = "ª"
        return _NUMERAL.sub(lambda found: self._ordinal(roman(found.group()), mark), match.group())

    def _mark_before(self, noun: str) -> str:
        """The ending that agrees with a noun behind it."""
        many = "s" if noun.endswith(("as", "os")) else ""
        if self._locale.is_feminine(noun):
            return f"ª{many}"
        return "ºs" if many else self._locale.ordinal_before_noun

    def _ordinal(self, number: int, mark: str) -> str:
        return self._locale.ordinal(number, mark) or self._locale.cardinal(number)

    def _numbered_ordinals(self, match: re.Match[str]) -> str:
        mark = "ª" if self._locale.is_feminine(match["name"]) else "º"
        said = _NUMERAL.sub(
            lambda found: self._ordinal(roman(found.group()), mark), match["numerals"]
        )
        return f"{match['name']} {said}"

    def _with_ending(self, match: re.Match[str]) -> str | None:
        return self._locale.ordinal(roman(match["roman"]), match["ending"])

    def _regnal(self, match: re.Match[str]) -> str:
        name = match["name"]
        return f"{name} {self._locale.regnal(roman(match['roman']), is_queen(name))}"

    def _alone(self, match: re.Match[str]) -> str:
        """An ordinal behind an article ("el II Congreso"), else a number ("tipo II")."""
        if preceded(match, _ARTICLE):
            return self._ordinals(match)
        return self._locale.cardinal(roman(match.group()))

    def rules(self) -> tuple[Rule, ...]:
        """In the order they are applied in."""
        locale = self._locale
        several = rf"(?P<numerals>{_LONG}(?:{_LINK}{_LONG})*)"
        short = rf"\b{SHORT_ROMAN}\b"
        return (
            Rule(
                re.compile(
                    rf"(?<![\w'])(?P<roman>{SHORT_ROMAN})(?P<ending>{locale.roman_endings})(?!\w)"
                ),
                self._with_ending,
            ),
            Rule(
                re.compile(rf"{short}(?=\s(?:de\s)?(?i:{locale.months})\b)"),
                lambda match: locale.cardinal(roman(match.group())),
            ),
            Rule(
                re.compile(rf"(?:{short}(?!,){_LINK})*{short}(?={locale.roman_ordinal_after})"),
                self._ordinals,
            ),
            Rule(
                re.compile(rf"\b(?P<name>{locale.roman_ordinal_before})\s{several}"),
                self._numbered_ordinals,
            ),
            Rule(re.compile(rf"\b(?P<name>{locale.roman_before})\s{several}"), self._numbered),
            Rule(
                re.compile(
                    rf"\b(?P<name>[A-ZÀ-Þ][a-zß-ÿ]+)\s(?P<roman>{SHORT_ROMAN})\b(?<!\s[A-Z])"
                ),
                self._regnal,
            ),
            Rule(
                re.compile(rf"\b(?P<name>{locale.regnal_names})\s(?P<roman>{SHORT_ROMAN})\b"),
                self._regnal,
            ),
            Rule(re.compile(rf"{short}(?<=[IVX]{{2}})(?![-'.]\w)"), self._alone),
        )

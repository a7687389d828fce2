"""Fractions, marks out of so many, powers."""

from __future__ import annotations

import re

from voicepeer.core.speaking.romance.locale import Locale, Noun
from voicepeer.core.speaking.romance.quantity import Reader
from voicepeer.core.speaking.rule import Rule, alternatives, followed, preceded
from voicepeer.core.speaking.vulgar import VULGAR

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")
_EXPONENT = r"(?:\^\(?(?P<caret>[-−]?\d{1,3})\)?|(?P<raised>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4}))"
_FRACTION = (
    rf"(?:(?P<top>\d{{1,3}})[/⁄](?P<bottom>\d{{1,3}})(?![\w/]|[.,]\d)"
    rf"|(?P<vulgar>[{''.join(VULGAR)}]))"
)
_OF = re.compile(r"\s(?:d[eiu]|des|de[ilr]|dell[aeo]|d[ao]s?|d'\w+)\b")
_STARS = re.compile(r"\s(?:étoil|estrell|estrela|stell)")
_ARTICLE = re.compile(r"\b(?:le|du|au|ce|el|del|al|il|o|do|no|nel)\s$", re.I)
_NO_NOUN = frozenset(
    "del des dei dos das por par per pour para con avec com che que sur más mais plus più les los "
    "las gli son sont sono são nel dal sul sin sem pas non não est".split()
)
_SIDE_BY_SIDE = frozenset(((50, 50), (24, 7)))
_MARKED_OUT_OF = frozenset((20, 30, 60, 100, 110))
"""What marks are out of in schools."""


class Fractions:
    """Rules for parts of a whole; before those for measures, whose units they say."""

    def __init__(self, locale: Locale) -> None:
        self._locale = locale
        self._reader = Reader(locale)
        self._score_before = re.compile(rf"\b(?:{locale.score_words})(?:\s\w{{1,3}})?:?\s$", re.I)

    def _pair(self, match: re.Match[str]) -> tuple[int, int]:
        vulgar = match["vulgar"]
        return VULGAR[vulgar] if vulgar else (int(match["top"]), int(match["bottom"]))

    def _mixed(self, match: re.Match[str]) -> str | None:
        """A whole number and a part, behind what is counted: "dos kilogramos y medio"."""
        pair = self._pair(match)
        if pair[0] >= pair[1] or pair[1] > 16:
            return None
        whole, word = int(match["whole"]), match["noun"]
        unit = self._locale.units.get(match["unit"] or "")
        if unit is None and (word is None or not self._is_counted(word, whole)):
            tail = f" {word}" if word else ""
            feminine = word is not None and self._is_noun(word) and self._locale.is_feminine(word)
            return f"{self._whole(whole, feminine, bool(tail))}{self._part(pair, feminine)}{tail}"
        one = self._locale.singular(word or "")
        noun = unit or Noun(one, word, self._locale.is_feminine(one))
        counted = self._reader.counted(match["whole"], noun)
        return counted + self._part(pair, noun.feminine)

    def _whole(self, whole: int, feminine: bool, before: bool) -> str:
        if before and feminine:
            return self._locale.before_noun(whole, True)
        return self._locale.cardinal(whole)

    def _part(self, pair: tuple[int, int], feminine: bool) -> str:
        if pair == (1, 2):
            return f"{self._locale.link}{self._locale.half[feminine]}"
        return f"{self._locale.link}{self._locale.fraction(*pair)}"

    def _is_noun(self, word: str) -> bool:
        return word.lower() not in _NO_NOUN

    def _is_counted(self, word: str, whole: int) -> bool:
        """Whether a word has the number of what is counted."""
        many = word.endswith(self._locale.plural_endings)
        if whole == 1:
            return self._is_noun(word) and not (many and self._locale.singular(word) == word)
        return self._is_noun(word) and many

    def _of_unit(self, match: re.Match[str]) -> str | None:
        """Part of one: "medio litro", "tres cuartos de litro"."""
        pair, unit = self._pair(match), self._locale.units[match["unit"]]
        if pair == (1, 2):
            return self._half(match, unit.one, unit.feminine)
        said = self._locale.fraction(*pair)
        return None if said is None else f"{said} {self._locale.of(unit.one)}"

    def _half_of(self, match: re.Match[str]) -> str | None:
        noun = match["noun"]
        if self._pair(match) != (1, 2) or not self._is_noun(noun):
            return None
        return self._half(match, noun, self._locale.is_feminine(noun))

    def _half(self, match: re.Match[str], noun: str, feminine: bool) -> str:
        determiner = match["determiner"] or ""
        return determiner + self._locale.half_of(noun, feminine, bool(determiner))

    def _fraction(self, match: re.Match[str]) -> str | None:
        top, bottom = self._pair(match)
        if match["vulgar"] is None and match["sign"]:
            divided = self._locale.symbols["÷"].strip()
            return f"{self._cardinal(top)} {divided} {self._cardinal(bottom)} "
        if (top, bottom) in _SIDE_BY_SIDE:
            return f"{self._cardinal(top)} {self._cardinal(bottom)}"
        if match["vulgar"] is None and self._is_mark(match, top, bottom):
            return f"{self._cardinal(top)} {self._locale.out_of} {self._cardinal(bottom)}"
        said = self._locale.fraction(top, bottom)
        if said and top == 1 and bottom > 2 and preceded(match, _ARTICLE):
            return said.split(" ", 1)[1]
        return said

    def _pressure(self, match: re.Match[str]) -> str | None:
        if int(match["top"]) <= int(match["bottom"]):
            return None
        top, bottom = self._cardinal(int(match["top"])), self._cardinal(int(match["bottom"]))
        return f"{match['name']}{top}{self._locale.pressure_link}{bottom}"

    def _decimal_mark(self, match: re.Match[str]) -> str:
        """ "15,5/20"."""
        best = self._cardinal(int(match[2]))
        return f"{self._reader.plain(match[1])} {self._locale.out_of} {best}"

    def _cardinal(self, number: int) -> str:
        return self._locale.cardinal(number)

    def _is_mark(self, match: re.Match[str], top: int, bottom: int) -> bool:
        """Whether it is so many of so many points, days or hours."""
        if top == bottom or (bottom in _MARKED_OUT_OF and top > 1):
            return True
        if followed(match, _STARS) or preceded(match, self._score_before):
            return True
        return bottom == 10 and not followed(match, _OF)

    def _power(self, match: re.Match[str]) -> str:
        exponent = (match["caret"] or match["raised"]).translate(_SUPERSCRIPTS)
        base = match["base"]
        said = self._reader.plain(base) if base[0].isdecimal() else base
        name = {"2": "²", "3": "³"}.get(exponent)
        if name:
            said += f" {self._locale.symbols[name].strip()}"
        else:
            sign = f"{self._locale.minus} " if exponent.startswith("-") else ""
            power = self._cardinal(int(exponent.strip("-") or 0))
            said += f" {self._locale.power} {sign}{power}"
        unit = self._locale.units.get(match.groupdict().get("unit") or "")
        return f"{said} {unit.many}" if unit else said

    def early_rules(self) -> tuple[Rule, ...]:
        """Before dates, which some of these look like."""
        return (
            Rule(
                re.compile(
                    rf"(?P<name>\b(?i:{self._locale.pressure})[^\d.!?;]{{1,24}})"
                    r"(?P<top>\d{1,3})/(?P<bottom>\d{1,3})(?![\w/]|[.,]\d)"
                ),
                self._pressure,
            ),
        )

    def rules(self) -> tuple[Rule, ...]:
        """In the order they are applied in."""
        locale = self._locale
        unit = rf"\s?(?P<unit>{alternatives(locale.units)})(?![\w²³'/])"
        noun = r"\s(?P<noun>[^\W\d_A-ZÀ-Þ]{3,})"
        determiner = rf"(?P<determiner>\b(?i:{locale.determiners})\s)?"
        number = r"(?<![\w.,^])(?P<base>\d+(?:[.,]\d+)?)"
        return (
            Rule(
                re.compile(
                    rf"(?<![\w./,])(?P<whole>\d{{1,3}})(?:[ ]|(?=[{''.join(VULGAR)}])){_FRACTION}"
                    rf"(?:{unit}|{noun})?"
                ),
                self._mixed,
            ),
            Rule(re.compile(rf"{determiner}(?<![\w./,]){_FRACTION}{unit}"), self._of_unit),
            Rule(re.compile(rf"{determiner}(?<![\w./,]){_FRACTION}{noun}"), self._half_of),
            Rule(re.compile(rf"{number}{_EXPONENT}(?:{unit})?(?!\w)"), self._power),
        )

    def late_rules(self) -> tuple[Rule, ...]:
        """After measures, whose units may have exponents, too."""
        return (
            Rule(
                re.compile(r"(?<![\w./,])(\d{1,2}[.,]\d{1,2})/(5|10|20|30|100)(?![\w/])"),
                self._decimal_mark,
            ),
            Rule(re.compile(rf"(?<![\w./,]){_FRACTION}(?P<sign>\s?(?==))?"), self._fraction),
            Rule(re.compile(rf"(?P<base>\b[A-Za-z]|[)π]){_EXPONENT}(?!\w)"), self._power),
            Rule(re.compile(r"(?<=[\w)])\^(?=[\w(-])"), f" {self._locale.power} "),
        )

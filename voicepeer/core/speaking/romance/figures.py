"""What is left of digits and symbols, after everything with a meaning is gone."""

from __future__ import annotations

import re

from voicepeer.core.speaking.romance.locale import Locale
from voicepeer.core.speaking.romance.quantity import NUMBER, Reader
from voicepeer.core.speaking.rule import Rule, alternatives, followed, preceded

_NEXT_WORD = re.compile(r"\s(?:mil\s)?([^\W\d_]{3,})")
"""Of "2 mil casas" the houses are counted."""

_SIZED = rf"(?<![\w.,])({NUMBER})(?:(?P<by>x)|\s?[x×]\s?)({NUMBER})"
_NUMBER_WORD = re.compile(r"\b(?:n[uú]mero|numéro)\s$")
_AFTER_ORDINAL = re.compile(r"(?:\s(?:de\s)?[a-zà-ÿ]{3}|[ -]feira)")
_ARTICLE = re.compile(
    r"(?<!\w)(?:o|os|no|nos|do|dos|ao|aos|em|el|los|del|al|il|lo|la|las|na|nas|da|das|pela|pelo)\s$",
    re.I,
)
_NOUN = re.compile(r"\s(?!(?:por|para|con|que|del|los|las|pero|más|fue|era)\b)([a-zà-ÿ]{3,})")
"""What an ordinal stands before."""


def _is_code(first: str, second: str, digits: int) -> bool:
    """Whether it is no range but a name, such as "747-400": big numbers that fall."""
    big = first.isdecimal() and second.isdecimal() and len(second) >= digits
    return big and int(first) > int(second)


class Figures:
    """Rules for numbers without a unit, ordinals and symbols."""

    def __init__(self, locale: Locale) -> None:
        self._locale = locale
        self._reader = Reader(locale)
        self._between = re.compile(rf"\b(?:{locale.between})\s$", re.I)

    def _ordinal(self, match: re.Match[str]) -> str | None:
        mark = self._before_noun(match) if match[2] == "º" else match[2]
        return self._locale.ordinal(int(match[1]), mark)

    def _short_ordinal(self, match: re.Match[str]) -> str | None:
        """ "1a vez", "no 10o.", but not "5a" of a house."""
        short = match.group().endswith(".") or followed(match, _AFTER_ORDINAL)
        if not (short or preceded(match, _ARTICLE)):
            return None
        mark = self._before_noun(match) if match[2] == "o" else match[2]
        return self._locale.ordinal(int(match[1]), mark)

    def _before_noun(self, match: re.Match[str]) -> str:
        """The masculine ending, in the form before a noun if one follows."""
        noun = _NOUN.match(match.string, match.end())
        if noun is None or self._locale.is_feminine(noun[1]):
            return "º"
        return self._locale.ordinal_before_noun

    def _decade(self, match: re.Match[str]) -> str:
        return self._locale.cardinal(int(match[1]))

    def _kilometre(self, match: re.Match[str]) -> str:
        """Of a road: "km 23"."""
        return f"{self._locale.units['km'].one} "

    def _range(self, match: re.Match[str]) -> str:
        if match[1] == match[2]:  # "50-50"
            return f"{self._reader.plain(match[1])} {self._reader.plain(match[2])}"
        if _is_code(match[1], match[2], digits=2 if preceded(match, _NUMBER_WORD) else 3):
            return f"{self._reader.plain(match[1])} {self._reader.plain(match[2])}"
        between = preceded(match, self._between)
        link = self._locale.link.strip() if between else self._locale.upto
        return f"{self._reader.plain(match[1])} {link} {self._reader.plain(match[2])}"

    def _list_marker(self, match: re.Match[str]) -> str:
        return f"{match[1]}{self._locale.cardinal(int(match[2]))}, "

    def _sized(self, match: re.Match[str]) -> str:
        unit = self._locale.units.get(match["unit"] or "")
        times = self._locale.symbols["×"].strip()
        by = self._locale.by if match["by"] or unit else times
        said = f"{self._reader.plain(match[1])} {by} {self._reader.plain(match[3])}"
        return f"{said} {unit.many}" if unit else said

    def _millions(self, match: re.Match[str]) -> str | None:
        """Whole millions have "of" before what they count."""
        if not self._reader.needs_of(match[1]):
            return None
        return f"{self._reader.plain(match[1])} {self._locale.of(match[2])}"

    def _letter_behind(self, match: re.Match[str]) -> str:
        return f"{self._reader.plain(match.group())} "

    def _sharp(self, match: re.Match[str]) -> str:
        return f"{match[1]} sharp"

    def _plain(self, match: re.Match[str]) -> str:
        after = _NEXT_WORD.match(match.string, match.end())
        if after is None or not after[1][0].islower():
            return self._reader.plain(match.group())
        return self._reader.plain(match.group(), self._locale.is_feminine(after[1]))

    def rules(self) -> tuple[Rule, ...]:
        """In the order they are applied in."""
        locale = self._locale
        units = alternatives(locale.units)
        return (
            Rule(
                re.compile(
                    rf"(?<=\d)\s?[x×]\s?(?=(?:{NUMBER})\s?[x×]\s?(?:{NUMBER})\s?(?:{units})(?!\w))"
                ),
                f" {locale.by} ",
            ),
            Rule(
                re.compile(rf"(?<=\d)(\s?(?:{units}))\s?[x×]\s?(?=\d)"),
                lambda match: f"{match[1]} {locale.by} ",
            ),
            Rule(re.compile(rf"{_SIZED}\s?(?P<unit>{units})(?![\w²³'])"), self._sized),
            Rule(
                re.compile(
                    rf"(?<![\w.,])(\d{{1,3}})({locale.short_ordinal_endings})(?!\w)(?:\.(?=\s?[a-zà-ÿ,;]))?"
                ),
                self._short_ordinal,
            ),
            Rule(
                re.compile(rf"(?<![\w.,])(\d{{1,6}})\.?({locale.ordinal_endings})(?![\w.]\w|\w)"),
                self._ordinal,
            ),
            Rule(re.compile(r"(?<!\w)['’]([1-9]\d|[2-9]00)(?![\w'’\"])"), self._decade),
            Rule(
                re.compile(r"(?<!\d)(?<!\d )\b[Kk]m\.?\s(?=\d)|\b[Kk]m\s(?=\d+(?!\s?m\b))"),
                self._kilometre,
            ),
        )

    def late_rules(self) -> tuple[Rule, ...]:
        """After amounts, whose numbers have a unit."""
        locale = self._locale
        return (
            Rule(re.compile(r"(?m)^([ ]*)(\d{1,3})[.)][ ]+(?=\S)"), self._list_marker),
            Rule(re.compile(rf"{_SIZED}(?P<unit>)(?!\w)"), self._sized),
            Rule(
                re.compile(rf"(?<![\w.,-])({NUMBER})\s?[-–]\s?({NUMBER})(?![\w-]|[.,]\d|\s?=)"),
                self._range,
            ),
            Rule(re.compile(r"(?<=\d)\s?[-−–]\s?(?=\d[\d.,]*\s?=)"), f" {locale.minus} "),
            Rule(re.compile(rf"(?<![\w.)\]-])[-−](?={NUMBER})"), f"{locale.minus} "),
            Rule(re.compile(r"\b([CF])#(?!\w)"), self._sharp),
            Rule(re.compile(rf"(?<![\w.,])({NUMBER})\s(?=[^\W\d_])(\w{{3,}})"), self._millions),
            Rule(re.compile(r"(?<![\w.,])\d+[.,]\d+(?=[^\W\d_])"), self._letter_behind),
            Rule(re.compile(r"(?<=\d):(?=\d)"), f" {locale.upto} "),
            Rule(re.compile(r"[-=]>"), locale.symbols["→"]),
            Rule(
                re.compile(r"\b(?=\w*\d)(?=\w*[^\W\d_])[^\W_]+\b"),
                lambda match: self._reader.mixed(match.group()),
            ),
            Rule(re.compile(r"(?<=[^\W\d_])-(?=\d)|(?<=\d)-(?=[^\W\d_])"), " "),
            Rule(re.compile(NUMBER), self._plain),
            Rule(
                re.compile(f"[{re.escape(''.join(locale.symbols))}]"),
                lambda match: locale.symbols[match.group()],
            ),
            Rule(re.compile(r"/"), " "),
        )

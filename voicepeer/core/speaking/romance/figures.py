"""What is left of digits and symbols, after everything with a meaning is gone."""

from __future__ import annotations

import re
from collections.abc import Mapping

from voicepeer.core.speaking.romance.locale import Locale
from voicepeer.core.speaking.romance.quantity import NUMBER, Reader
from voicepeer.core.speaking.rule import Rule, alternatives
from voicepeer.core.speaking.vulgar import VULGAR

_ROMAN = r"(?P<roman>X{1,3}(?:IX|IV|V?I{0,3})|IX|IV|VI{0,3}|I{1,3})"
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10}
_NEXT_WORD = re.compile(r"\s([^\W\d_]{3,})")


def roman(numeral: str) -> int:
    """Value of a Roman numeral below forty."""
    values = [_ROMAN_DIGITS[letter] for letter in numeral]
    following = [*values[1:], 0]
    return sum(
        -value if value < after else value for value, after in zip(values, following, strict=True)
    )


def _with_capitals(words: Mapping[str, str]) -> dict[str, str]:
    """Abbreviations as they are and as they begin a sentence; single letters only as they are."""
    capitals = {
        name[0].upper() + name[1:]: said[0].upper() + said[1:]
        for name, said in words.items()
        if len(name) > 1
    }
    return {**capitals, **words}


class Figures:
    """Rules for numbers without a unit, Roman numerals, abbreviations and symbols."""

    def __init__(self, locale: Locale) -> None:
        self._locale = locale
        self._reader = Reader(locale)
        self._expanded = _with_capitals(locale.abbreviations)
        self._numbered_words = _with_capitals(locale.before_numbers)

    def _abbreviation(self, match: re.Match[str]) -> str:
        rest = match.string[match.end() :]
        ends = match[1] in self._locale.ending_abbreviations and (
            not rest.strip() or re.match(r"\s+[^\W\d_a-zß-ÿ]", rest) is not None
        )
        said = self._expanded[match[1]]
        return said + ("…" if match["more"] else "." if ends else "")

    def _before_number(self, match: re.Match[str]) -> str:
        return self._numbered_words[match[1]]

    def _numbered(self, match: re.Match[str]) -> str:
        return f"{match['name']} {self._locale.cardinal(roman(match['roman']))}"

    def _ordinal_roman(self, match: re.Match[str]) -> str | None:
        ending = match.groupdict().get("ending")
        if ending is None:
            after = _NEXT_WORD.match(match.string, match.end())
            ending = "ª" if after and self._locale.is_feminine(after[1]) else "º"
        return self._locale.ordinal(roman(match["roman"]), ending)

    def _regnal(self, match: re.Match[str]) -> str:
        return f"{match['name']} {self._locale.regnal(roman(match['roman']), match['name'])}"

    def _ordinal(self, match: re.Match[str]) -> str | None:
        return self._locale.ordinal(int(match[1]), match[2])

    def _fraction(self, match: re.Match[str]) -> str | None:
        top, bottom = int(match["top"]), int(match["bottom"])
        if (top, bottom) == (24, 7):
            return self._side_by_side(top, bottom)
        said = (
            self._side_by_side(top, bottom) if top == bottom else self._locale.fraction(top, bottom)
        )
        return self._with_whole(match["whole"], said)

    def _side_by_side(self, top: int, bottom: int) -> str:
        return f"{self._locale.cardinal(top)} {self._locale.cardinal(bottom)}"

    def _vulgar(self, match: re.Match[str]) -> str | None:
        return self._with_whole(match[1], self._locale.fraction(*VULGAR[match[2]]))

    def _with_whole(self, whole: str | None, said: str | None) -> str | None:
        if said is None or not whole:
            return said
        return f"{self._reader.plain(whole)}{self._locale.link}{said}"

    def _range(self, match: re.Match[str]) -> str:
        if match[1] == match[2]:  # "50-50"
            return f"{self._reader.plain(match[1])} {self._reader.plain(match[2])}"
        return f"{self._reader.plain(match[1])} {self._locale.upto} {self._reader.plain(match[2])}"

    def _list_marker(self, match: re.Match[str]) -> str:
        return f"{match[1]}{self._locale.cardinal(int(match[2]))}, "

    def _sized(self, match: re.Match[str]) -> str:
        times = self._locale.symbols["×"].strip()
        return f"{self._reader.plain(match[1])} {times} {self._reader.plain(match[2])}"

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
        return (
            Rule(
                re.compile(
                    rf"(?<![\w.])({alternatives(self._expanded)})\.(?P<more>\.\.|…)?(?![.])"
                ),
                self._abbreviation,
            ),
            Rule(
                re.compile(
                    rf"(?<![\w.])({alternatives(self._numbered_words)})\.(?=\s?(?:\d|{_ROMAN}\b))"
                ),
                self._before_number,
            ),
            Rule(
                re.compile(rf"\b{_ROMAN}(?P<ending>{locale.ordinal_endings})(?!\w)"),
                self._ordinal_roman,
            ),
            Rule(re.compile(rf"\b{_ROMAN}\b(?={locale.roman_ordinal_after})"), self._ordinal_roman),
            Rule(re.compile(rf"\b(?P<name>{locale.roman_before})\s{_ROMAN}\b"), self._numbered),
            Rule(
                re.compile(rf"\b(?P<name>[A-ZÀ-Þ][a-zß-ÿ]+)\s{_ROMAN}\b(?<!\s[A-Z])"), self._regnal
            ),
            Rule(re.compile(rf"\b(?P<name>{locale.regnal_names})\s{_ROMAN}\b"), self._regnal),
            Rule(
                re.compile(rf"(?<![\w.,])(\d{{1,6}})\.?({locale.ordinal_endings})(?!\w)"),
                self._ordinal,
            ),
            Rule(
                re.compile(r"\b[Nn](?:[º°]|o\.|\.\s?[º°]|\.o|\.)\s?(?=\d)|№\s?"),
                f"{locale.number} ",
            ),
        )

    def late_rules(self) -> tuple[Rule, ...]:
        """After amounts, whose numbers have a unit."""
        locale = self._locale
        return (
            Rule(re.compile(r"(?m)^([ ]*)(\d{1,3})[.)][ ]+(?=\S)"), self._list_marker),
            Rule(re.compile(rf"(?:(\d+)[ ]?)?([{''.join(VULGAR)}])"), self._vulgar),
            Rule(
                re.compile(
                    r"(?<![\w./,])(?:(?P<whole>\d{1,3}) )?(?P<top>\d{1,2})[/⁄]"
                    r"(?P<bottom>\d{1,3})(?![\w/]|[.,]\d)"
                ),
                self._fraction,
            ),
            Rule(re.compile(rf"(?<![\w.,])({NUMBER})\s?[x×]\s?({NUMBER})(?!\w)"), self._sized),
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

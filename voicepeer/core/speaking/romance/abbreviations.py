"""Abbreviations, initials, and letters with periods between them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from voicepeer.core.speaking.roman import SHORT_ROMAN
from voicepeer.core.speaking.romance.locale import Locale
from voicepeer.core.speaking.rule import Rule, alternatives, followed, preceded

_INITIAL_BEHIND = re.compile(r"[ -]?[A-ZÀ-Þ]\.")
_INITIAL_BEFORE = re.compile(r"(?<![^\W\d_])[A-ZÀ-Þ]\.[ -]?$")
_SENTENCE_BEGINS = (
    r"(?:Il|Elle|Le|La|Les|Un|Une|On|Ce|El|Los|Las|En|Se|No|Lo|Gli|Os|As|Um|Uma|Non|Não|Pero|Mais|"
    r"Ma|Mas|Et|Su|Sur|Si|Es|Est|Al|Para|Per|Pour|Por|Con|Com|Avec|De|Di|Nous|Vous|Je|Tu|Yo)\b"
)
_NAME = rf"[ -]?(?:[A-ZÀ-Þ]\.[ -]?){{0,8}}(?!{_SENTENCE_BEGINS})[A-ZÀ-Þ][a-zß-ÿ]"
_INITIAL = re.compile(rf"(?<![\w.])[A-ZÀ-Þ]\.(?={_NAME})|(?<=[A-ZÀ-Þ]\.)[ -]?[A-ZÀ-Þ]\.(?={_NAME})")
"""Of a name: "J. R. R. Tolkien". The period would be a pause."""

_RANGE = re.compile(r"\s?\d+\s?[-–]\s?\d")
_COUNTED = re.compile(r"\d\s?$")
_DOTTED = re.compile(r"(?<![\w.])(?:[A-ZÀ-Þ]\.){2,}(?:[A-ZÀ-Þ](?!\w))?")
"""Letters said one by one: "S.A.R.L."."""


def _with_capitals(words: Mapping[str, str]) -> dict[str, str]:
    """Abbreviations as they are and as they begin a sentence; single letters only as they are."""
    capitals = {
        name[0].upper() + name[1:]: said[0].upper() + said[1:]
        for name, said in words.items()
        if len(name) > 1
    }
    return {**capitals, **words}


class Abbreviations:
    """Rules for what is written short and said in full."""

    def __init__(self, locale: Locale) -> None:
        self._locale = locale
        self._expanded = _with_capitals(locale.abbreviations)
        self._numbered_words = _with_capitals(locale.before_numbers)

    def _abbreviation(self, match: re.Match[str]) -> str | None:
        if match[1] in self._locale.units and preceded(match, _COUNTED):
            return None
        if len(match[1]) == 1 and (
            followed(match, _INITIAL_BEHIND) or preceded(match, _INITIAL_BEFORE)
        ):
            return None
        rest = match.string[match.end() :]
        ends = not rest.strip() or (
            match[1] in self._locale.ending_abbreviations
            and re.match(r"\s+[^\W\d_a-zß-ÿ]", rest) is not None
        )
        said = self._expanded[match[1]]
        return said + ("…" if match["more"] else "." if ends else "")

    def _before_number(self, match: re.Match[str]) -> str:
        several = match[1] == "p" and followed(match, _RANGE)
        return self._numbered_words["pp" if several else match[1]]

    def _dotted(self, match: re.Match[str]) -> str:
        ends = match.group().endswith(".") and not match.string[match.end() :].strip()
        return " ".join(match.group().replace(".", "")) + ("." if ends else "")

    def rules(self) -> tuple[Rule, ...]:
        """In the order they are applied in."""
        locale = self._locale
        return (
            Rule(
                re.compile(
                    rf"(?<![\w.])({alternatives(self._expanded)})\.(?P<more>\.\.|…)?(?![.a-zß-ÿ])"
                ),
                self._abbreviation,
            ),
            Rule(
                re.compile(
                    rf"(?<![\w.])({alternatives(self._numbered_words)})\.(?=\s?(?:\d|{SHORT_ROMAN}\b))"
                ),
                self._before_number,
            ),
            Rule(_INITIAL, lambda match: match.group().replace(".", "")),
            Rule(_DOTTED, self._dotted),
            Rule(
                re.compile(r"\b[Nn](?:[º°]|ro\.|r\.|o\.|\.\s?[º°]|\.o|\.)\s?(?=\d)|№\s?"),
                f"{locale.number} ",
            ),
        )

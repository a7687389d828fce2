"""Numbers that are characters of their own, Roman ones, and circled ones that begin a line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from voicepeer.core.speaking.han.locale import Locale
from voicepeer.core.speaking.rule import Rule
from voicepeer.core.speaking.spoken import Draft

_ROMAN = re.compile(r"[\u2160-\u217f]+")
_CIRCLED_ITEM = re.compile(
    r"(?:(?<=[\s。；;，,、：:])|(?<![\s\S]))([\u2460-\u2473\u2776-\u277f]) ?"
    r"(?=[^\W\d或和与及还かとやはがをのに])"
)
_LETTERS = re.compile(
    r"(?<![A-Za-z\d])(?:[IVX]{1,5}(?=[型期级級类類世章卷巻部篇編])|"
    r"(?<=[^\W\dA-Za-z])(?:II|III|IV|VII|VIII|IX|XI{1,3}|XIV|XVI{0,3})(?![A-Za-z\d]))"
)
"""Without those that are rather letters: I, V, X, and VI, which is an interface."""

_VALUES = {"I": 1, "V": 5, "X": 10}


def _worth(values: Sequence[int]) -> int:
    """What digits of a Roman number make: one that is less than the next is taken off."""
    return sum(-one if one < following else one for one, following in pairwise([*values, 0]))


def _arabic(match: re.Match[str]) -> str:
    return str(_worth([int(unicodedata.numeric(char)) for char in match.group()]))


def _item(match: re.Match[str]) -> str:
    return f"{int(unicodedata.numeric(match[1]))}，"


def read(draft: Draft) -> None:
    """Put them into digits, before they lose what tells them from letters and other digits."""
    draft.rewrite(_ROMAN, _arabic)
    draft.rewrite(_CIRCLED_ITEM, _item)


def rules(locale: Locale) -> tuple[Rule, ...]:
    """Roman numbers in letters, where a name or what they count is beside them."""
    return (
        Rule(_LETTERS, lambda match: locale.cardinal(_worth([_VALUES[char] for char in match[0]]))),
    )

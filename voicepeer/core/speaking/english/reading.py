"""The rules of English in the order they are applied in."""

from __future__ import annotations

import re

from voicepeer.core.speaking.english import (
    abbreviations,
    addresses,
    amounts,
    dates,
    figures,
    labels,
    money,
    parts,
    scripture,
    streets,
)
from voicepeer.core.speaking.rule import Rule
from voicepeer.core.speaking.spoken import Draft

_SMALL = (
    r"(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-[a-z]+)?|ten|eleven|twelve|"
    r"(?:thir|four|fif|six|seven|eigh|nine)teen|one|two|three|four|five|six|seven|eight|nine)"
)
_BRITISH = (
    Rule(re.compile(rf"\bhundred (?={_SMALL}\b)"), "hundred and "),
    Rule(re.compile(rf"\b(thousand|million|billion) (?={_SMALL}\b(?! (?:hundred|thousand)))"),
         lambda match: f"{match[1]} and "),
)  # fmt: skip
"""British numbers have an "and" before what is below a hundred."""

_AMERICAN_RULES = (
    *addresses.RULES,
    *labels.EARLY,
    *scripture.RULES,
    *streets.RULES,
    *dates.MONTH_FIRST,
    *addresses.VERSIONS,
    *abbreviations.RULES,
    *labels.RULES,
    *parts.RULES,
    *money.RULES,
    *amounts.RULES,
    *figures.RULES,
)
_BRITISH_RULES = (
    *addresses.RULES,
    *labels.EARLY,
    *scripture.RULES,
    *streets.RULES,
    *dates.DAY_FIRST,
    *addresses.VERSIONS,
    *abbreviations.RULES,
    *labels.RULES,
    *parts.RULES,
    *money.RULES,
    *amounts.RULES,
    *figures.RULES,
    *_BRITISH,
)


def read(draft: Draft, british: bool) -> None:
    """Say everything in words."""
    for rule in _BRITISH_RULES if british else _AMERICAN_RULES:
        draft.rewrite(rule.pattern, rule.reader)

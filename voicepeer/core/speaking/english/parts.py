"""What a slash behind a number is: part of a unit, a rate, the price of several, a mark."""

from __future__ import annotations

import re

from voicepeer.core.speaking.english import numerals, units
from voicepeer.core.speaking.english.numerals import NUMBER
from voicepeer.core.speaking.rule import Rule, alternatives, text_after, text_before
from voicepeer.core.speaking.vulgar import VULGAR

_DENOMINATORS = {2: "half", 4: "quarter"}
_MEASURED = frozenset((2, 3, 4, 5, 6, 8, 10, 12, 16, 32, 64, 100, 1000))
"""What rulers, scales and spoons are divided into."""

_PERIOD = r"(?:\.(?=[,;:)]|\s+[a-z0-9(]))?"
_UNIT = (
    rf"(?:(?P<unit>{units.FREE_NAMES})(?![\w²³/^]){_PERIOD}"
    r"|(?P<inch>in)(?:\.(?!\w)|(?=[,;:!?)]|$)))"
)
_ARTICLE = re.compile(r"\b[Aa]n? $")
_NOUN = re.compile(
    r"[ -](?!of\b|and\b|or\b|to\b|from\b|in\b|on\b|at\b|is\b|was\b|are\b|per\b|for\b|with\b|away\b|"
    r"long\b|wide\b|deep\b|thick\b|tall\b|high\b|more\b|less\b|each\b|apart\b|by\b|the\b|a\b)[a-z]{3}"
)
_OUT_OF_BEFORE = re.compile(
    r"\b(?:[Rr]at(?:e|ed|es|ing)|[Ss]cor(?:e|ed|es|ing)|[Gg]ot|[Gg]ets?|[Gg]rade|[Mm]arks?|solid|easy|"
    r"(?:[Gg]ives?|[Gg]ave|[Gg]iving)(?: (?:it|him|her|them|this|that|me|us|you))?)"
    r"(?: (?:it|this|that|an?|of|is|was|only|about|around|just)|:)* $"
)
_OUT_OF_AFTER = re.compile(
    r"[ -]?(?:stars?|points?|GPA|rating|score|marks?|on (?:the|my|his|her) (?:test|exam|quiz)|"
    r"would|overall|people|"
    r"dentists|doctors|users|customers|students|voters|patients|kids|children|women|men|adults|"
    r"employees|teachers|parents|Americans|times)\b"
)


def fraction_words(top: int, bottom: int) -> str:
    """ "one half", "three quarters", "seven eighths"."""
    one = top == 1
    if bottom == 2:
        return f"{numerals.cardinal(top)} {'half' if one else 'halves'}"
    name = _DENOMINATORS.get(bottom) or numerals.ordinal(bottom)
    return f"{numerals.cardinal(top)} {name if one else name + 's'}"


def _article(name: str) -> str:
    return "an" if name[0] in "aeio" or name.startswith("hour") else "a"


def _is_attributive(match: re.Match[str]) -> bool:
    """ "a 7/8 in. bolt", "2 1/2 ft. boards"."""
    of_length = match["inch"] is not None or match["unit"] in ("ft", "yd", "mm", "cm", "m")
    after_article = _ARTICLE.search(text_before(match)) is not None
    return (after_article or (of_length and match["whole"] is not None)) and (
        _NOUN.match(text_after(match)) is not None
    )


def _part(match: re.Match[str]) -> str | None:
    """ "3/4 tsp" is part of one teaspoon, "2 3/4 in." more than two inches."""
    top, bottom = (
        VULGAR[match["sign"]] if match["sign"] else (int(match["top"]), int(match["bottom"]))
    )
    if top >= bottom or bottom not in _MEASURED:
        return None
    unit, whole = match["unit"] or match["inch"], match["whole"]
    said = fraction_words(top, bottom)
    if whole:
        said = f"{numerals.cardinal(int(whole))} and {'a half' if bottom == 2 else said}"
        return f"{said} {units.said(unit, _is_attributive(match))}"
    name = units.said(unit, True)
    if match["hyphen"]:
        return f"{said.removeprefix('one ').removesuffix('s')} {name}"
    if _is_attributive(match):
        return f"{said.removeprefix('one ')} {name}"
    return f"{'half' if bottom == 2 else said + ' of'} {_article(name)} {name}"


def _rate(match: re.Match[str]) -> str:
    return f" per {units.said(match['per'], True)}"


def _mark(match: re.Match[str]) -> str | None:
    """A mark out of so many; a decimal can be nothing else."""
    first, second = match[1], match[2]
    if float(first) > float(second):
        return None
    told = _OUT_OF_BEFORE.search(text_before(match)) or _OUT_OF_AFTER.match(text_after(match))
    an = _ARTICLE.search(text_before(match)) and second in ("5", "10", "100")
    if "." not in first and not told and not an:
        return None
    return f"{numerals.decimal(first)} out of {numerals.decimal(second)}"


RULES = (
    Rule(
        re.compile(
            r"(?<![\w./,⁄$€£])(?:(?P<whole>\d{1,3})(?:[ -](?=\d)|[ ]?))?"
            r"(?:(?P<top>\d{1,3})[/⁄](?P<bottom>\d{1,4})|"
            rf"(?P<sign>[{''.join(VULGAR)}]))(?:\s|(?P<hyphen>-)(?=[a-z]))?{_UNIT}"
        ),
        _part,
    ),
    Rule(re.compile(r"(?<![\w./])(\d{1,3})/(?=[$€£¥₹]\d)"), lambda match: f"{match[1]} for "),
    Rule(
        re.compile(rf"(?<![\w./,])({NUMBER})/({NUMBER})(?![\w/%$€£]|[.,]\d|\s?[=+×÷*])"),
        _mark,
    ),
    Rule(
        re.compile(rf"(?<=\d)\s?/\s?(?P<per>{alternatives(units.RATES)})(?!\w|/)"),
        _rate,
    ),
)
"""Before sums of money and measures, which would take the second number only."""

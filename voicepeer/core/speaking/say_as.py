"""``<say-as>``: a text rewritten so that a normaliser reads it as what it is said to be.

The names are those of the W3C note "SSML 1.0 say-as attribute values" (2005) and their common
relatives.
"""

from __future__ import annotations

import re
import unicodedata

_SPELLED = ("characters", "spell-out", "verbatim")
INTERPRETATIONS = frozenset(
    {
        *_SPELLED, "digits", "cardinal", "number", "ordinal", "date", "time", "telephone",
        "currency", "unit", "fraction", "address",
    }
)  # fmt: skip

_ORDINAL_MARKS = {"es": ".º", "pt": "º", "it": "º", "fr": "e", "de": ".", "zh": "", "ja": "番目"}
_SIGNS = {
    "-": "dash", ".": "dot", "_": "underscore", "@": "at", "/": "slash", "#": "hash", "+": "plus",
    "*": "star", "&": "and", ":": "colon", ",": "comma",
}  # fmt: skip
_DATE_PARTS = re.compile(r"\d+")
_FORMATS = {"mdy", "dmy", "ymd", "md", "dm", "ym", "my", "y", "d", "m"}


def say_as(text: str, interpretation: str, how: str = "", language: str | None = None) -> str:
    """What is to be read for a text; one that cannot be taken so is read as it stands."""
    text = text.strip()
    if interpretation in _SPELLED:
        return _spelled(text, (language or "en").partition("-")[0])
    if interpretation in ("digits", "telephone"):
        return _digits(text)
    if interpretation in ("cardinal", "number"):
        return re.sub(r"(?<=\d)[ \u00a0\u202f_](?=\d)", "", text)
    if interpretation == "ordinal":
        return _ordinal(text, (language or "en").partition("-")[0])
    if interpretation == "date":
        return _date(text, how.lower())
    return text


def _spelled(text: str, language: str) -> str:
    """Letters and digits one by one; commas keep them from being read as a word or a number."""
    names = _SIGNS if language == "en" else {}
    visible = [char for char in text if char.isalnum() or unicodedata.category(char)[0] in "PS"]
    return ", ".join(char.upper() if char.isalpha() else names.get(char, char) for char in visible)


def _digits(text: str) -> str:
    groups = [" ".join(group) for group in re.findall(r"\d+", text)]
    said = ", ".join(groups)
    return f"+ {said}" if text.startswith("+") and said else said or text


def _ordinal(text: str, language: str) -> str:
    number = re.sub(r"\D", "", text)
    if not number:
        return text
    if language == "zh":
        return f"第{number}"
    if language != "en":
        return number + _ORDINAL_MARKS.get(language, ".")
    teen = number[-2:-1] == "1"
    return number + ("th" if teen else {"1": "st", "2": "nd", "3": "rd"}.get(number[-1], "th"))


def _date(text: str, how: str) -> str:
    parts = _DATE_PARTS.findall(text)
    if how not in _FORMATS or len(parts) != len(how):
        return text
    named = dict(zip(how, parts, strict=True))
    if len(how) == 3:
        return f"{named['y'].zfill(4)}-{named['m'].zfill(2)}-{named['d'].zfill(2)}"
    return text

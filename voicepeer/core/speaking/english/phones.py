"""How telephone numbers are said: digit by digit, with a breath between groups."""

from __future__ import annotations

import re

from voicepeer.core.speaking.english import numerals
from voicepeer.core.speaking.rule import Rule

_MIN_DIGITS, _MAX_DIGITS = 7, 15
"""An international number has at most fifteen (ITU-T E.164)."""

_FREEPHONE = {"800": "eight hundred"}


def _phone(match: re.Match[str]) -> str:
    said = [numerals.digits(group) for group in re.findall(r"\d+", match.group())]
    return ("plus " if match.group().startswith("+") else "") + ", ".join(said)


def _international(match: re.Match[str]) -> str | None:
    count = sum(char.isdecimal() for char in match.group())
    return _phone(match) if _MIN_DIGITS <= count <= _MAX_DIGITS else None


def _national(match: re.Match[str]) -> str | None:
    count = sum(char.isdecimal() for char in match.group())
    return _phone(match) if 9 <= count <= 12 else None


def _vanity(match: re.Match[str]) -> str:
    """ "1-800-FLOWERS"."""
    code = _FREEPHONE.get(match["code"]) or numerals.digits(match["code"])
    groups = [
        numerals.digits(group) if group.isdecimal() else group
        for group in re.findall(r"\d+|[A-Z]+", match["rest"])
    ]
    return " ".join((["one"] if match["one"] else []) + [f"{code},", *groups])


def _emergency(match: re.Match[str]) -> str:
    return f"{match[1]} {numerals.digits(match[2])}"


RULES = (
    Rule(re.compile(r"(?<=\d{4}) x(?=\d{1,5}\b)"), " extension "),
    Rule(
        re.compile(
            r"(?<![\w.+-])(?P<one>1[ .-])?\(?(?P<code>8(?:00|33|44|55|66|77|88)|900)\)?[ .-]"
            r"(?P<rest>(?=[\dA-Z-]*[A-Z]{3})(?:[A-Z]|\d(?=[\d-]*[A-Z-]))[\dA-Z]*(?:-[\dA-Z]+)*)(?!\w)"
        ),
        _vanity,
    ),
    Rule(
        re.compile(
            r"(?<![\w.+])\+\d{1,3}(?:[ .-]?\(\d{1,4}\))?(?:[ ./-]?\d{1,5}){2,6}(?![\w-]|\.\d)"
        ),
        _international,
    ),
    Rule(
        re.compile(
            r"(?<![\w.+-])\(\d{2,5}\)[ .-]?\d{3,4}[ .-]?\d{3,4}(?![\w-])"
            r"|(?<![\w.+-])(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?![\w-])"
            r"|(?<![\w.+-])\d{3}-\d{4}(?![\w-])"
            r"|(?<![\w.+-])\d{3}-\d{2}-\d{4}(?![\w-])"
            r"|(?<![\w.+-])\d{4}(?:[ -]\d{4}){3}(?![\w-])"
            r"|(?<![\w.+-])[6-9]\d{4} \d{5}(?![\w-])"
        ),
        _phone,
    ),
    Rule(
        re.compile(
            r"(?<![\w.+,-])\(?0\d{1,4}\)?(?:(?:[ /-]\d{2,5}){2,5}|[ /-]\d{5,8})(?![\w-]|[.,]\d)"
        ),
        _national,
    ),
    Rule(
        re.compile(r"\b([Cc]all|[Dd]ial|[Cc]alled|[Dd]ialed)\s(911|999|112|411|311|988)\b"),
        _emergency,
    ),
)

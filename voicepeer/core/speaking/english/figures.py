"""How what is left of digits and symbols is said, after everything with a meaning is gone."""

from __future__ import annotations

import re

from voicepeer.core.speaking.english import notation, numerals
from voicepeer.core.speaking.english.numerals import NUMBER
from voicepeer.core.speaking.english.parts import fraction_words
from voicepeer.core.speaking.rule import Rule, text_after
from voicepeer.core.speaking.vulgar import VULGAR

_FIXED = {"24/7": "twenty-four seven", "9/11": "nine eleven", "50/50": "fifty-fifty"}
_COMPARED = {"<": "less than ", ">": "more than ", "~": "about "}
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_MATHEMATICS = {
    "+": "plus", "-": "minus", "−": "minus", "–": "minus", "×": "times", "*": "times",
    "÷": "divided by", "/": "divided by", "=": "equals", "≠": "is not equal to",
    "≈": "is about", "≤": "is at most", "≥": "is at least", "<": "is less than",
    ">": "is greater than", "±": "plus or minus", "^": "to the power of",
}  # fmt: skip
_SYMBOLS = {
    "&": " and ", "@": " at ", "%": " percent ", "+": " plus ", "=": " equals ", "→": " to ",
    "←": " from ", "↔": " and ", "⇒": " then ", "≈": " about ", "±": " plus or minus ",
    "×": " times ", "÷": " divided by ", "≤": " at most ", "≥": " at least ", "°": " degrees ",
    "§": " section ", "∞": " infinity ", "√": " square root of ", "π": " pi ", "µ": " micro ",
    "$": " dollars ", "€": " euros ", "£": " pounds ", "¥": " yen ", "¢": " cents ",
    "№": " number ", "†": "", "‡": "", "©": "", "®": "", "™": "", "℠": "", "#": " ", "_": " ",
    "|": ", ", "\\": " ", "^": " ", "~": " ", "<": " ", ">": " ", "{": "", "}": "", "¶": "",
    "²": " squared", "³": " cubed", "*": " ", "`": "", "¦": " ", "¬": " not ",
    "∑": " sum ", "Δ": " delta ",
} | {sign: f" {said} " for sign, said in notation.NAMES.items()}  # fmt: skip


def _vulgar(match: re.Match[str]) -> str:
    top, bottom = VULGAR[match[2]]
    said = fraction_words(top, bottom)
    if not match[1]:
        return said
    part = "a half" if (top, bottom) == (1, 2) else said
    return f"{numerals.cardinal(int(match[1]))} and {part}"


def _fraction(match: re.Match[str]) -> str | None:
    if match.group() in _FIXED:
        return _FIXED[match.group()]
    whole, top, bottom = match["whole"], int(match["top"]), int(match["bottom"])
    if top >= bottom and re.match(r"\s?=", text_after(match)):
        return f"{numerals.cardinal(top)} divided by {numerals.cardinal(bottom)}"
    if top == bottom and top in (5, 10, 100):
        return f"{numerals.cardinal(top)} out of {numerals.cardinal(bottom)}"
    if not (1 < bottom <= 100 or bottom == 1000) or (top >= bottom and whole):
        return None
    if bottom > 16 and bottom not in (20, 50, 100, 1000):
        return f"{numerals.cardinal(top)} over {numerals.cardinal(bottom)}"
    said = fraction_words(top, bottom)
    return f"{numerals.cardinal(int(whole))} and {said}" if whole else said


def _ordinal(match: re.Match[str]) -> str:
    return numerals.ordinal(int(match[1].replace(",", "")))


def _range(match: re.Match[str]) -> str:
    first, second = match[1], match[3]
    falls = float(first.replace(",", "")) > float(second.replace(",", ""))
    link = "minus" if match[2] == " - " and falls else "to"
    return f"{numerals.decimal(first)} {link} {numerals.decimal(second)}"


def _spaced(match: re.Match[str]) -> str:
    return numerals.decimal(match.group().replace(" ", ""))


def _power(match: re.Match[str]) -> str:
    base, exponent = match[1], match[2].translate(_SUPERSCRIPTS).lstrip("^")
    said = numerals.decimal(base) if base[:1].isdigit() else base
    if exponent in ("2", "3"):
        return f"{said} {'squared' if exponent == '2' else 'cubed'}"
    return f"{said} to the power of {numerals.cardinal(int(exponent))}"


def _operation(match: re.Match[str]) -> str:
    return f" {_MATHEMATICS[match[1]]} "


def _negative(match: re.Match[str]) -> str:
    return f"minus {numerals.decimal(match[1])}"


def _exponent(match: re.Match[str]) -> str:
    sign = "minus " if match[2].startswith("-") else ""
    power = numerals.cardinal(int(match[2].lstrip("+-")))
    return f"{numerals.decimal(match[1])} times ten to the {sign}{power}"


def _list_marker(match: re.Match[str]) -> str:
    return f"{match[1]}{numerals.cardinal(int(match[2]))}, "


def _mixed(match: re.Match[str]) -> str:
    """Letters and digits in one word: "MP3", "B2B", "COVID-19", "x86"."""
    said: list[str] = []
    for part in re.findall(r"\d+\.\d+|\d+|[^\W\d]+", match.group()):
        if "." in part:
            said.append(numerals.decimal(part))
        elif part.isdecimal():
            said.append(numerals.grouped(part))
        else:
            said.append(part.upper() if len(part) == 1 else part)
    return " ".join(said)


def _plain(match: re.Match[str]) -> str:
    text = match.group()
    whole = text.partition(".")[0]
    if "," not in text and "." not in text and len(whole) > 9:
        return numerals.digits(text)
    return numerals.decimal(text)


def _symbol(match: re.Match[str]) -> str:
    return _SYMBOLS[match.group()]


_INTEGER = rf"{numerals.INDIAN}|\d{{1,3}}(?:,\d{{3}}){{1,9}}|\d+"

RULES = (
    Rule(re.compile(r"(?<=\d)_(?=\d{3}(?!\d))|(?<=\d)'(?=\d{3}(?!\d))"), ""),
    Rule(re.compile(r"(?<=\b[A-Z]\d)\s?[–-]\s?(?=[A-Z]\d\b)"), " to "),
    Rule(re.compile(r"(?<![\w.,])\d{1,3}(?: \d{3}){2,9}(?:\.\d+)?(?![\w,]|[ .]\d)"), _spaced),
    Rule(re.compile(r"(?m)^([ ]*)(\d{1,3})[.)][ ]+(?=\S)"), _list_marker),
    Rule(re.compile(rf"(?<![\w.])({_INTEGER})(?:st|nd|rd|th)\b"), _ordinal),
    Rule(re.compile(rf"(?:(\d+)[ ]?)?([{''.join(VULGAR)}])"), _vulgar),
    Rule(
        re.compile(
            r"(?<![\w./,])(?:(?P<whole>\d+)[ -])?(?P<top>\d{1,3})[/⁄](?P<bottom>\d{1,3}|1000)"
            r"(?![\w/.]*\d)"
        ),
        _fraction,
    ),
    Rule(re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)[eE]([+-]?\d{1,3})(?!\w)"), _exponent),
    Rule(re.compile(r"(\d+(?:\.\d+)?|\b[A-Za-z])([²³⁴⁵⁶⁷⁸⁹⁰¹⁻]+|\^-?\d{1,3}\b)"), _power),
    Rule(re.compile(r"(?<=\w)ⁿ"), " to the power of n"),
    Rule(re.compile(r"(?<=\w)\^([A-Za-z])\b"), lambda match: f" to the power of {match[1]}"),
    Rule(
        re.compile(rf"(?<![\w.,-])({NUMBER})(\s?[-–—]\s?)({NUMBER})(?![\w-]|\.\d)(?!\s?=)"), _range
    ),
    Rule(re.compile(r"(?<=\d)\s?([+×*÷=≠≈≤≥<>±^]|-(?=\d+\s?=))\s?(?=[-\d(])"), _operation),
    Rule(re.compile(r"(?<=[\w)])\s([+\-−–×*÷/=≠≈≤≥<>±])\s(?=[-\d(])"), _operation),
    Rule(
        re.compile(r"(?:(?<=\b[A-Za-z])|(?<=[\d)]))\s?([=≠≈≤≥<>])\s?(?=[A-Za-z]\b(?!'))"),
        _operation,
    ),
    Rule(re.compile(rf"(?<![\w.)\]-])[-−]({NUMBER})(?![\w-])"), _negative),
    Rule(re.compile(r"(?<=\d):(?=\d)"), " to "),
    Rule(re.compile(r"[-=]>"), " to "),
    Rule(re.compile(r"(?<=[A-Z])/(?=[A-Z0-9])|(?<=\w)/(?=[a-z]+/)"), " "),
    Rule(re.compile(r"(?<!\S)([<>~])\s?(?=\w)"), lambda match: _COMPARED[match[1]]),
    Rule(
        re.compile(r"(?<![\w.])(\d+\.\d+)([a-z]{1,3})\b"),
        lambda match: f"{numerals.decimal(match[1])} {match[2]}",
    ),
    Rule(re.compile(r"(?<=[^\W\d_])\.(?=\d)"), " point "),
    Rule(re.compile(r"(?<=[^\W\d_])-(?=\d)"), " "),
    Rule(re.compile(r"\b([A-G])#(?!\w)"), lambda match: f"{match[1]} sharp"),
    Rule(
        re.compile(r"\b(?=\w*\d)(?=\w*[^\W\d_])(?:[^\W_]*[^\W\d_]\d+\.\d+|[^\W_]+)\b(?!\.\d)"),
        _mixed,
    ),
    Rule(re.compile(r"(?<=\d)/(?=\d)"), " slash "),
    Rule(re.compile(NUMBER), _plain),
    Rule(re.compile(r"\b([Aa]nd)/(or)\b"), r"and or"),
    Rule(re.compile(r"(?<=[^\W\d_])/(?=[^\W\d_])"), " or "),
    Rule(re.compile(r"(?<=\w)_(?=\w)"), " "),
    notation.AND,
    Rule(re.compile(f"[{re.escape(''.join(_SYMBOLS))}]"), _symbol),
    notation.OTHERS,
    Rule(re.compile(r"(?<=\s)/(?=\s)|/"), " "),
)

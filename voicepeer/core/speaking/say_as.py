"""``<say-as>``: a text rewritten so that a normaliser reads it as what it is said to be.

The names are those of the W3C note "SSML 1.0 say-as attribute values" (2005) and their common
relatives.
"""

from __future__ import annotations

import calendar
import re
import unicodedata

_SPELLED = ("characters", "spell-out", "verbatim")
INTERPRETATIONS = frozenset(
    {
        *_SPELLED, "digits", "cardinal", "number", "ordinal", "date", "time", "duration",
        "telephone", "currency", "unit", "fraction", "address",
    }
)  # fmt: skip
"""``expletive`` is not among them: what must not be heard should not be sent."""

_ORDINAL_MARKS = {
    "es": ".º", "pt": "º", "it": "º", "fr": "e", "de": ".", "zh": "", "ja": "番目", "hi": "वां",
}  # fmt: skip
_SIGNS = {
    "-": "dash", ".": "dot", "_": "underscore", "@": "at", "/": "slash", "#": "hash", "+": "plus",
    "*": "star", "&": "and", ":": "colon", ",": "comma",
}  # fmt: skip
_PARTS = re.compile(r"\d+")
_FORMATS = frozenset("mdy dmy ymd md dm ym my y d m".split())
_COMPACT = {"ymd": (4, 2, 2), "mdy": (2, 2, 4), "dmy": (2, 2, 4), "ym": (4, 2), "my": (2, 4)}
_TIME = re.compile(r"(\d{1,2})(?:[:.h]?(\d\d))?(?:[:.]?(\d\d))?\s*([aApP]\.?[mM]\.?)?")
_LENGTH = re.compile(r"(?:(\d+)[:h])?(\d+)(?:['′:]|m(?:in)?)(\d+)(?:\"|″|''|s)?")
_WHOLE = re.compile(r"(?P<sign>[-−]?)(?P<digits>\d+)(?P<rest>\D\d*)?")
_MONTHS = tuple(calendar.month_name)


def say_as(text: str, interpretation: str, how: str = "", language: str | None = None) -> str:
    """What is to be read for a text; one that cannot be taken so is read as it stands.

    Args:
        text: as it is written.
        interpretation: one of ``INTERPRETATIONS``.
        how: the attribute ``format``, such as "dmy".
        language: of the text (BCP 47), English if it is not known.
    """
    text, primary, how = text.strip(), (language or "en").partition("-")[0], how.lower()
    if interpretation == "number" and how in ("cardinal", "ordinal", "digits", "telephone"):
        interpretation = how
    if interpretation in _SPELLED:
        return _spelled(text, primary)
    match interpretation:
        case "digits" | "telephone":
            return _digits(text, primary)
        case "cardinal" | "number":
            return _cardinal(text, primary)
        case "ordinal":
            return _ordinal(text, primary)
        case "date":
            return _date(text, how, primary)
        case "time":
            return _time(text, how)
        case "duration":
            return _duration(text, primary)
        case "fraction":
            return _fraction(text, primary)
        case _:
            return text


def _spelled(text: str, language: str) -> str:
    """Letters and digits one by one; commas keep them from being read as a word or a number."""
    names = _SIGNS if language == "en" else {}
    visible = [char for char in text if char.isalnum() or unicodedata.category(char)[0] in "PS"]
    return ", ".join(char.upper() if char.isalpha() else names.get(char, char) for char in visible)


def _digits(text: str, language: str) -> str:
    groups = [" ".join(group) for group in _PARTS.findall(text)]
    said = ", ".join(groups)
    plus = "plus" if language == "en" else "+"
    return f"{plus} {said}" if text.startswith("+") and said else said or text


def _cardinal(text: str, language: str) -> str:
    """With its thousands apart, as a year never is: "1,984"."""
    joined = re.sub(r"(?<=\d)[ \u00a0\u202f_,](?=\d{3}(?!\d))", "", text)
    found = _WHOLE.fullmatch(joined)
    if language not in ("en", "hi") or not found or len(found["digits"]) != 4:
        return joined
    grouped = f"{int(found['digits']):,}"
    return f"{found['sign']}{grouped}{found['rest'] or ''}" if found["digits"][0] != "0" else joined


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


def _date_parts(text: str, how: str) -> list[str]:
    parts = _PARTS.findall(text)
    widths = _COMPACT.get(how, ())
    if len(parts) == 1 and len(parts[0]) == sum(widths):
        at, parts = 0, []
        for width in widths:
            parts.append(text[at : at + width])
            at += width
    return parts


def _date(text: str, how: str, language: str) -> str:
    parts = _date_parts(text, how)
    if not _is_date(parts, how):
        return _digits(text, language)
    if how not in _FORMATS or len(parts) != len(how):
        return text
    named = dict(zip(how, parts, strict=True))
    if len(how) == 3:
        return f"{_full_year(named['y'])}-{named['m'].zfill(2)}-{named['d'].zfill(2)}"
    if language in ("zh", "ja"):
        marks = (("y", "年"), ("m", "月"), ("d", "日"))
        return "".join(named[key] + mark for key, mark in marks if key in named)
    if language != "en" or not 1 <= int(named.get("m", "1")) <= 12:
        return text
    month = _MONTHS[int(named.get("m", "0"))]
    if how == "d":
        return _ordinal(named["d"], language)
    return " ".join(part for part in (month, named.get("d"), named.get("y")) if part)


def _is_date(parts: list[str], how: str) -> bool:
    """Whether numbers can be a date, in any order if none is told; other text may be one."""
    if len(parts) == 3:
        orders = (how,) if how in _FORMATS and len(how) == 3 else ("ymd", "mdy", "dmy")
    elif len(parts) == 2 and how in ("md", "dm"):
        orders = (how,)
    else:
        return True
    return any(_is_day(dict(zip(order, parts, strict=True))) for order in orders)


def _is_day(named: dict[str, str]) -> bool:
    month, day, year = int(named["m"]), int(named["d"]), named.get("y", "2000")
    if not 1 <= month <= 12 or len(year) > 4:
        return False
    return 1 <= day <= calendar.monthrange(int(_full_year(year)) or 2000, month)[1]


def _full_year(year: str) -> str:
    if len(year) != 2:
        return year.zfill(4)
    return f"{'20' if int(year) < 50 else '19'}{year}"


def _time(text: str, how: str) -> str:
    """With colons, however it was written: "1430", "14h30", "2.30 pm"."""
    found = _TIME.fullmatch(text)
    if not found or (how.startswith("ms")) or not (found[2] or found[4]):
        return text
    said = ":".join(part for part in found.group(1, 2, 3) if part)
    return f"{said} {found[4]}" if found[4] else said


def _duration(text: str, language: str) -> str:
    """ "1'21\\"", "1:21" and "1h21m05s"; other languages read it as it stands."""
    found = _LENGTH.fullmatch(text.replace(" ", ""))
    if language != "en" or not found:
        return text
    return " ".join(
        f"{int(part)} {name}{'' if int(part) == 1 else 's'}"
        for part, name in zip(found.groups(), ("hour", "minute", "second"), strict=True)
        if part
    )


def _fraction(text: str, language: str) -> str:
    """ "1+1/2" is a mixed number; in English an ending keeps a fraction from being a date."""
    mixed = re.sub(r"(?<=\d)\s*\+\s*(?=\d+\s*[/⁄]\s*\d)", " ", text)
    if language != "en":
        return mixed
    return re.sub(r"(\d+)\s*[/⁄]\s*(\d+)$", r"\1/\2", mixed) + (
        "ths" if re.fullmatch(r"\d{1,3}/(?:1[3-9]|[2-9]\d|\d{3})", mixed) else ""
    )

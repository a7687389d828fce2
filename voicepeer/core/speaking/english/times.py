"""How times of day and time zones are said."""

from __future__ import annotations

import re

from voicepeer.core.speaking.english import numerals
from voicepeer.core.speaking.rule import Rule, text_after

_HALF_DAY = r"(?P<half>[ap]\.?m\b\.?|[AP]\.?M\b\.?)"
_ZONES = (
    "UTC|GMT|BST|CET|CEST|EET|EEST|MSK|IST|JST|KST|SGT|AEST|AEDT|NZST|NZDT|"
    "EST|EDT|CST|CDT|MST|MDT|PST|PDT|ET|CT|MT|PT|AKST|HST"
)


def _clock(hours: int, minutes: int) -> str:
    said = numerals.cardinal(hours)
    if minutes == 0:
        return said
    return f"{said} {'oh ' if minutes < 10 else ''}{numerals.cardinal(minutes)}"


def _half(match: re.Match[str]) -> str:
    return "A M" if match["half"][0] in "aA" else "P M"


def _period(match: re.Match[str]) -> str:
    """The period of "p.m." is also that of a sentence that ends with it."""
    rest = text_after(match)
    ends = match["half"].endswith(".") and (not rest.strip() or re.match(r"\s+[A-Z]", rest))
    return "." if ends else ""


def _day_time(hours: int, minutes: int, seconds: int) -> str:
    if seconds:
        return f"{_clock(hours, minutes)} and {numerals.cardinal(seconds)} seconds"
    if minutes:
        return _clock(hours, minutes)
    return (
        f"{numerals.cardinal(hours)} o'clock" if 0 < hours < 13 else f"{_clock(hours, 0)} hundred"
    )


def _offset(written: str | None) -> str:
    """How far a time is from UTC (RFC 3339)."""
    if not written:
        return ""
    return f" {_ahead(written[0], written[1:3], written[4:])}"


def _ahead(sign: str, hours: str, minutes: str | None) -> str:
    said = f"{'plus' if sign == '+' else 'minus'} {numerals.cardinal(int(hours))}"
    rest = int(minutes or 0)
    return f"{said} {numerals.cardinal(rest)}" if rest else said


def _time(match: re.Match[str]) -> str | None:
    hours, minutes = int(match["hours"]), int(match["minutes"] or 0)
    if hours > 24 or minutes > 59:
        return None
    if match["half"]:
        return f"{_clock(hours, minutes)} {_half(match)}{_period(match)}"
    return f"{_day_time(hours, minutes, int(match['seconds'] or 0))}{_offset(match['offset'])}"


def _hour(match: re.Match[str]) -> str | None:
    hours = int(match["hours"])
    return f"{numerals.cardinal(hours)} {_half(match)}{_period(match)}" if hours < 25 else None


def _military(match: re.Match[str]) -> str:
    hours = numerals.grouped(match[1])
    return f"{hours} {numerals.cardinal(int(match[2])) if int(match[2]) else 'hundred'}"


def _zone(match: re.Match[str]) -> str:
    """Names of time zones are spelled; an offset is said in hours."""
    name = " ".join(match["zone"])
    if not match["sign"]:
        return f" {name}"
    return f" {name} {_ahead(match['sign'], match['hours'], match['minutes'])}"


RULES = (
    Rule(
        re.compile(
            rf"(?<![\w:.,/$-])(\d{{1,2}}(?::\d\d)?)\s?[-–—]\s?(?=\d{{1,2}}(?::\d\d)?\s?{_HALF_DAY})"
            r"|(?<![\w:.,/$-])(\d{1,2}:\d\d)\s?[-–—]\s?(?=\d{1,2}:\d\d(?![\d:]))"
        ),
        lambda match: f"{match[1] or match.group(match.lastindex or 0)} to ",
    ),
    Rule(
        re.compile(
            r"\b(?:(?<=at )|(?<=by )|(?<=from )|(?<=until )|(?=0))([01]\d|2[0-3])([0-5]\d)"
            r"(?= (?:hours|hrs)\b)"
        ),
        _military,
    ),
    Rule(
        re.compile(
            r"(?<![\d:.])(?P<hours>\d{1,2}):(?P<minutes>\d\d)(?::(?P<seconds>\d\d)(?:\.\d+)?)?"
            rf"(?:\s?{_HALF_DAY}|Z\b)?(?![\d:]|,\d{{3}})(?P<offset>[+-]\d\d:\d\d)?"
        ),
        _time,
    ),
    Rule(re.compile(rf"(?<![\d:.,])(?P<hours>\d{{1,2}})\s?{_HALF_DAY}"), _hour),
    Rule(
        re.compile(
            rf"(?:(?<=\b[AP] M)\.?|(?<=[a-z])(?! [A-Z]{{2}}\b)) (?P<zone>{_ZONES})\b"
            r"(?:\s?(?P<sign>[+−-])(?P<hours>\d{1,2})(?::?(?P<minutes>\d\d))?)?"
        ),
        _zone,
    ),
    Rule(re.compile(r"(?<=\b[AP] M)\s?[-–]\s?(?=\w)"), " to "),
    Rule(re.compile(r"\b([Nn]oon|[Mm]idnight)\s?[-–]\s?(?=\w)"), lambda match: f"{match[1]} to "),
    Rule(
        re.compile(
            r"\b(?P<zone>UTC|GMT)\s?(?P<sign>[+−-])(?P<hours>\d{1,2})(?::?(?P<minutes>\d\d))?(?!\d)"
        ),
        lambda match: _zone(match).lstrip(),
    ),
)

"""Days, years and hours of Hindi."""

from __future__ import annotations

import re

from voicepeer.core.speaking.hindi import numerals, vocabulary
from voicepeer.core.speaking.hindi.vocabulary import END, LETTER
from voicepeer.core.speaking.rule import Rule, alternatives, followed, preceded

_DATE_BEFORE = re.compile(r"(?:तारीख़?|दिनांक|ता\.|दि\.|दिन)\s?:?\s?$")
_DATE_AFTER = re.compile(
    r"\s(?:को|तक|की रात|की सुबह|के दिन|से\s\d{1,2}/\d{1,2}\sतक)(?![\u0900-\u0963])"
)
_RANGE_AFTER = re.compile(r"\sसे\s\d{1,2}/\d{1,2}\sतक")
_OTHER_DAY = re.compile(r"\d{1,2}/\d{1,2}\sसे\s$")
_MONTH = alternatives(vocabulary.MONTH_NAMES)
_HALF = r"\s?(?P<half>[apAP])(?:\.\s?[mM]\.?|[mM])(?![A-Za-z])"
_EQUALS = re.compile(r"\s?=")


def _date(day: int, month: int, year: int) -> str | None:
    if not (1 <= day <= 31 and 1 <= month <= 12):
        return None
    return f"{numerals.cardinal(day)} {vocabulary.MONTHS[month - 1]} {numerals.year(year)}"


def _iso(match: re.Match[str]) -> str | None:
    said = _date(int(match[3]), int(match[2]), int(match[1]))
    return f"{said} " if said and match.group().endswith("T") else said


def _day_first(match: re.Match[str]) -> str | None:
    return _date(int(match[1]), int(match[3]), int(match[4]))


def _day_and_month(match: re.Match[str]) -> str | None:
    """Without a year it may be a fraction as well; what is around it tells."""
    day, month = int(match[1]), int(match[2])
    if (day, month) == (24, 7) or not (1 <= day <= 31 and 1 <= month <= 12):
        return None
    if followed(match, _EQUALS):
        return None
    named = preceded(match, _DATE_BEFORE)
    meant = (day >= month or month > 4) and followed(match, _DATE_AFTER)
    meant = meant or followed(match, _RANGE_AFTER)
    other = preceded(match, _OTHER_DAY)
    if not (named or meant or other or day > 12):
        return None
    return f"{numerals.cardinal(day)} {vocabulary.MONTHS[month - 1]}"


def _month(match: re.Match[str]) -> str:
    month = vocabulary.MONTHS[vocabulary.MONTH_NAMES[match["month"]] - 1]
    said = f" {month}"
    return f"{said} {numerals.year(int(match['year']))}" if match["year"] else said


def _clock(hours: int, minutes: int) -> str:
    if minutes == 0:
        return f"{numerals.cardinal(hours)} बजे"
    return f"{numerals.cardinal(hours)} बजकर {numerals.cardinal(minutes)} मिनट"


def _time(match: re.Match[str]) -> str | None:
    hours, minutes = int(match[1]), int(match[2] or 0)
    if hours > 24 or minutes > 59:
        return None
    half = match.groupdict().get("half")
    if not half:
        return _clock(hours or 12, minutes)
    return f"{_part_of_day(hours % 12, half)} {_clock(hours, minutes)}"


def _part_of_day(hours: int, half: str) -> str:
    if half.lower() == "a":
        return "सुबह" if hours >= 4 else "रात"
    return "दोपहर" if hours < 4 else "शाम" if hours < 8 else "रात"


def _year(match: re.Match[str]) -> str:
    upto = match.groupdict().get("upto")
    said = numerals.year(int(match["year"]))
    return f"{said} से {numerals.year(int(upto))}" if upto else said


def _school_year(match: re.Match[str]) -> str:
    """ "1990-91"."""
    return f"{numerals.year(int(match[1]))} {numerals.cardinal(int(match[2]))}"


_HOURS_UPTO = r"(?<=\d)(:\d\d(?:\s?बजे)?(?:\s?[apAP][mM])?|\s?[apAP][mM]|\s?बजे)\s?[-–]\s?"
DAYS = (
    Rule(re.compile(r"(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?!\d|-\d)(?:T(?=\d\d:))?"), _iso),
    Rule(re.compile(r"(?<![\d/.\w])(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?![\d/]|[.,-]\d)"),
         _day_first),
    Rule(re.compile(r"(?<![\d/.,\w])(\d{1,2})/(\d{1,2})(?![\w/]|[.,]\d)"), _day_and_month),
    Rule(re.compile(rf"(?<=\d)[ -](?P<month>{_MONTH})\.?(?!{LETTER})"
                    r"(?:,?[ -](?P<year>1[1-9]\d\d|20\d\d)(?![\d-]))?"), _month),
    Rule(re.compile(rf"{_HOURS_UPTO}(?=(?:(?:सुबह|दोपहर|शाम|रात)\s)?\d{{1,2}}(?::\d\d|\s?बजे|\s?[apAP][mM]))"),
         lambda match: f"{match[1]} से "),
    Rule(re.compile(rf"(?<![\d:.])(\d{{1,2}}):(\d\d)(?![\d:]|\.\d)(?:{_HALF}|\s?बजे)?"), _time),
    Rule(re.compile(rf"(?<![\d:.,/])(\d{{1,2}})()(?:{_HALF})"), _time),
)  # fmt: skip
"""Before telephone numbers and versions."""

YEARS = (
    Rule(re.compile(r"(?<![\w.,-])(?P<year>1[1-9]\d\d|20\d\d)\s?[-–]\s?(?P<upto>1[1-9]\d\d|20\d\d)(?![\w-])"),
         _year),
    Rule(re.compile(r"(?<![\w.,-])(1[1-9]\d\d|20\d\d)[-–](\d\d)(?![\w-]|[.,]\d)"),
         _school_year),
    Rule(re.compile(r"(?:(?<=सन् )|(?<=सन )|(?<=साल )|(?<=वर्ष )|(?<=ई\. ))"
                    r"(?P<year>1[1-9]\d\d)(?![\w.,-]\d|\d)"), _year),
    Rule(re.compile(rf"(?<![\w.,-])(?P<year>1[1-9]\d\d)(?=\s(?:में|से|तक|के|की|का|ई\.?){END})"),
         _year),
    Rule(re.compile(rf"(?:(?<=सन् )|(?<=सन )|(?<=साल )|(?<=वर्ष )|(?<={LETTER} ))"
                    r"(?P<year>1[1-9]\d\d)(?=\s?(?:[,।.]|$))"), _year),
)  # fmt: skip
"""After those, which may look like years."""

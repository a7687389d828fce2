"""Chapters and verses of the Bible: "John 3:16", "1 Cor. 13:4-7"."""

from __future__ import annotations

import re

from voicepeer.core.speaking.english import numerals
from voicepeer.core.speaking.rule import Rule, alternatives

_BOOKS = {
    "Gen": "Genesis", "Exod": "Exodus", "Ex": "Exodus", "Lev": "Leviticus", "Num": "Numbers",
    "Deut": "Deuteronomy", "Josh": "Joshua", "Judg": "Judges", "Sam": "Samuel", "Kgs": "Kings",
    "Chron": "Chronicles", "Chr": "Chronicles", "Neh": "Nehemiah", "Ps": "Psalm", "Pss": "Psalms",
    "Prov": "Proverbs", "Eccl": "Ecclesiastes", "Eccles": "Ecclesiastes", "Isa": "Isaiah",
    "Jer": "Jeremiah", "Lam": "Lamentations", "Ezek": "Ezekiel", "Dan": "Daniel", "Hos": "Hosea",
    "Obad": "Obadiah", "Mic": "Micah", "Hab": "Habakkuk", "Zeph": "Zephaniah", "Hag": "Haggai",
    "Zech": "Zechariah", "Mal": "Malachi", "Matt": "Matthew", "Mt": "Matthew", "Mk": "Mark",
    "Lk": "Luke", "Jn": "John", "Rom": "Romans", "Cor": "Corinthians", "Gal": "Galatians",
    "Eph": "Ephesians", "Phil": "Philippians", "Col": "Colossians", "Thess": "Thessalonians",
    "Tim": "Timothy", "Tit": "Titus", "Heb": "Hebrews", "Jas": "James", "Pet": "Peter",
    "Rev": "Revelation",
}  # fmt: skip
"""As the style of the Society of Biblical Literature and others shorten them."""

_NAMES = (
    *set(_BOOKS.values()),
    *("Psalms", "Ruth", "Ezra", "Esther", "Job", "Joel", "Amos", "Jonah", "Nahum", "Acts"),
    *("Philemon", "Jude", "Ecclesiastes"),
)
_ALSO_NAMES = ("Dan", "Phil", "Tim", "Col", "Rev", "Num", "Mal", "Tit", "Ex", "Mt", "Sam", "Mic")
"""Short forms that are something else without their period."""

_NUMBERS = {"1": "First", "2": "Second", "3": "Third", "I": "First", "II": "Second", "III": "Third"}
_WITHOUT_PERIOD = alternatives(_BOOKS.keys() - set(_ALSO_NAMES))


def _verse(match: re.Match[str]) -> str:
    book = _BOOKS.get(match["book"].removesuffix("."), match["book"])
    number = f"{_NUMBERS[match['number']]} " if match["number"] else ""
    chapter, first = (numerals.cardinal(int(match[name])) for name in ("chapter", "first"))
    said = f"{number}{book} {chapter}, {first}"
    return f"{said} to {numerals.cardinal(int(match['last']))}" if match["last"] else said


RULES = (
    Rule(
        re.compile(
            rf"\b(?:(?P<number>[123]|I{{1,3}}) )?"
            rf"(?P<book>{alternatives(_NAMES)}|(?:{alternatives(_BOOKS)})\.|{_WITHOUT_PERIOD}) ?"
            r"(?<=[\s.])(?P<chapter>\d{1,3}):(?P<first>\d{1,3})(?:[-–](?P<last>\d{1,3}))?"
            r"(?![\d:]|\s?[ap]\.?m\b|\s?[AP]\.?M\b)"
        ),
        _verse,
    ),
)
"""Before times of day."""

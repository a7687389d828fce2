"""Kinds of streets that are shortened like something else: "Oak Dr." is no doctor."""

from __future__ import annotations

import re

from voicepeer.core.speaking.abbreviation import STARTERS
from voicepeer.core.speaking.rule import Rule, text_after, text_before

_KINDS = {"Dr": "Drive", "Ct": "Court", "Pl": "Place", "Cir": "Circle", "Ter": "Terrace",
          "Trl": "Trail", "Xing": "Crossing"}  # fmt: skip
_SIDES = {"N": "North", "S": "South", "E": "East", "W": "West"}
_NAME = r"(?:(?:[NSEW]\.? )?(?:[A-Z][\w'’-]+|\d+(?:st|nd|rd|th)) ){1,3}"
_NUMBERED = re.compile(rf"(?<![\w.,])\d{{1,5}}[A-Z]? {_NAME}$")
_PLACED = re.compile(
    r"\b(?:on|onto|at|along|down|up|from|to|near|off|of|toward|towards|past|across|and|between|into|"
    rf"via) {_NAME}$"
)
_NAMED = re.compile(rf"(?:^|[^\w]){_NAME}$")
_ADDRESSED = re.compile(r"\b(?:Dear|Hello|Hi|Hey|Thanks|Ask|Call|See|Meet|Tell|The|Our|My|And) $")
_NEXT = re.compile(r"\s+(?P<word>[^\W\d_]+)")


def _ends(match: re.Match[str], following: str) -> str:
    """The period of a sentence, where the abbreviation's own was it as well."""
    ends = not following or following[0].isupper()
    return "." if match[2] and ends and not text_after(match).startswith(",") else ""


def _street(match: re.Match[str]) -> str | None:
    """A street behind its name, unless a doctor's name follows."""
    before, found = text_before(match), _NEXT.match(text_after(match))
    following = found["word"] if found else ""
    if not _NAMED.search(before) or _ADDRESSED.search(before):
        return None
    is_address = _NUMBERED.search(before) is not None
    opens = following.lower() in STARTERS
    if following[:1].isupper() and not (is_address or (opens and _PLACED.search(before))):
        return None
    if following in ("and", "or") and not (is_address or _PLACED.search(before)):
        return None
    ended = opens or not following[:1].isupper()
    return _KINDS[match[1]] + (_ends(match, following) if ended else "")


RULES = (
    Rule(re.compile(rf"\b({'|'.join(_KINDS)})\b(\.)?(?!\w)"), _street),
    Rule(re.compile(r"(?<=\d )([NSEW])\.(?= [A-Z0-9][\w'-]+ )"), lambda match: _SIDES[match[1]]),
)
"""Before titles."""

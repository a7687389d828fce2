"""A rule of a normaliser: what to find and what is said for it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from voicepeer.core.speaking.spoken import Reader


class Rule(NamedTuple):
    """Rules are applied one after the other, so a later one sees what earlier ones left."""

    pattern: re.Pattern[str]
    reader: Reader | str


def alternatives(names: Iterable[str]) -> str:
    """Pattern of any of some names, longest first."""
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


_NEAR = 40
"""Characters before a match that may tell what it is."""


def preceded(match: re.Match[str], pattern: re.Pattern[str]) -> bool:
    """Whether a pattern, which ends with "$", fits what is right before a match."""
    start = match.start()
    return pattern.search(match.string, max(0, start - _NEAR), start) is not None


def followed(match: re.Match[str], pattern: re.Pattern[str]) -> bool:
    """Whether a pattern fits what is right after a match."""
    return pattern.match(match.string, match.end()) is not None


def text_before(match: re.Match[str]) -> str:
    """What is right before a match, as far as it may tell what that is.

    Readers look at no more, so that a text of thousands of matches is not read thousands of times.
    """
    return match.string[max(0, match.start() - _NEAR) : match.start()]


def text_after(match: re.Match[str]) -> str:
    """What is right after a match, in the same way."""
    return match.string[match.end() : match.end() + _NEAR]

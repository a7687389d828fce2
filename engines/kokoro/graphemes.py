"""Letters to sounds by ordered rules: at each place the first rule that fits is applied."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Rule(NamedTuple):
    """Some letters and their sounds.

    ``letters`` and ``before`` are regular expressions; what has to follow is a lookahead at the end
    of ``letters``, what has to precede is matched by the end of ``before``.
    """

    letters: str
    sounds: str
    before: str = ""


@dataclass(slots=True)
class Sound:
    """What some letters sound like, and the place of the first of them in the word."""

    text: str
    place: int


class Graphemes:
    """The rules of a language."""

    def __init__(self, rules: Iterable[tuple[str, str] | Rule]) -> None:
        """Take rules in the order they are tried in."""
        self._rules = [
            (re.compile(rule.letters), rule.sounds, re.compile(rf"(?:{rule.before})\Z"))
            for rule in (Rule(*given) for given in rules)
        ]

    def read(self, word: str) -> list[Sound]:
        """Sounds of a word in order; letters without a rule are silent."""
        found: list[Sound] = []
        place = 0
        while place < len(word):
            place = self._step(word, place, found)
        return found

    def _step(self, word: str, place: int, found: list[Sound]) -> int:
        for letters, sounds, before in self._rules:
            match = letters.match(word, place)
            if match is not None and match.end() > place and before.search(word[:place]):
                if sounds:
                    found.append(Sound(sounds, place))
                return match.end()
        return place + 1

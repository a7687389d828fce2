"""Words of one spelling and several sounds, told apart by what stands beside them in a clause."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from engines.kokoro.tokens import CLAUSE_MARKS, Token


class Homograph(NamedTuple):
    """One word, and how it is spelled where its sounds are to be others."""

    word: str
    respelled: str
    before: str = ""
    """Pattern of the words before it, the last ones of them; empty for any."""
    after: str = ""
    """Pattern of the words after it, the first ones of them; empty for any."""
    unless: str = ""
    """Pattern of words before it that speak against it; empty for none."""


@dataclass(frozen=True, slots=True)
class _Rule:
    respelled: str
    before: re.Pattern[str]
    after: re.Pattern[str]
    unless: re.Pattern[str] | None


class Homographs:
    """The homographs of a language; the first rule that fits a word is applied."""

    def __init__(self, rules: Iterable[Homograph]) -> None:
        """Take rules in the order they are tried in; patterns see small letters."""
        self._rules: dict[str, list[_Rule]] = {}
        for rule in rules:
            before = re.compile(rf"(?:^|\s)(?:{rule.before})\s?$" if rule.before else "")
            after = re.compile(rf"(?:{rule.after})(?:\s|$)" if rule.after else "")
            unless = re.compile(rf"(?:^|\s)(?:{rule.unless})\s?$") if rule.unless else None
            found = self._rules.setdefault(rule.word, [])
            found.append(_Rule(rule.respelled, before, after, unless))

    def respell(self, tokens: list[Token]) -> list[Token]:
        """The tokens, homographs among them with accents that tell their sounds."""
        lower = [token.text.lower() for token in tokens]
        return [
            replace(token, text=self._respelled(tokens, lower, index))
            if token.kind == "word" and lower[index].rpartition("'")[2] in self._rules
            else token
            for index, token in enumerate(tokens)
        ]

    def _respelled(self, tokens: list[Token], lower: list[str], index: int) -> str:
        head, apostrophe, word = lower[index].rpartition("'")
        before = f"{clause_before(tokens, lower, index)} {head}{apostrophe}".strip()
        after = clause_after(tokens, lower, index)
        for rule in self._rules[word]:
            vetoed = rule.unless is not None and rule.unless.search(before)
            if not vetoed and rule.before.search(before) and rule.after.match(after):
                return head + apostrophe + rule.respelled
        return tokens[index].text


def clause_before(tokens: list[Token], lower: list[str], index: int) -> str:
    """The words of a clause before one of them, in small letters, at most six."""
    words: list[str] = []
    for at in range(index - 1, -1, -1):
        if tokens[at].text in CLAUSE_MARKS or len(words) == 6:
            break
        if tokens[at].kind != "space":
            words.append(lower[at])
    return " ".join(reversed(words))


def clause_after(tokens: list[Token], lower: list[str], index: int) -> str:
    """The words of a clause after one of them, in small letters, at most four."""
    words: list[str] = []
    for at in range(index + 1, len(tokens)):
        if tokens[at].text in CLAUSE_MARKS or len(words) == 4:
            break
        if tokens[at].kind != "space":
            words.append(lower[at])
    return " ".join(words)

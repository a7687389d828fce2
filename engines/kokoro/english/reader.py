"""Phonemes of the words of a text, each in its context."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from engines.kokoro.english import heteronyms, letters, lexicon, names, stress
from engines.kokoro.english.lexicon import Variety
from engines.kokoro.english.pronounce import Pronouncer, default_of
from engines.kokoro.tokens import CLAUSE_MARKS, Token

_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_SYMBOLS = {
    "&": "and", "%": "percent", "+": "plus", "@": "at", "=": "equals", "°": "degrees",
    "$": "dollars", "€": "euros", "£": "pounds", "#": "hash", "/": "slash", "*": "times",
    "<": "less than", ">": "greater than",
}  # fmt: skip
_READING_LETTERS = frozenset({"dot", "at", "dash", "slash", "underscore"})


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a word stands: its clause, and what is heard after it."""

    words: list[str]
    index: int
    final: bool
    vowel_follows: bool
    next_text: str


class EnglishReader:
    """Reads tokens of a text in one variety of English."""

    def __init__(self, variety: Variety) -> None:
        self._pronouncer = Pronouncer(lexicon.load(variety))
        letters.load(variety)  # now, so that the first unknown word does not wait for it
        names.load()
        self._british = variety == "gb"

    def read(self, tokens: list[Token]) -> list[str]:
        """Phonemes of each token; empty for marks, spaces and what cannot be said."""
        said = [""] * len(tokens)
        places = _clauses(tokens)
        shouting = _is_shouting(tokens)
        vowel_follows, final, next_text = False, True, ""
        for i in reversed(range(len(tokens))):
            token = tokens[i]
            if token.kind == "mark" and token.text in CLAUSE_MARKS:
                final, next_text = True, ""
            if i not in places:
                continue
            words, index = places[i]
            place = _Place(words, index, final, vowel_follows, next_text)
            said[i] = self._token(token, place, shouting)
            if said[i]:
                vowel_follows = _begins_with_vowel(said[i])
                final, next_text = False, token.text
        return said

    def _token(self, token: Token, place: _Place, shouting: bool) -> str:
        if token.kind == "digits":
            return self._phrase([_DIGITS[int(digit)] for digit in token.text])
        if token.kind == "mark":
            return self._phrase(_SYMBOLS.get(token.text, "").split())
        word = token.text.lower() if shouting and len(token.text) > 1 else token.text
        return self._word(word, place)

    def _phrase(self, words: list[str]) -> str:
        return " ".join(self._pronouncer.known_or_unknown(word) for word in words)

    def _word(self, word: str, place: _Place) -> str:
        said = self._weak(word, place)
        if said is not None:
            return said
        bare = word.strip("'")
        if word.startswith("'") and (found := self._pronouncer.lexicon.find(word)) is not None:
            return default_of(found)
        said = self._in_context(bare, place)
        return _as_written(bare, said)

    def _in_context(self, word: str, place: _Place) -> str:
        lower = word.lower()
        meant = heteronyms.by_meaning(lower, place.words, place.index, self._british)
        if meant is not None:
            return meant
        entry = self._pronouncer.entry(word)
        if isinstance(entry, dict):
            if word.isupper() and len(word) > 1 and entry.get("NOUN", "") is None:
                return self._pronouncer.spell(word)
            chosen = heteronyms.choose(lower, entry, place.words, place.index, place.final)
            return chosen or self._pronouncer.spell(word)
        if entry is not None:
            return entry
        if "-" in word:
            parts = [part for part in word.split("-") if part]
            return stress.compound([self._pronouncer.known_or_unknown(part) for part in parts])
        return self._pronouncer.unknown(word)

    def _weak(self, word: str, place: _Place) -> str | None:
        """Words whose sound depends on what follows; None for all others."""
        match word:
            case "a" | "A":
                letter = place.final or (word == "A" and _is_letter_name(place))
                return "ˈA" if letter else "ɐ"
            case "an" | "An":
                return "ɐn"
            case "the" | "The":
                return "ði" if place.vowel_follows or place.final else "ðə"
            case "to" | "To":
                return None if place.final else ("tʊ" if place.vowel_follows else "tə")
            case "in" | "In":
                return "ˈɪn" if place.final else "ɪn"
            case "am" if not place.final:
                return "ɐm"
            case "I":
                return "ˌI"
            case "vs" | "VS":
                return self._phrase(["versus"])
            case _:
                return None


def _as_written(word: str, said: str) -> str:
    """Capitals add stress, as in the transcripts that the model learned from."""
    if word.isupper() and len(word) > 1:
        return stress.emphasized(said)
    if word[:1].isupper():
        return stress.with_stress(said, stress.SECONDARY)
    return said


def _is_letter_name(place: _Place) -> bool:
    """Whether "A" is the letter: alone, after the first word, or spelled out."""
    after = place.next_text
    if place.final or after.lower() in _READING_LETTERS:
        return True
    return len(after) == 1 and after not in ("I", "a")


def _begins_with_vowel(said: str) -> bool:
    return said.lstrip(stress.PRIMARY + stress.SECONDARY)[:1] in stress.VOWELS


def _is_shouting(tokens: list[Token]) -> bool:
    words = [token.text for token in tokens if token.kind == "word" and len(token.text) > 1]
    loud = sum(word.isupper() for word in words)
    return len(words) > 2 and loud > 0.6 * len(words)


def _clauses(tokens: list[Token]) -> dict[int, tuple[list[str], int]]:
    """For each token with a reading: the words of its clause and its place among them."""
    places: dict[int, tuple[list[str], int]] = {}
    words: list[str] = []
    for i, token in enumerate(tokens):
        if token.kind in ("word", "digits") or token.text in _SYMBOLS:
            places[i] = (words, len(words))
            words.append(token.text.lower())
        elif token.kind == "mark" and token.text in CLAUSE_MARKS:
            words = []
    return places


@functools.cache
def reader(variety: Variety) -> EnglishReader:
    """The reader of a variety, made once in a process."""
    return EnglishReader(variety)

"""Reads tokens in a language whose spelling tells the sounds: words, acronyms, letters, signs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engines.kokoro.tokens import CLAUSE_MARKS, Token


@dataclass(frozen=True, slots=True, kw_only=True)
class Alphabet:
    """What of a language is not in its rules for words."""

    pronounce: Callable[[str], str]
    """Phonemes of one word of letters and apostrophes, in any case; may be empty."""
    digits: tuple[str, ...]
    """Words of the digits from 0 to 9."""
    letters: Mapping[str, str]
    """Names of the letters, as words that are pronounced."""
    symbols: Mapping[str, str]
    """Words of the signs that were not said before."""
    words_of_one_letter: str
    """Letters that are words when they stand alone."""
    vowels: str
    """Capitals that make a syllable, for telling acronyms from words."""
    onsets: str
    """Second consonants that may follow a first one at the beginning of a word."""
    acronyms: Mapping[str, str] = field(default_factory=dict)
    """Words for acronyms whose letters do not tell whether they are spelled."""

    def spell(self, letters: str) -> str:
        """Names of letters, for acronyms; what has no name is left out."""
        names = " ".join(
            self.letters[letter] for letter in letters.lower() if letter in self.letters
        )
        return self.phrase(names)

    def phrase(self, text: str) -> str:
        """Words with blanks between them."""
        return " ".join(filter(None, (self.pronounce(word) for word in text.split())))

    def word(self, text: str) -> str:
        """A word of a text, which may be an acronym, a letter, or a compound with hyphens."""
        bare = text.strip("'")
        head, apostrophe, rest = bare.rpartition("'")
        if apostrophe and len(rest) > 1 and rest.isupper():  # "dell'ONU"
            return f"{self.pronounce(head)}{self.word(rest)}"
        if bare in self.acronyms:
            return self.phrase(self.acronyms[bare])
        if self._is_spelled(bare):
            return self.spell(bare)
        return self.phrase(text.replace("-", " "))

    def _is_spelled(self, bare: str) -> bool:
        """Whether a word is said letter by letter: "B", "SNCF", "km"."""
        if len(bare) == 1:
            return bare.lower() not in self.words_of_one_letter
        if not bare or "'" in bare:
            return False
        has_vowels = any(letter in self.vowels for letter in bare.upper())
        return not has_vowels or (bare.isupper() and not self._is_speakable(bare))

    def _is_speakable(self, word: str) -> bool:
        """Capitals that are read as a word have vowels and no long run of consonants."""
        consonant, vowel = f"[^{self.vowels}]", f"[{self.vowels}]"
        if len(word) <= 3:
            return re.fullmatch(f"{vowel}{consonant}{vowel}", word) is not None  # "ONU"
        unlike = f"{consonant}{{3}}|^{consonant}[^{self.vowels}{self.onsets}]|{consonant}{{2}}$"
        return re.search(unlike, word) is None

    def token(self, token: Token) -> str:
        """Phonemes of a token; empty for marks, spaces and what cannot be said."""
        match token.kind:
            case "word":
                return self.word(token.text)
            case "digits":
                return self.phrase(" ".join(self.digits[int(digit)] for digit in token.text))
            case "mark":
                return self.phrase(self.symbols.get(token.text, ""))
            case "space":
                return ""


def followers(tokens: list[Token]) -> list[int | None]:
    """For each token the index of the word that follows it without a pause, if one does."""
    found: list[int | None] = [None] * len(tokens)
    following: int | None = None
    for index in reversed(range(len(tokens))):
        found[index] = following
        token = tokens[index]
        if token.kind == "word":
            following = index
        elif token.kind == "digits" or token.text in CLAUSE_MARKS:
            following = None
    return found

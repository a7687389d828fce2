"""Phonemes of one word: lexicon, inflection, compounds, spelling, letters to sound."""

from __future__ import annotations

import re
import unicodedata

from engines.kokoro.english import inflection, letters, stress
from engines.kokoro.english.additions import SPELLED, addition
from engines.kokoro.english.lexicon import Entry, Lexicon
from engines.kokoro.english.names import listed, name

_PLURAL_ACRONYM = re.compile(r"[A-Z]{2,}s")
_REPEATED = re.compile(r"(.)\1{2,}")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_PREFIXES = ("anti", "auto", "counter", "hyper", "inter", "micro", "mid", "mini", "mis", "multi",
             "non", "over", "post", "pre", "re", "semi", "sub", "super", "tele", "ultra", "un",
             "under")  # fmt: skip
_SUFFIXES = {"ly": "li", "ness": "nəs", "less": "ləs", "ful": "fəl", "like": "lˌIk",
             "ish": "ɪʃ", "wise": "wˌIz", "ward": "wəɹd", "ship": "ʃˌɪp"}  # fmt: skip
_CLITICS = {"ve": "əv", "d": "d", "ll": "əl", "re": "əɹ", "m": "m", "t": "t", "n": "ən"}
_MIN_PART = 3
_MIN_TAIL = 4
_MAX_SPELLED = 5


def plain(word: str) -> str:
    """A word with the accents of its Latin letters taken off ("café" to "cafe")."""
    apart = unicodedata.normalize("NFKD", word)
    return "".join(c for c in apart if not unicodedata.combining(c))


def default_of(entry: Entry) -> str:
    """The commonest reading of an entry."""
    return entry if isinstance(entry, str) else entry["DEFAULT"] or ""


class Pronouncer:
    """Knows words of one variety, without their context."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon

    def entry(self, word: str) -> Entry | None:
        """What the lexicon has for a word, itself or as a regular inflection."""
        if _PLURAL_ACRONYM.fullmatch(word):
            return inflection.add_s(self.known_or_unknown(word[:-1]), self.lexicon.british)
        found = self._direct(word)
        if found is not None or word.isupper():
            return found
        return self._inflected(word.lower()) or listed(word, self.lexicon.british)

    def _direct(self, word: str) -> Entry | None:
        if word.lower() in SPELLED:
            return self.spell(word)
        british = self.lexicon.british
        return name(word, british) or self.lexicon.find(word) or addition(word, british)

    def _inflected(self, word: str) -> str | None:
        for stem in inflection.stems(word):
            found = self._direct(stem.word)
            if found is not None and len(stem.word) > 1:
                return stem.add(default_of(found), self.lexicon.british)
        return None

    def spell(self, letters: str) -> str:
        """Names of the letters, one after the other."""
        return stress.spelled([self.lexicon.letter(c) for c in letters if c.upper() in _LATIN])

    def unknown(self, word: str) -> str:
        """Phonemes of a word that has no entry."""
        latin = plain(word)
        if latin != word and (found := self.entry(latin)) is not None:
            return default_of(found)
        if self.is_acronym(latin):
            return self._acronym(latin)
        stem, _, clitic = latin.partition("'")
        if clitic:
            return self._contracted(stem, clitic)
        parts = _CAMEL.findall(latin)
        if len(parts) > 1:
            said = [self.known_or_unknown(part) for part in parts]
            return (
                " ".join(filter(None, said))
                if any(map(self.is_acronym, parts))
                else stress.compound(said)
            )
        lower = latin.lower()
        return self._affixed(lower) or self._compound(lower) or self._sounded_out(lower)

    def _contracted(self, stem: str, clitics: str) -> str:
        said = self.known_or_unknown(stem) if stem else ""
        for clitic in clitics.lower().split("'"):
            if clitic == "s" and said:
                said = inflection.add_s(said, self.lexicon.british)
            else:
                said += _CLITICS.get(clitic) or (self.known_or_unknown(clitic) if clitic else "")
        return said

    def known_or_unknown(self, word: str) -> str:
        """Phonemes of a word or part of one, from the lexicon or by rule."""
        found = self.entry(word)
        return default_of(found) or self.spell(word) if found is not None else self.unknown(word)

    def is_acronym(self, word: str) -> bool:
        """Whether a word without an entry is to be spelled."""
        base = word.removesuffix("s").removesuffix("'")
        if len(base) > 1 and base.isascii() and base.isupper():
            return len(base) <= _MAX_SPELLED or not _has_vowel(base)
        return word.isascii() and not _has_vowel(word)

    def _acronym(self, word: str) -> str:
        base = word.removesuffix("s").removesuffix("'") if not word.isupper() else word
        said = self.spell(base)
        return inflection.add_s(said, self.lexicon.british) if base != word and said else said

    def _affixed(self, word: str) -> str | None:
        for prefix in _PREFIXES:
            rest = word.removeprefix(prefix)
            if rest != word and len(rest) >= _MIN_PART and (found := self.entry(rest)):
                first = self.lexicon.find(prefix)
                return stress.weakened(default_of(first or "")) + default_of(found)
        for suffix, sound in _SUFFIXES.items():
            rest = word.removesuffix(suffix)
            if rest != word and len(rest) >= _MIN_PART and (found := self.entry(rest)):
                return default_of(found) + sound
        return None

    def _compound(self, word: str) -> str | None:
        for cut in range(len(word) - _MIN_TAIL, _MIN_PART - 1, -1):
            head, tail = self.lexicon.gold.get(word[:cut]), self.lexicon.gold.get(word[cut:])
            if head is not None and tail is not None:
                return stress.compound([default_of(head), default_of(tail)])
        return None

    def _sounded_out(self, word: str) -> str:
        shorter = _REPEATED.sub(r"\1", word)
        if shorter != word and (found := self.entry(shorter)) is not None:
            return default_of(found)
        return letters.load(self.lexicon.variety).pronounce(word) or self.spell(word)


_LATIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def _has_vowel(word: str) -> bool:
    return any(c in "aeiouyAEIOUY" for c in word)

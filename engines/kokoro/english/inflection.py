"""Regular English endings, in spelling and in sound (-s, -'s, -ed, -ing)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

_VOICELESS = frozenset("ptkfθsʃʧ")
_SIBILANT = frozenset("szʃʒʧʤ")
_FLAPPING = frozenset("AIOWYiuæɑəɛɪɹʊʌ")
"""After these an American t between vowels is a flap."""

_DOUBLED = frozenset("bdgklmnprtvz")


@dataclass(frozen=True, slots=True)
class Stem:
    """A possible stem of an inflected word and what its ending adds to the sound."""

    word: str
    add: Callable[[str, bool], str]


def add_s(stem: str, british: bool) -> str:
    """Sound of the plural, of the third person and of the possessive."""
    if stem[-1] in _SIBILANT:
        return stem + ("ɪz" if british else "ᵻz")
    return stem + ("s" if stem[-1] in _VOICELESS else "z")


def add_ed(stem: str, british: bool) -> str:
    """Sound of the regular past."""
    vowel = "ɪ" if british else "ᵻ"
    if stem[-1] == "t" and not british and len(stem) > 1 and stem[-2] in _FLAPPING:
        return stem[:-1] + "ɾᵻd"
    if stem[-1] in "td":
        return stem + vowel + "d"
    return stem + ("t" if stem[-1] in _VOICELESS else "d")


def add_ing(stem: str, british: bool) -> str:
    """Sound of the gerund."""
    if stem[-1] == "t" and not british and len(stem) > 1 and stem[-2] in _FLAPPING:
        return stem[:-1] + "ɾɪŋ"
    if british and stem[-1] in "əː":
        return stem + "ɹɪŋ"
    return stem + "ɪŋ"


def _doubled(stem: str) -> bool:
    return len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] in _DOUBLED


def _s_stems(word: str) -> Iterator[str]:
    if word.endswith("ies") and len(word) > 4:
        yield word[:-3] + "y"
    if not word.endswith("ss"):
        yield word[:-1]
    if word.endswith("es") and len(word) > 4:
        yield word[:-2]


def _ed_stems(word: str) -> Iterator[str]:
    if word.endswith("ied") and len(word) > 4:
        yield word[:-3] + "y"
    yield word[:-1]
    yield word[:-2]
    if _doubled(word[:-2]):
        yield word[:-3]


def _ing_stems(word: str) -> Iterator[str]:
    yield word[:-3]
    yield word[:-3] + "e"
    if _doubled(word[:-3]):
        yield word[:-4]
    if word.endswith("cking"):
        yield word[:-4]


def stems(word: str) -> Iterator[Stem]:
    """Words (lower case) that a word may be an inflection of, likeliest first."""
    if word.endswith("'s") and len(word) > 2:
        yield Stem(word[:-2], add_s)
    if word.endswith("s") and "'" not in word and len(word) > 2:
        yield from (Stem(stem, add_s) for stem in _s_stems(word))
    if word.endswith("ed") and len(word) > 3:
        yield from (Stem(stem, add_ed) for stem in _ed_stems(word))
    if word.endswith("ing") and len(word) > 4:
        yield from (Stem(stem, add_ing) for stem in _ing_stems(word))

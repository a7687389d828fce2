"""Stress marks in the model's phonemes: moving, adding and weakening them."""

from __future__ import annotations

PRIMARY = "ˈ"
SECONDARY = "ˌ"
VOWELS = frozenset("AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻɐ")
"""Symbols that carry a syllable; capitals are the model's diphthongs."""


def is_stressed(phonemes: str) -> bool:
    """Whether any syllable is marked."""
    return PRIMARY in phonemes or SECONDARY in phonemes


def unstressed(phonemes: str) -> str:
    """Without any mark."""
    return phonemes.replace(PRIMARY, "").replace(SECONDARY, "")


def weakened(phonemes: str) -> str:
    """Primary stress becomes secondary, and what was secondary is gone."""
    return phonemes.replace(SECONDARY, "").replace(PRIMARY, SECONDARY)


def with_stress(phonemes: str, mark: str) -> str:
    """Mark the first vowel of a word that has no stress; others stay as they are."""
    if is_stressed(phonemes):
        return phonemes
    for index, symbol in enumerate(phonemes):
        if symbol in VOWELS:
            return phonemes[:index] + mark + phonemes[index:]
    return phonemes


def emphasized(phonemes: str) -> str:
    """With a primary stress, as a word in capitals has."""
    if PRIMARY in phonemes:
        return phonemes
    if SECONDARY in phonemes:
        return phonemes.replace(SECONDARY, PRIMARY, 1)
    return with_stress(phonemes, PRIMARY)


def spelled(letters: list[str]) -> str:
    """Join the names of letters: only the last keeps its primary stress."""
    if not letters:
        return ""
    *head, tail = letters
    return "".join(weakened(name) for name in head) + emphasized(tail)


def compound(parts: list[str]) -> str:
    """Join the parts of a compound: the first keeps its stress, the others are weakened."""
    if not parts:
        return ""
    head, *tail = parts
    return head + "".join(weakened(part) for part in tail)

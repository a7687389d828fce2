"""Words of Cyrillic, Greek and Hangul in Latin letters, so that a sentence of another language can
name them: an accent instead of a gap or a refusal.
"""

from __future__ import annotations

import re
import unicodedata

from voicepeer.core.speaking.spoken import Draft

SCRIPTS = frozenset(("cyrillic", "greek", "hangul"))

_CYRILLIC = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґўјљњћђџ",
        "a b v g d e yo zh z i y k l m n o p r s t u f kh ts ch sh shch  y  e yu ya i yi ye g w y "
        "ly ny ch dj dzh".split(" "),
        strict=True,
    )
)
"""Simple transliteration in the manner of BGN/PCGN 1947, without its marks."""

_GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρσςτυφχψω",
        "a v g d e z i th i k l m n x o p r s s t i f ch ps o".split(),
        strict=True,
    )
)
"""ELOT 743, letter by letter."""

_GREEK_PAIRS = {"ου": "ou", "αι": "e", "ει": "i", "οι": "i", "μπ": "b", "ντ": "d", "γγ": "ng",
                "γκ": "g", "ευ": "ev", "αυ": "av"}  # fmt: skip
_GREEK_NAMES = dict(
    zip(
        "αβγδεζηθικλμνξοπρσςτυφχψω",
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho "
        "sigma sigma tau upsilon phi chi psi omega".split(),
        strict=True,
    )
)
_INITIALS = "g kk n d tt r m b pp s ss  j jj ch k t p h".split(" ")
_VOWELS = "a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i".split()
_FINALS = " k k k n n n t l k m l l l p l m p p t t ng t t k t p t".split(" ")
"""Parts of a Hangul syllable in the Revised Romanization of Korean (2000)."""

_WORD = re.compile("[\u0370-\u03ff\u1f00-\u1fff]+|[\u0400-\u052f]+|[\uac00-\ud7a3]+")


def _hangul(char: str) -> str:
    initial, rest = divmod(ord(char) - 0xAC00, 21 * 28)
    return _INITIALS[initial] + _VOWELS[rest // 28] + _FINALS[rest % 28]


def _greek(word: str) -> str:
    if len(word) == 1:
        return _GREEK_NAMES.get(word, word)
    for pair, said in _GREEK_PAIRS.items():
        word = word.replace(pair, said)
    return "".join(_GREEK.get(char, char) for char in word)


def romanized(word: str) -> str:
    """A word in Latin letters, with a capital where it had one; what has no letter here goes."""
    # Accents of Greek go, but й and ё are letters.
    if word[0] >= "\uac00":
        return "".join(map(_hangul, word))
    lower = word.lower()
    if word[0] < "\u0400" or word[0] >= "\u1f00":
        bare = unicodedata.normalize("NFD", lower)
        said = _greek("".join(char for char in bare if not unicodedata.combining(char)))
    else:
        said = "".join(_CYRILLIC.get(char, "") for char in lower)
    return said.capitalize() if word[0] != lower[0] and len(word) > 1 else said


def romanize(draft: Draft) -> None:
    """Put words of ``SCRIPTS`` into Latin letters; a letter in a formula is a word of its own."""
    draft.rewrite(_WORD, _apart)


def _apart(match: re.Match[str]) -> str:
    before, after = match.string[: match.start()][-1:], match.string[match.end() :][:1]
    said = romanized(match.group())
    return f"{' ' if before.isalnum() else ''}{said}{' ' if after.isalnum() else ''}"

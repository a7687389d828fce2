"""A pinyin syllable to the symbols that the model was trained with.

Broad IPA after Lin, "The Sounds of Chinese" (2007): affricates as one symbol, glides apart, and an
arrow for the tone behind the vowels. The finals are those of ISO 7098 without y- and w-.
"""

from __future__ import annotations

import re

TONES = {"1": "→", "2": "↗", "3": "↓", "4": "↘", "5": ""}

_INITIALS = {
    "b": "p", "p": "pʰ", "m": "m", "f": "f", "d": "t", "t": "tʰ", "n": "n", "l": "l", "g": "k",
    "k": "kʰ", "h": "x", "j": "ʨ", "q": "ʨʰ", "x": "ɕ", "zh": "ꭧ", "ch": "ꭧʰ", "sh": "ʂ",
    "r": "ɻ", "z": "ʦ", "c": "ʦʰ", "s": "s", "": "",
}  # fmt: skip

_FINALS = {
    "a": "a0", "ai": "ai0", "an": "a0n", "ang": "a0ŋ", "ao": "au0", "e": "ɤ0", "ei": "ei0",
    "en": "ə0n", "eng": "ə0ŋ", "er": "ɚ0", "i": "i0", "ia": "ja0", "ian": "jɛ0n", "iang": "ja0ŋ",
    "iao": "jau0", "ie": "je0", "in": "i0n", "ing": "i0ŋ", "iong": "jʊ0ŋ", "iu": "jou0",
    "o": "wo0", "ong": "ʊ0ŋ", "ou": "ou0", "u": "u0", "ua": "wa0", "uai": "wai0", "uan": "wa0n",
    "uang": "wa0ŋ", "ui": "wei0", "un": "wə0n", "uo": "wo0", "ueng": "wə0ŋ", "v": "y0",
    "ve": "ɥe0", "van": "ɥɛ0n", "vn": "y0n",
}  # fmt: skip
"""With "0" where the tone goes."""

_WHOLE = {
    "o": "ɔ0", "ê": "ɛ0", "yo": "jɔ0", "m": "m0", "n": "n0", "ng": "ŋ0", "hm": "hm0", "hng": "hŋ0",
}  # fmt: skip
"""Interjections, which have sounds that no other syllable has."""

_APICAL = "ɨ0"
"""The vowel of "zi" and "zhi"."""

_RESPELLED = (
    (re.compile("^yu"), "v"), (re.compile("^yi"), "i"), (re.compile("^you$"), "iu"),
    (re.compile("^y"), "i"), (re.compile("^wu"), "u"), (re.compile("^wei$"), "ui"),
    (re.compile("^wen$"), "un"), (re.compile("^w"), "u"), (re.compile("^([jqx])u"), r"\1v"),
    (re.compile("üe$"), "ve"), (re.compile("ü"), "v"), (re.compile("^([nl])ue$"), r"\1ve"),
)  # fmt: skip
_SYLLABLE = re.compile("(zh|ch|sh|[bpmfdtnlgkhjqxrzcs])?(.+)")


def sounds(pinyin: str) -> str:
    """Symbols of a syllable such as "zhong1" (tone 5 is neutral); empty if it is none."""
    letters, tone = pinyin[:-1], TONES.get(pinyin[-1:])
    if tone is None:
        return ""
    whole = _WHOLE.get(letters)
    return (whole or _composed(letters)).replace("0", tone)


def _composed(letters: str) -> str:
    for pattern, spelling in _RESPELLED:
        letters = pattern.sub(spelling, letters)
    match = _SYLLABLE.fullmatch(letters)
    if match is None or match[2] not in _FINALS:
        return ""
    initial, final = match[1] or "", match[2]
    if final == "i" and initial in ("zh", "ch", "sh", "r", "z", "c", "s"):
        return _INITIALS[initial] + _APICAL
    return _INITIALS[initial] + _FINALS[final]

"""Katakana as it is pronounced to the symbols that the model was trained with.

Phonetic values after Vance, "The Sounds of Japanese" (2008): what "i" and "j" do to consonants is
written, and the moraic nasal takes the place of what follows it.
"""

from __future__ import annotations

_VOWELS = {"ァ": "a", "ィ": "i", "ゥ": "ɯ", "ェ": "e", "ォ": "o", "ャ": "a", "ュ": "ɨ", "ョ": "o"}

# The five kana of a row; then its consonant before a, i, u, e, o.
_ROWS = (
    ("アイウエオ", "", "", "", "", ""),
    ("カキクケコ", "k", "kʲ", "k", "k", "k"),
    ("ガギグゲゴ", "ɡ", "ɡʲ", "ɡ", "ɡ", "ɡ"),
    ("サシスセソ", "s", "ɕ", "s", "s", "s"),
    ("ザジズゼゾ", "ʣ", "ʥ", "z", "ʣ", "ʣ"),
    ("タチツテト", "t", "ʨ", "ʦ", "t", "t"),
    ("ダヂヅデド", "d", "ʥ", "z", "d", "d"),
    ("ナニヌネノ", "n", "ɲ", "n", "n", "n"),
    ("ハヒフヘホ", "h", "ç", "ɸ", "h", "h"),
    ("バビブベボ", "b", "bʲ", "b", "b", "b"),
    ("パピプペポ", "p", "pʲ", "p", "p", "p"),
    ("マミムメモ", "m", "mʲ", "m", "m", "m"),
    ("ラリルレロ", "ɾ", "ɾʲ", "ɾ", "ɾ", "ɾ"),
)
_CENTRAL = frozenset("スズツヅ")
"""Their vowel is further in front than that of other kana in "u"."""

_SOUNDS: dict[str, str] = {
    kana: consonant + ("ɨ" if kana in _CENTRAL else vowel)
    for row, *consonants in _ROWS
    for kana, consonant, vowel in zip(row, consonants, "aiɯeo", strict=True)
} | {
    "ヤ": "ja", "ユ": "jɯ", "ヨ": "jo", "ワ": "βa", "ヰ": "i", "ヱ": "e", "ヲ": "o", "ヴ": "vɯ",
    "ヵ": "ka", "ヶ": "ke", "ヮ": "βa", "ャ": "ja", "ュ": "jɯ", "ョ": "jo",
    "ァ": "a", "ィ": "i", "ゥ": "ɯ", "ェ": "e", "ォ": "o",
    "ヷ": "va", "ヸ": "vʲi", "ヹ": "ve", "ヺ": "vo",
}  # fmt: skip

_BEFORE_SMALL = {
    "イ": "j", "ウ": "β", "ク": "kᵝ", "グ": "ɡᵝ", "ツ": "ʦ", "テ": "t", "デ": "d", "ト": "t",
    "ド": "d", "フ": "ɸ", "ヴ": "v", "ス": "s", "ズ": "z", "ホ": "h",
}  # fmt: skip
"""What these kana lend to a small vowel behind them; others lend what they have before theirs."""

_MARKED_BY_I = frozenset("tdɸvʦhsz")
_LONG, _STOP, _NASAL = "ー", "ッ", "ン"


def sounds(kana: str) -> str:
    """Symbols of a word in katakana; what is no kana is passed over."""
    morae = [_mora(kana[at], kana[at + 1 : at + 2]) for at in range(len(kana))]
    said: list[str] = []
    for at, char in enumerate(kana):
        if char == _NASAL:
            following = next((mora for mora in morae[at + 1 :] if mora), "")
            said.append(_nasal(following if kana[at + 1 : at + 2] != _LONG else ""))
        elif at and _joins(kana[at - 1], char):
            continue
        else:
            said.append(morae[at])
    return "".join(said)


def _joins(before: str, char: str) -> bool:
    """Whether a small vowel is part of the mora before it, and does not make it longer."""
    if char not in _VOWELS or before not in _SOUNDS or before in _VOWELS:
        return False
    return char in "ャュョ" or not _SOUNDS[before].endswith(_VOWELS[char])


def _mora(char: str, following: str) -> str:
    """Symbols of a kana and the small one behind it."""
    if char == _LONG:
        return "ː"
    if char == _STOP:
        return "ʔ"
    sound = _SOUNDS.get(char, "")
    if not sound or not _joins(char, following):
        return sound
    vowel = _VOWELS[following]
    if char in _BEFORE_SMALL:
        consonant = _BEFORE_SMALL[char]
        soft = vowel in "iɨ" and consonant in _MARKED_BY_I
        return consonant + ("ʲ" if soft else "") + vowel
    return sound[:-1] + vowel


def _nasal(following: str) -> str:
    first = following[:1]
    if first in tuple("mpb"):
        return "m"
    if first in tuple("kɡ"):
        return "ŋ"
    if first in tuple("ɲʨʥ"):
        return "ɲ"
    return "n" if first in tuple("ntdɾz") else "ɴ"

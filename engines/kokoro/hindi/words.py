"""Sounds of Hindi words by rule, in the symbols that the model was trained with.

Devanagari writes a vowel for every consonant; which of them are silent (schwa deletion) after
M. Ohala, "Aspects of Hindi Phonology" (1983); stress by the weight of the last three syllables.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

_CONSONANTS = {
    "क": "k", "ख": "kʰ", "ग": "ɡ", "घ": "ɡʰ", "ङ": "ŋ", "च": "c", "छ": "cʰ", "ज": "ɟ", "झ": "ɟʰ",
    "ञ": "ɲ", "ट": "ʈ", "ठ": "ʈʰ", "ड": "ɖ", "ढ": "ɖʰ", "ण": "ɳ", "त": "t", "थ": "tʰ", "द": "d",
    "ध": "dʰ", "न": "n", "प": "p", "फ": "pʰ", "ब": "b", "भ": "bʰ", "म": "m", "य": "j", "र": "ɾ",
    "ल": "l", "ळ": "l", "व": "ʋ", "श": "ʃ", "ष": "ʂ", "स": "s", "ह": "h",
}  # fmt: skip
_WITH_NUKTA = {"ड": "r", "ढ": "rh", "ज": "z", "फ": "f", "क": "k", "ख": "kʰ", "ग": "ɡ", "झ": "ʒ"}
"""Flaps are written r: the model saw them as "r." and the period would be a pause to us."""

_VOWELS = {
    "अ": "ə", "आ": "aː", "इ": "ɪ", "ई": "iː", "उ": "ʊ", "ऊ": "uː", "ए": "eː",
    "ऐ": "ɛː", "ओ": "oː", "औ": "ɔː", "ऑ": "ɔ", "ऍ": "ɛ", "ऎ": "eː", "ऒ": "oː",
}  # fmt: skip
_SIGNS = {
    "ृ": "ɪ",
    "ा": "aː", "ि": "ɪ", "ी": "iː", "ु": "ʊ", "ू": "uː", "े": "eː", "ै": "ɛː",
    "ो": "oː", "ौ": "ɔː", "ॉ": "ɔ", "ॅ": "ɛ", "ॆ": "eː", "ॊ": "oː",
}  # fmt: skip
_VIRAMA, _NUKTA, _VISARGA, _VOCALIC_R = "्", "़", "ः", "ृ"
_NASAL_MARKS = "ंँ"
_HOMORGANIC = {**dict.fromkeys("kɡ", "ŋ"), **dict.fromkeys("cɟ", "ɲ"), **dict.fromkeys("ʈɖ", "ɳ"),
               **dict.fromkeys("pb", "m")}  # fmt: skip
_TILDE = "\u0303"
_KEPT_AFTER = {"j", "ɾ", "ɳ"}
"""What a cluster at the end of a word may close with only when its vowel is heard ("मित्र")."""

_TRILLS_BEFORE = frozenset("mnɳjʋʂʃlsz")
_LENGTHENED = frozenset("kɡcɟʈɖtdpb")
_UNSTRESSED = frozenset(
    "के है में की से और को का हैं एक ने हो कि था यह ये वह वो या थे थी हूँ हम मे पर भी ही तो जो".split()
)
_EXCEPTIONS = {
    "यह": "jəh",
    "वह": "ʋəh",
    "एवं": "ˈeːʋən",
    "क्या": "kːjaː",
    "क्यों": "kːjˈo\u0303",
    "क्योंकि": "kːjˈo\u0303kɪ",
    "प्यार": "pːjˈaːɾ",
    "कृपया": "kɾˈɪpəjaː",
    "ॐ": "ˈoːm",
    "डॉ": "ɖˈɔkʈəɾ",
    "न": "nə",
}


@dataclass(slots=True)
class _Syllable:
    """The consonants before a vowel, the vowel (empty at the end of a word), and its nasality."""

    onset: list[str]
    vowel: str
    written: bool = True
    """Whether the vowel has a letter of its own; if not it may be silent."""
    nasal: bool = False


def pronounce(word: str) -> str:
    """Phonemes of one word of Devanagari letters."""
    letters = unicodedata.normalize("NFD", word)
    if letters in _EXCEPTIONS or word in _EXCEPTIONS:
        return _EXCEPTIONS.get(word) or _EXCEPTIONS[letters]
    syllables = _syllables(letters)
    if not syllables:
        return ""
    _delete_schwas(syllables)
    stressed = None if word in _UNSTRESSED else _stressed(syllables)
    return _render(syllables, stressed)


def _syllables(letters: str) -> list[_Syllable]:
    """Every consonant with its vowel, as it is written."""
    found: list[_Syllable] = []
    onset: list[str] = []
    index = 0
    while index < len(letters):
        letter, after = letters[index], letters[index + 1 : index + 2]
        index += 1
        if letter in _CONSONANTS:
            sound = _CONSONANTS[letter]
            if after == _NUKTA:
                sound, index = _WITH_NUKTA.get(letter, sound), index + 1
                after = letters[index : index + 1]
            onset.append("ʃ" if letter == "ष" and onset[-1:] == ["k"] else sound)
            if after == _VIRAMA:
                index += 1
            elif after in _SIGNS:
                onset += ["ɾ"] if after == _VOCALIC_R else []
                found.append(_Syllable(onset, _SIGNS[after]))
                onset, index = [], index + 1
            else:
                found.append(_Syllable(onset, "ə", written=False))
                onset = []
        elif letter == "ऋ":
            found.append(_Syllable([*onset, "ɾ"], "ɪ"))
            onset = []
        elif letter in _VOWELS:
            found.append(_Syllable(onset, _VOWELS[letter]))
            onset = []
        elif letter in _NASAL_MARKS and found:
            found[-1].nasal = True
            found[-1].written = True
        elif letter == _VISARGA and found and not after:
            onset = ["h"]
    if onset:
        found.append(_Syllable(onset, "", written=True))
    return found


def _delete_schwas(syllables: list[_Syllable]) -> None:
    """Make vowels without a letter silent: the last one, and those between open syllables."""
    last = syllables[-1]
    if not last.written and len(syllables) > 1 and not _needs_vowel(last.onset):
        last.vowel = ""
    for index in range(len(syllables) - 2, 0, -1):
        here, before, after = syllables[index], syllables[index - 1], syllables[index + 1]
        if here.written or not here.vowel or not before.vowel or not after.vowel:
            continue
        single = len(here.onset) == 1 and len(after.onset) == 1
        if single and not before.nasal and here.onset != ["h"] and after.onset != ["h"]:
            here.vowel = ""


def _needs_vowel(onset: list[str]) -> bool:
    """Whether consonants at the end of a word cannot be said without a vowel after them."""
    if len(onset) < 2:
        return False
    return onset[-1] in _KEPT_AFTER or (onset[-1] == "n" and onset[-2] == "n") or len(onset) > 2


def _stressed(syllables: list[_Syllable]) -> int | None:
    """Index of the stressed syllable."""
    heard = [index for index, syllable in enumerate(syllables) if syllable.vowel]
    if not heard:
        return None
    if len(heard) == 1:
        return heard[0]
    final, penult = heard[-1], heard[-2]
    closing = sum(len(syllable.onset) for syllable in syllables[final + 1 :])
    if syllables[final].nasal and not _is_long(syllables[final]):
        closing += closing  # "पसंद": the mark is a consonant
    if closing >= 2 or (closing == 1 and _is_long(syllables[final])):
        return final
    if len(heard) == 2 or _is_long(syllables[penult]) or _is_closed(syllables, penult):
        return penult
    return heard[-3]


def _is_long(syllable: _Syllable) -> bool:
    return syllable.vowel.endswith("ː")


def _is_closed(syllables: list[_Syllable], index: int) -> bool:
    """Whether a consonant ends a syllable."""
    if syllables[index].nasal:
        return True
    between: list[str] = []
    for syllable in syllables[index + 1 :]:
        between += syllable.onset
        if syllable.vowel:
            break
    return len(between) > 1 and between[-1] not in ("ɾ",)


def _render(syllables: list[_Syllable], stressed: int | None) -> str:
    sounds: list[str] = []
    final = max((i for i, syllable in enumerate(syllables) if syllable.vowel), default=-1)
    for index, syllable in enumerate(syllables):
        sounds += syllable.onset
        if syllable.vowel:
            vowel = _vowel(syllables, index, initial=not sounds, final=index == final)
            sounds.append(f"ˈ{vowel}" if index == stressed else vowel)
            sounds += _nasal(syllable, _next_consonant(syllables, index))
    return _joined(sounds).replace("ˈə", "ˈʌ")


def _next_consonant(syllables: list[_Syllable], index: int) -> str:
    rest = syllables[index + 1 : index + 2]
    return rest[0].onset[0] if rest and rest[0].onset else ""


def _vowel(syllables: list[_Syllable], index: int, initial: bool, final: bool) -> str:
    """The sound of a vowel but for its stress."""
    syllable, after = syllables[index], _next_consonant(syllables, index)
    vowel = syllable.vowel
    if vowel == "ə":
        if final and index and after == "j":
            return "ɛ"  # "समय"
        return "ʌ" if initial else "ə"
    if vowel == "iː" and ((final and not after) or syllable.nasal):
        vowel = "i"
    if not syllable.nasal:
        return vowel
    vowel = vowel.replace("ɪ", "i").replace("ʊ", "u")
    return f"{vowel.rstrip('ː')}{_TILDE}{'ː' if vowel == 'eː' else ''}"


def _nasal(syllable: _Syllable, after: str) -> list[str]:
    """The consonant that a nasal mark stands for after a short a."""
    if not syllable.nasal or syllable.vowel != "ə":
        return []
    return [_HOMORGANIC.get(after[:1], "n" if after else "m")]


def _joined(sounds: list[str]) -> str:
    """Sounds side by side: long consonants, r rolled before what is no stop, "ज्ञ" as it is said."""
    said: list[str] = []
    for index, sound in enumerate(sounds):
        before = sounds[index - 1] if index else ""
        after = sounds[index + 1] if index + 1 < len(sounds) else ""
        if sound == "ɾ" and after and after[0] in _TRILLS_BEFORE:
            said.append("r")
        elif (sound, after) == ("ɟ", "ɲ"):
            said.append("ɡ")
        elif (before, sound) == ("ɟ", "ɲ"):
            said.append("j")
        elif sound in _LENGTHENED and after.rstrip("ʰ") == sound:
            said.append("cʰ" if after == "cʰ" else "")
        elif before in _LENGTHENED and sound.rstrip("ʰ") == before:
            said.append(sound if sound == "cʰ" else f"{sound}ː")
        else:
            said.append(sound)
    return "".join(said)

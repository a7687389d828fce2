"""Spanish pronunciation by rule: spelling tells it all but a few names and loan words.

Symbols follow what the model was trained on: Castilian, affricates and falling diphthongs as one
symbol, b, d and g soft between vowels. Rules after the Real Academia's "Ortografía de la lengua
española" (2010).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from engines.kokoro.alphabet import Alphabet
from engines.kokoro.tokens import Token

_UNSTRESSED = frozenset(
    "el la los las un de del a al en con por y e o u que se me te le lo les nos os su sus mi mis "
    "tu tus si sin ni como pero".split()
)
_MEXICAN_X = re.compile(r"m[eé]xi[ck]|oaxac|texas|texan|xavier|ximena")

_STRONG = frozenset("aeoáéó")
_ACCENTED = {"á": "a", "é": "e", "í": "i", "ó": "o", "ú": "u"}
_VOWELS = frozenset("aeiouáéíóúü")
_FALLING = {"ai": "I", "au": "W", "ei": "A", "eu": "eʊ", "oi": "oɪ", "ou": "oʊ"}
_NUCLEI = frozenset("aeiouIWAjw")
_EXCEPTIONS = {
    "muy": "mˈuj", "youtube": "jutˈub", "whatsap": "wˈatsap", "facebook": "fˈAsbuk",
    "whisky": "wˈiski", "software": "sˈoftweɾ", "google": "ɡˈuɡel", "online": "onlˈIn",
    "marketing": "mˈaɾketin", "email": "imˈAl", "wifi": "wˈifi", "instagram": "ˈinstaɡɾam",
}  # fmt: skip
_DOUBLED = re.compile(r"([bdfgkmpstz])\1|kc|ck|cc(?![eiéí])")
"""Consonants that only loan words double ("twitter")."""

_SOFT = {"b": "β", "d": "ð", "ɡ": "ɣ"}


@dataclass(slots=True)
class _Nucleus:
    """A syllable's vowel: where it is in the sounds, and whether its spelling is accented."""

    at: int
    accented: bool


class _Word:
    """Sounds of one word while it is read from left to right."""

    def __init__(self, letters: str) -> None:
        self.letters = letters
        self.sounds: list[str] = []
        self.nuclei: list[_Nucleus] = []

    def peek(self, index: int) -> str:
        """The letter at an index, empty outside the word."""
        return self.letters[index] if 0 <= index < len(self.letters) else ""

    def read(self) -> None:
        """Turn all letters into sounds."""
        index = 0
        while index < len(self.letters):
            index = self._vowels(index) if self._is_vowel(index) else self._consonant(index)

    def _is_vowel(self, index: int) -> bool:
        letter = self.peek(index)
        return letter in _VOWELS or (letter == "y" and not self._is_vowel_letter(index + 1))

    def _is_vowel_letter(self, index: int) -> bool:
        return self.peek(index) in _VOWELS and self.peek(index) != ""

    def _vowels(self, index: int) -> int:
        """Read one syllable's vowels: a glide, the nucleus, and what it falls to."""
        letter = self._plain(index)
        if letter in "iu" and self._is_vowel(index + 1) and self._glides(index):
            self.sounds.append("j" if letter == "i" else "w")
            index += 1
            letter = self._plain(index)
        accented = self.peek(index) in _ACCENTED
        self.nuclei.append(_Nucleus(len(self.sounds), accented))
        following = self.peek(index + 1)
        weak = {"y": "i", "ü": "u"}.get(following, following)
        joined = self._is_vowel(index + 1) and _FALLING.get(letter + weak)
        if joined and not self._rises(index + 1):
            self.sounds.append(joined)
            return index + 2
        self.sounds.append(letter)
        return index + 1

    def _plain(self, index: int) -> str:
        letter = self.peek(index)
        return {"ü": "u", "y": "i"}.get(letter) or _ACCENTED.get(letter, letter)

    def _glides(self, index: int) -> bool:
        return self.peek(index) not in "íú" and self._plain(index) != self._plain(index + 1)

    def _rises(self, index: int) -> bool:
        """Whether a weak vowel belongs to the next syllable ("a-yu-da", "ca-í-da")."""
        return self.peek(index) in "íú" or (
            self._is_vowel(index + 1) and self.peek(index + 1) in _STRONG
        )

    def _consonant(self, index: int) -> int:
        letter, after = self.peek(index), self.peek(index + 1)
        soft_vowel = self._plain(index + 1) in ("e", "i") if after else False
        match letter + after:
            case "ch":
                return self._say("ʧ", index + 2)
            case "ll":
                return self._say("ʎ", index + 2)
            case "rr":
                return self._say("r", index + 2)
            case "qu":
                return self._say("k", index + 2)
            case "gu" if self._plain(index + 2) in ("e", "i") and self.peek(index + 2):
                return self._say("ɡ", index + 2)
            case "sh":
                return self._say("ʃ", index + 2)
            case "ph":
                return self._say("f", index + 2)
            case _:
                pass
        if letter == "c":
            return self._say("θ" if soft_vowel else "k", index + 1)
        if letter == "g":
            return self._say("x" if soft_vowel else "ɡ", index + 1)
        if letter == "x":
            return self._say(self._x(index), index + 1)
        if letter == "r":
            trilled = index == 0 or self.peek(index - 1) in "nls"
            return self._say("r" if trilled else "ɾ", index + 1)
        return self._say(_CONSONANTS.get(letter, ""), index + 1)

    def _x(self, index: int) -> str:
        if _MEXICAN_X.search(self.letters):
            return "x"
        return "s" if index == 0 else "ks"

    def _say(self, sound: str, index: int) -> int:
        self.sounds += list(sound)
        return index


_CONSONANTS = {
    "b": "b", "v": "b", "d": "d", "f": "f", "h": "", "j": "x", "k": "k", "l": "l", "m": "m",
    "n": "n", "ñ": "ɲ", "p": "p", "q": "k", "s": "s", "t": "t", "w": "w", "y": "ʝ", "z": "θ",
    "ç": "s",
}  # fmt: skip


def _assimilated(sounds: list[str]) -> list[str]:
    """What neighbours do to each other: soft stops, nasals before velars and lips."""
    said: list[str] = []
    for index, sound in enumerate(sounds):
        before = sounds[index - 1] if index else ""
        after = sounds[index + 1] if index + 1 < len(sounds) else ""
        if sound in _SOFT and before and before not in "mnɲŋ" and _softens(sound, after):
            sound = _SOFT[sound]
        elif sound == "n" and after in ("ɡ", "x"):
            sound = "ŋ"
        elif sound == "n" and after in ("b", "p"):
            sound = "m"
        said.append(sound)
    return said


def _softens(stop: str, after: str) -> bool:
    """Whether b, d or g is soft before a sound: a vowel, a glide or a liquid."""
    return after != "" and after in ("aeiouIWAjwlɾrsx" if stop == "b" else "aeiouIWAjwlɾr")


def _stressed_nucleus(word: _Word) -> int:
    """Index of the syllable that is stressed by the rules of accentuation."""
    for index, nucleus in enumerate(word.nuclei):
        if nucleus.accented:
            return index
    last = word.letters[-1]
    open_end = last in "aeiouns"
    return max(0, len(word.nuclei) - (2 if open_end else 1))


def pronounce(word: str) -> str:
    """Phonemes of one word in any capitals."""
    lower = _DOUBLED.sub(lambda match: match.group()[0], unicodedata.normalize("NFC", word.lower()))
    if lower.endswith("mente") and len(lower) > 7:
        return pronounce(lower[:-5]) + "mˈente"
    read = _Word("".join(c for c in lower if c in _VOWELS or c in _CONSONANTS or c in "cgxr"))
    read.read()
    if not read.nuclei:
        return "".join(read.sounds)
    sounds = _assimilated(read.sounds)
    if lower not in _UNSTRESSED:
        _stress(sounds, read)
    return _EXCEPTIONS.get(lower) or "".join(sounds)


def _stress(sounds: list[str], word: _Word) -> None:
    """Mark the stressed syllable, and every second one from the first up to before it."""
    stressed = _stressed_nucleus(word)
    at = word.nuclei[stressed].at
    closed_by_n = sounds[at + 1 : at + 2] in (["n"], ["ŋ"]) and _is_consonant(sounds, at + 2)
    sounds[at] = "ˈ" + ("ɛ" if sounds[at] == "e" and closed_by_n else sounds[at])
    for index in range(0, stressed - 1, 2):
        sounds[word.nuclei[index].at] = "ˌ" + sounds[word.nuclei[index].at]


def _is_consonant(sounds: list[str], index: int) -> bool:
    return index < len(sounds) and sounds[index] not in _NUCLEI


def _linked(before: str, said: str) -> str:
    """Soften the first sound of a word that follows a vowel without a pause ("la boca")."""
    if before and before[-1] in "aeiouIWAʊɪj" and said[:1] in _SOFT:
        return _SOFT[said[0]] + said[1:]
    return said


ALPHABET = Alphabet(
    pronounce=pronounce,
    digits=("cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve"),
    letters={
        "a": "a", "b": "be", "c": "ce", "d": "de", "e": "e", "f": "efe", "g": "ge", "h": "hache",
        "i": "i", "j": "jota", "k": "ka", "l": "ele", "m": "eme", "n": "ene", "ñ": "eñe",
        "o": "o", "p": "pe", "q": "cu", "r": "erre", "s": "ese", "t": "te", "u": "u", "v": "uve",
        "w": "uve doble", "x": "equis", "y": "i griega", "z": "zeta",
    },
    symbols={
        "%": "por ciento", "&": "y", "+": "más", "=": "igual a", "@": "arroba", "°": "grados",
        "€": "euros", "$": "dólares", "£": "libras", "#": "almohadilla", "/": "barra",
    },
    words_of_one_letter="aeouyáéó",
    vowels="AEIOUÁÉÍÓÚÜ",
    onsets="LR",
    acronyms={
        "PSOE": "pesoe", "PIB": "pib", "RAE": "rae", "EEUU": "estados unidos", "CIA": "cía",
        "PIN": "pin", "SIM": "sim", "RAM": "ram", "ROM": "rom", "LED": "led", "VIP": "vip",
        "FMI": "efe eme i", "IRPF": "i erre pe efe", "CSIC": "cesic", "UCI": "uci",
    },
)  # fmt: skip


def read(tokens: list[Token]) -> list[str]:
    """Phonemes of each token; empty for marks, spaces and what cannot be said."""
    said: list[str] = []
    before = ""
    for token in tokens:
        phonemes = _linked(before, ALPHABET.token(token))
        said.append(phonemes)
        if token.kind != "space":
            before = phonemes
    return said

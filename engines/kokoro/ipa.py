"""The symbols of the model and those of the International Phonetic Alphabet, both ways.

The model writes diphthongs and affricates of English with one capital or ligature; that is the
notation of misaki, whose lexicon it was trained with. Other languages it writes as eSpeak does.
"""

from __future__ import annotations

import unicodedata

from engines.api import PhonemesUnsupported
from engines.kokoro.vocabulary import TOKENS

_ENGLISH = {
    "eɪ": "A", "aɪ": "I", "aʊ": "W", "ɔɪ": "Y", "oʊ": "O", "əʊ": "Q", "ɚ": "əɹ", "ɝ": "ɜɹ",
    "r": "ɹ", "e": "ɛ", "ɒ": "ɑ", "ɫ": "l", "ʍ": "w", "ɐ": "ə", "ɘ": "ə", "ʉ": "u",
}  # fmt: skip
_BRITISH = {"ɒ": "ɒ", "e": "ɛ", "oʊ": "Q"}
_ALL = {
    "tʃ": "ʧ", "dʒ": "ʤ", "ts": "ʦ", "dz": "ʣ", "tɕ": "ʨ", "dʑ": "ʥ", "g": "ɡ", "ɾ": "ɾ",
    "'": "ˈ", ":": "ː", "ˑ": "", "‿": "", "͡": "", "͜": "", ".": "", "-": "", "ʲ": "ʲ",
}  # fmt: skip
_LENGTH = 2

_SOUNDS = {
    "A": "eɪ", "I": "aɪ", "W": "aʊ", "Y": "ɔɪ", "O": "oʊ", "Q": "əʊ", "ʧ": "tʃ", "ʤ": "dʒ",
    "ʦ": "ts", "ʣ": "dz", "ʨ": "tɕ", "ʥ": "dʑ", "ᵊ": "ə", "ᵻ": "ɪ", "T": "ɾ", "S": "s",
}  # fmt: skip
PROLONGING = frozenset("ː\u0303ʰʲ")
"""What belongs to the sound before it."""

_NO_SOUND = frozenset('ˈˌːʰʲ↓→↗↘̃ ;:,.!?—…"()“”')


def from_ipa(ipa: str, language: str) -> str:
    """Symbols of the model for a pronunciation of a word or a few.

    Raises:
        PhonemesUnsupported: names the symbol that the model does not have.
    """
    text = unicodedata.normalize("NFD", ipa.strip().strip("/[]"))
    text = "".join(char for char in text if char not in "͜͡")
    tables = [_ALL]
    if language.startswith("en"):
        tables = [_BRITISH, _ENGLISH, _ALL] if language == "en-gb" else [_ENGLISH, _ALL]
    out: list[str] = []
    at = 0
    while at < len(text):
        symbols, length = _symbol(text, at, tables, ipa)
        out.append(symbols)
        at += length
    # Not composed again: a letter and its mark are two symbols unless the model has them as one.
    return " ".join("".join(out).split())


def _symbol(text: str, at: int, tables: list[dict[str, str]], ipa: str) -> tuple[str, int]:
    for length in range(_LENGTH, 0, -1):
        part = text[at : at + length]
        found = next((table[part] for table in tables if part in table), None)
        if found is not None:
            return found, length
    char = unicodedata.normalize("NFC", text[at : at + 2])
    if len(char) == 1 and char in TOKENS:
        return char, len(text[at : at + 2])
    if text[at] in TOKENS or text[at].isspace():
        return text[at], 1
    raise PhonemesUnsupported(
        f"this engine cannot say {text[at]!r} in {ipa[:64]!r}: use letters of the IPA"
    )


def to_ipa(symbol: str) -> str:
    """The sound of a symbol; empty for stress, length, tones, marks and spaces."""
    return "" if symbol in _NO_SOUND else _SOUNDS.get(symbol, symbol)

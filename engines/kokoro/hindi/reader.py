"""Reads Hindi text: Devanagari by rule, words in Latin letters as English."""

from __future__ import annotations

import re

from engines.kokoro.english import reader as english
from engines.kokoro.hindi.words import pronounce
from engines.kokoro.tokens import Token

_DIGITS = "शून्य एक दो तीन चार पाँच छह सात आठ नौ".split()
_SYMBOLS = {
    "%": "प्रतिशत", "&": "और", "+": "प्लस", "=": "बराबर", "@": "एट", "°": "डिग्री", "€": "यूरो",
    "$": "डॉलर", "£": "पाउंड", "₹": "रुपये", "#": "हैश", "/": "बटा",
}  # fmt: skip
_LATIN = re.compile("[A-Za-zÀ-ɏ]")


def read(tokens: list[Token]) -> list[str]:
    """Phonemes of each token; empty for marks, spaces and what cannot be said.

    Raises:
        ModelFilesMissing: there are English words, and their lexicon is not installed.
    """
    return [_token(token) for token in tokens]


def _token(token: Token) -> str:
    match token.kind:
        case "word":
            return _word(token)
        case "digits":
            return " ".join(pronounce(_DIGITS[int(digit)]) for digit in token.text)
        case "mark":
            return pronounce(_SYMBOLS.get(token.text, ""))
        case "space":
            return ""


def _word(token: Token) -> str:
    if _LATIN.search(token.text):
        return english.reader("us").read([token])[0]
    parts = re.split("[-']", token.text)
    return " ".join(filter(None, (pronounce(part) for part in parts)))

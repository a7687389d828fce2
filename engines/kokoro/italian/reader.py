"""Reads Italian text: words by rule, acronyms letter by letter."""

from __future__ import annotations

from engines.kokoro.alphabet import Alphabet
from engines.kokoro.italian.homographs import HOMOGRAPHS
from engines.kokoro.italian.words import pronounce
from engines.kokoro.tokens import Token

ALPHABET = Alphabet(
    pronounce=pronounce,
    digits=("zero", "uno", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove"),
    letters={
        "a": "à", "b": "bì", "c": "cì", "d": "dì", "e": "é", "f": "effe", "g": "gì", "h": "acca",
        "i": "ì", "j": "ilunga", "k": "cappa", "l": "elle", "m": "emme", "n": "enne", "o": "ò",
        "p": "pì", "q": "cù", "r": "erre", "s": "esse", "t": "tì", "u": "ù", "v": "vù",
        "w": "doppiavù", "x": "ics", "y": "ipsilon", "z": "zeta",
    },
    symbols={
        "%": "per cento", "&": "e", "+": "più", "=": "uguale", "@": "chiocciola", "°": "gradi",
        "€": "euro", "$": "dollari", "£": "sterline", "#": "cancelletto", "/": "barra",
    },
    words_of_one_letter="aeioè",
    vowels="AEIOUÀÈÉÌÒÙ",
    onsets="HLRUW",
    acronyms={
        "PIL": "pil", "RAI": "rai", "TAR": "tar", "PIN": "pin", "SIM": "sim", "RAM": "ram",
        "ROM": "rom", "LED": "led", "VIP": "vip", "CIA": "cìa", "CAF": "caf", "TAC": "tac",
        "TIR": "tir", "ISEE": "isèe", "IMU": "imu", "ATM": "à tì emme",
    },
)  # fmt: skip


def read(tokens: list[Token]) -> list[str]:
    """Phonemes of each token; empty for marks, spaces and what cannot be said."""
    return [ALPHABET.token(token) for token in HOMOGRAPHS.respell(tokens)]

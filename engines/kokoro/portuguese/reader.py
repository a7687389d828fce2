"""Reads Brazilian Portuguese text: words by rule, acronyms letter by letter."""

from __future__ import annotations

from engines.kokoro.alphabet import Alphabet
from engines.kokoro.portuguese.homographs import HOMOGRAPHS
from engines.kokoro.portuguese.words import pronounce
from engines.kokoro.tokens import Token

ALPHABET = Alphabet(
    pronounce=pronounce,
    digits=("zero", "um", "dois", "três", "quatro", "cinco", "seis", "sete", "oito", "nove"),
    letters={
        "a": "á", "b": "bê", "c": "cê", "d": "dê", "e": "é", "f": "éfe", "g": "gê", "h": "agá",
        "i": "í", "j": "jóta", "k": "cá", "l": "éle", "m": "ême", "n": "êne", "o": "ó",
        "p": "pê", "q": "quê", "r": "érre", "s": "ésse", "t": "tê", "u": "ú", "v": "vê",
        "w": "dábliu", "x": "xis", "y": "ípsilon", "z": "zê",
    },
    symbols={
        "%": "por cento", "&": "e", "+": "mais", "=": "igual a", "@": "arroba", "°": "graus",
        "€": "euros", "$": "dólares", "£": "libras", "#": "cerquilha", "/": "barra",
    },
    words_of_one_letter="aeoàéó",
    vowels="AEIOUÁÂÃÀÉÊÍÓÔÕÚ",
    onsets="HLRU",
    acronyms={
        "PIB": "píbi", "IBGE": "i bê gê é", "USP": "úspi", "SUS": "sus", "MEC": "méqui",
        "CEP": "cépi", "ENEM": "enêm", "IPTU": "i pê tê u", "IPVA": "i pê vê á", "UOL": "uól",
        "SESC": "sésqui", "UERJ": "uérgi", "PIN": "pim", "SIM": "sim", "RAM": "rã", "LED": "lédi",
        "VIP": "vípi", "CIA": "cia", "AIDS": "áidis", "DETRAN": "detrã", "IPEA": "ipéa",
    },
)  # fmt: skip


def read(tokens: list[Token]) -> list[str]:
    """Phonemes of each token; empty for marks, spaces and what cannot be said."""
    return [ALPHABET.token(token) for token in HOMOGRAPHS.respell(tokens)]

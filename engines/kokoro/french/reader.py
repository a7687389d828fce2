"""Reads French text: words by rule, silent verb endings and liaisons by what stands beside."""

from __future__ import annotations

from engines.kokoro.alphabet import Alphabet, followers
from engines.kokoro.french import liaison
from engines.kokoro.french.exceptions import WORDS
from engines.kokoro.french.homographs import respell
from engines.kokoro.french.words import pronounce, sounds_of, stressed
from engines.kokoro.tokens import Token

ALPHABET = Alphabet(
    pronounce=pronounce,
    digits=("zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf"),
    letters={
        "a": "a", "b": "bé", "c": "cé", "d": "dé", "e": "euh", "f": "effe", "g": "gé", "h": "ache",
        "i": "i", "j": "ji", "k": "ka", "l": "elle", "m": "emme", "n": "enne", "o": "o",
        "p": "pé", "q": "cu", "r": "erre", "s": "esse", "t": "té", "u": "u", "v": "vé",
        "w": "doublevé", "x": "ixe", "y": "igrec", "z": "zède",
    },
    symbols={
        "%": "pour cent", "&": "et", "+": "plus", "=": "égale", "@": "arobase", "°": "degrés",
        "€": "euros", "$": "dollars", "£": "livres", "#": "dièse", "/": "barre",
    },
    words_of_one_letter="aàyôe",
    vowels="AEIOUYÀÂÉÈÊËÎÏÔÛÙÜŒ",
    onsets="HLRU",
    acronyms={
        "USA": "u esse a", "SMIC": "smique", "INSEE": "insé", "PACS": "paxe", "CAF": "caffe",
        "FNAC": "fnaque", "CROUS": "crousse", "ENA": "éna", "PIN": "pine", "SIM": "sime",
        "RAM": "ramme", "ROM": "romme", "LED": "lède", "VIP": "vé i pé", "ZEP": "zèpe",
        "SIDA": "sida", "EHPAD": "épade", "IRM": "i erre emme",
    },
)  # fmt: skip
_PLURAL_SUBJECTS = frozenset(("ils", "elles"))
_BETWEEN = frozenset("ne n' se s' me te nous vous le la les y en lui leur".split())
"""What may stand between a pronoun and its verb."""

_DETERMINERS = frozenset("les ces mes tes ses nos vos leurs ceux".split())


def read(tokens: list[Token]) -> list[str]:
    """Phonemes of each token; empty for marks, spaces and what cannot be said."""
    tokens = respell(tokens)
    after = followers(tokens)
    said: list[str] = []
    plural = False
    for index, token in enumerate(tokens):
        if token.kind != "word":
            said.append(ALPHABET.token(token))
            plural = plural and token.kind == "space"
            continue
        following = after[index]
        next_word = "" if following is None else tokens[following].text.lower()
        said.append(_compound(token.text, next_word, plural))
        word = token.text.lower()
        plural = word in _PLURAL_SUBJECTS or (plural and word in _BETWEEN)
    return said


def _compound(text: str, next_word: str, plural: bool) -> str:
    """A word, or several with hyphens, which are tied like those of a phrase."""
    if "-" not in text or text.lower() in WORDS:
        return _word(text, next_word, plural)
    parts = [part for part in text.split("-") if part]
    following = [*(part.lower() for part in parts[1:]), next_word]
    pairs = zip(parts, following, strict=True)
    if parts[0].lower() == "vingt":  # whose t is heard before another number
        return _word("vingte", "", plural) + "".join(
            _word(part, after, plural) for part, after in list(pairs)[1:]
        )
    return "".join(_word(part, after, plural) for part, after in pairs)


def _word(text: str, next_word: str, plural: bool) -> str:
    """One word before another; ``plural`` says that "they" is its subject."""
    word = text.lower()
    if plural and word.endswith("ent") and word not in WORDS and not word.endswith(_ALWAYS_HEARD):
        return stressed(sounds_of(word, verb=True))
    if word == "tous" and next_word in _DETERMINERS:
        return stressed("tu")
    said = pronounce(word) if word in WORDS else ALPHABET.word(text)
    return liaison.tied(word, said, next_word) if next_word else said


_ALWAYS_HEARD = ("vient", "tient")

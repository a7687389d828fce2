"""Spoken text to the phonemes that Kokoro was trained with, and which word made which.

Text comes normalised: numbers and symbols are words already. What is left of them is read
plainly, so that nothing is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engines.api import LanguageUnsupported
from engines.kokoro import spanish
from engines.kokoro.chinese import reader as chinese
from engines.kokoro.english import reader as english
from engines.kokoro.french import reader as french
from engines.kokoro.hindi import reader as hindi
from engines.kokoro.italian import reader as italian
from engines.kokoro.japanese import reader as japanese
from engines.kokoro.portuguese import reader as portuguese
from engines.kokoro.tokens import Token, is_spoken_mark, tokenize
from engines.kokoro.vocabulary import TOKENS

_READERS: dict[str, Callable[[list[Token]], list[str]]] = {
    "en-us": lambda tokens: english.reader("us").read(tokens),
    "en-gb": lambda tokens: english.reader("gb").read(tokens),
    "es": spanish.read,
    "fr": french.read,
    "hi": hindi.read,
    "it": italian.read,
    "ja": japanese.read,
    "pt-br": portuguese.read,
    "zh": chinese.read,
}
_SPLITTERS: dict[str, Callable[[str], list[Token]]] = {"ja": japanese.split, "zh": chinese.split}
"""For scripts that have no blanks between words."""

LANGUAGES: frozenset[str] = frozenset(_READERS)
"""Tags of the languages that ``phonemize`` reads (BCP 47, lower case)."""

_SEPARATING = frozenset(" ;:,.!?—…()“”")


_OTHER_REGIONS = {
    "en": "en-us", "es": "es", "fr": "fr", "hi": "hi", "it": "it", "pt": "pt-br",
    "ja": "ja", "zh": "zh",
}  # fmt: skip
"""What a tag without a region, or with one that has no reading of its own, is read as."""


@dataclass(frozen=True, slots=True)
class PhonemeWord:
    """A word: where it is in the text and where its phonemes are, ends exclusive."""

    char_start: int
    char_end: int
    phoneme_start: int
    phoneme_end: int


@dataclass(frozen=True, slots=True)
class Phonemes:
    """What the model is fed; empty where a text has nothing to say."""

    symbols: str
    words: tuple[PhonemeWord, ...] = ()


def phonemize(text: str, language: str) -> Phonemes:
    """Phonemes of a text in its spoken form; safe to call from several threads.

    Raises:
        LanguageUnsupported: the language is not in ``LANGUAGES``; the message lists those.
        ModelFilesMissing: the pronouncing lexicon is not installed.
    """
    tag = language.lower()
    known = tag if tag in _READERS else _OTHER_REGIONS.get(tag.partition("-")[0])
    if known is None:
        raise LanguageUnsupported(
            f"this engine has no pronunciation for {language[:32]!r}; "
            f"it speaks: {', '.join(sorted(LANGUAGES))}"
        )
    tokens = _SPLITTERS.get(known, tokenize)(text)
    return _assemble(tokens, _READERS[known](tokens))


def _assemble(tokens: list[Token], said: list[str]) -> Phonemes:
    out: list[str] = []
    length = 0
    words: list[PhonemeWord] = []
    for token, phonemes in zip(tokens, said, strict=True):
        symbols = "".join(symbol for symbol in phonemes if symbol in TOKENS).strip()
        if symbols:
            if out and out[-1][-1] not in _SEPARATING:
                out.append(" ")
                length += 1
            words.append(PhonemeWord(token.start, token.end, length, length + len(symbols)))
        else:
            symbols = _pause(token, out[-1][-1] if out else "")
        if symbols:
            out.append(symbols)
            length += len(symbols)
    return Phonemes("".join(out).rstrip(), tuple(words)) if words else Phonemes("")


def _pause(token: Token, last: str) -> str:
    """Symbols of a token that is not said: one space, or a mark that does not repeat the last."""
    if token.kind == "space":
        return " " if last not in ("", " ") else ""
    if token.kind != "mark" or not is_spoken_mark(token) or token.text == last:
        return ""
    return token.text

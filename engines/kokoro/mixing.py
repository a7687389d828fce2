"""Tokens of scripts without blanks, and of English words between them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from engines.kokoro.english.reader import reader
from engines.kokoro.tokens import Token, is_spoken_mark, tokenize

HAN = r"[〇々〻\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd]"
KANA = r"[\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f]"

_LATIN = r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff\uff21-\uff3a\uff41-\uff5a]"
_OTHERS = rf"['’]?{_LATIN}+(?:['’\-‐‑]{_LATIN}+)*|."
_IS_LATIN = re.compile(_LATIN)
_IS_HAN = re.compile(f"{HAN}+")
_NAME_DOT = "・"
"""Stands between the parts of a name, where nobody pauses."""
_CLOSES, _OPENS = frozenset(".,!?;:…—”)"), frozenset("“(")


class Word(NamedTuple):
    """A word as it is written, and as its reader wants to have it."""

    text: str
    said: str


def split(text: str, script: str, cut: Callable[[str], Sequence[Word]]) -> list[Token]:
    """Tokens of a text, with blanks beside marks as in English.

    What ``script``, a pattern, matches is cut into words by ``cut``; ``Token.text`` is how they
    are said.
    """
    parts = re.compile(rf"(?P<own>{script})|{_OTHERS}", re.DOTALL)
    tokens: list[Token] = []
    for token in tokenize(text):
        if token.kind == "word":
            tokens += _words(text, token, parts, cut)
        else:
            if text[token.start] == _NAME_DOT:
                token = Token("space", " ", token.start, token.end)
            if tokens and _needs_blank(tokens[-1], token):
                tokens.append(Token("space", " ", token.start, token.start))
            tokens.append(token)
    return list(_spaced(tokens))


def _words(
    text: str, token: Token, parts: re.Pattern[str], cut: Callable[[str], Sequence[Word]]
) -> Iterator[Token]:
    for match in parts.finditer(text, token.start, token.end):
        at = match.start()
        found = cut(match.group()) if match["own"] else [Word(match.group(), match.group())]
        for word in found:
            end = at + len(word.text)
            yield Token("word", unicodedata.normalize("NFKC", word.said), at, end)
            at = end


def _needs_blank(before: Token, token: Token) -> bool:
    return token.kind == "mark" and token.text in _OPENS and before.kind in ("word", "digits")


def _spaced(tokens: list[Token]) -> Iterator[Token]:
    """Put blanks behind marks, where scripts with wide marks have none."""
    for index, token in enumerate(tokens):
        yield token
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        if following is None or token.kind != "mark" or token.text not in _CLOSES:
            continue
        if is_spoken_mark(following) and following.text not in _OPENS:
            continue
        if following.kind != "space":
            yield Token("space", " ", token.end, token.end)


def _latin_words(tokens: Sequence[Token]) -> list[int]:
    return [
        index
        for index, token in enumerate(tokens)
        if token.kind == "word" and _IS_LATIN.match(token.text.lstrip("'’"))
    ]


def english(tokens: Sequence[Token]) -> list[str]:
    """Phonemes of Latin words, read as English; empty for all other tokens."""
    said = [""] * len(tokens)
    places = _latin_words(tokens)
    if places:
        found = reader("us").read([tokens[place] for place in places])
        for place, phonemes in zip(places, found, strict=True):
            said[place] = phonemes
    return said


def runs(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Stretches of tokens in Chinese characters that no mark or blank separates."""
    start = 0
    for index in range(len(tokens) + 1):
        if index < len(tokens) and _IS_HAN.fullmatch(tokens[index].text):
            continue
        if start < index:
            yield start, index
        start = index + 1

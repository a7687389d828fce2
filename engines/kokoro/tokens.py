"""Cuts spoken text into words, marks and spaces; the same for every language."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

SENTENCE_MARKS = frozenset(".!?…")
CLAUSE_MARKS = frozenset(";:,—") | SENTENCE_MARKS
"""Marks with a pause; a word before one of them or at the end stands in full form."""

_MARKS: dict[str, str] = {
    **{mark: mark for mark in ";:,.!?—…()“”"},
    **dict.fromkeys("–―─−", "—"),
    **dict.fromkeys("[{（【〔〈", "("),
    **dict.fromkeys("]}）】〕〉", ")"),
    **dict.fromkeys("«„‟「『《", "“"),
    **dict.fromkeys("»」』》", "”"),
    **dict.fromkeys("，、،・", ","),
    **dict.fromkeys("。．।॥۔።", "."),
    **dict.fromkeys("！‼", "!"),
    **dict.fromkeys("？؟⁇", "?"),
    **dict.fromkeys("；؛", ";"),
    **dict.fromkeys("：", ":"),
    "⋯": "…",
}
"""What the model knows of punctuation (its vocabulary), and what else is written for it."""

_MARKS_OF_LETTERS = r"\u0300-\u036f\u0900-\u0903\u093a-\u093c\u093e-\u094f\u0951-\u0957\u0962\u0963"
"""Accents, and the vowel signs of Devanagari, which belong to the letter before them."""

_LETTER = rf"[^\W\d_][{_MARKS_OF_LETTERS}]*"
_TOKEN = re.compile(
    rf"(?P<word>['’]?(?:{_LETTER})+(?:['’\-‐‑](?:{_LETTER})+)*)"
    r"|(?P<digits>\d+)"
    r"|(?P<ellipsis>\.{2,})"
    r"|(?P<dash>(?<=\s)-+(?=\s)|--+)"
    r"|(?P<space>\s+)"
    r"|(?P<mark>.)",
    re.DOTALL,
)

TokenKind = Literal["word", "digits", "mark", "space"]


@dataclass(frozen=True, slots=True)
class Token:
    """A stretch of the text; ``text`` is composed (NFC) and, for a mark, the model's symbol."""

    kind: TokenKind
    text: str
    start: int
    end: int


def tokenize(text: str) -> list[Token]:
    """All tokens of a text in order; symbols without a reading or a pause are left out."""
    tokens: list[Token] = []
    quoted = False
    for match in _TOKEN.finditer(text):
        found, (start, end) = match.group(), match.span()
        match match.lastgroup:
            case "word":
                word = unicodedata.normalize("NFC", found).replace("’", "'")
                tokens.append(Token("word", re.sub("[‐‑]", "-", word), start, end))
            case "digits" | "space" as kind:
                tokens.append(Token(kind, found, start, end))
            case "ellipsis":
                tokens.append(Token("mark", "…", start, end))
            case "dash":
                tokens.append(Token("mark", "—", start, end))
            case _:
                quoted = quoted != (found == '"')
                symbol = ("“" if quoted else "”") if found == '"' else _MARKS.get(found, "")
                tokens.append(Token("mark", symbol or found, start, end))
    return tokens


def is_spoken_mark(token: Token) -> bool:
    """Whether a mark is one that the model was trained with."""
    return token.text in _MARKS

"""Cleans the characters of a text, in any language: what is invisible or a picture goes."""

from __future__ import annotations

import re
import unicodedata

from voicepeer.core.speaking.spoken import Draft

_SURROGATES = re.compile(r"[\ud800-\udfff]+")
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000effff]+"
)
"""Controls, soft hyphens, zero-width and bidirectional marks (UAX #9, UTS #55), fillers,
variation selectors and tags."""

_PICTURES = re.compile(
    r"\s*[\u200d\u20e3\u231a-\u231b\u23e9-\u23fa\u25aa-\u25fe\u2600-\u27bf\u2b00-\u2b59"
    r"\U0001f000-\U0001faff\ue000-\uf8ff\U000f0000-\U0010ffff]+"
)
_EMOTICONS = re.compile(r"(?<!\S)(?:[:;=8][-'^o]?[)(\]\[dDpPoO|/\\*3]|<3|\^_\^|-_-|[xX]D)(?!\S)")
_COMPATIBLE = re.compile(
    r"[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\ufb00-\ufb06\u2100-\u211f\u2121\u2123-\u214f\u2160-\u217f\u2460-\u24ff"
    r"\U0001d400-\U0001d7ff\u2080-\u2089]+"
)
"""Letters and digits in costume: wide, circled, mathematical, ligatures, Roman numerals."""

_CIRCLED = "\u2460-\u249b\u24ea-\u24ff\u2776-\u2793"
_CIRCLED_NUMBER = re.compile(f"[{_CIRCLED}](?P<more>[ ]?(?=[{_CIRCLED}]))?")
"""Numbers of a list in circles, brackets or with a period: two side by side are two."""

_MARKED = re.compile(r"[^\W_][\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0]+")
_STRAY_MARKS = re.compile(r"[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0]+")
_DIGITS = re.compile(r"[^\W0-9a-zA-Z_]+")
_APOSTROPHES = re.compile(r"[‘’‛ʼ´](?=\w)|(?<=\w)[‘’‛ʼ´]")
_HYPHENS = re.compile("[\u2010\u2011\ufe63\uff0d]")
_LONG_RUNS = re.compile(r"([^\w\s.])\1{3,}|([^\W\d_])\2{9,}")
_MANY_BLANKS = re.compile(r"[ \t\u00a0\u2000-\u200a\u3000]{4,}")
"""Collapsed first of all: a pattern that begins with blanks tries each of them."""

_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\s*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*")


_WIDE_SIGNS = re.compile(
    "[\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff5e\uffe0-\uffe6\u3371-\u33df]+"
)
"""Signs of CJK typewriters (U+FF01 and on), and units in one character."""


def _ascii_digits(match: re.Match[str]) -> str | None:
    said = "".join(
        str(unicodedata.decimal(char)) if char.isdecimal() else char for char in match.group()
    )
    return said if said != match.group() else None


def _composed(match: re.Match[str]) -> str:
    return _STRAY_MARKS.sub("", unicodedata.normalize("NFC", match.group()))


def _circled(match: re.Match[str]) -> str:
    char = match.group()[0]
    said = unicodedata.normalize("NFKC", char)
    if said == char:
        said = str(int(unicodedata.numeric(char)))
    return said if match["more"] is None else said + ", "


def _compatible(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", match.group())


def _shortened(match: re.Match[str]) -> str:
    return match.group()[:3]


def clean(draft: Draft) -> None:
    """Leave only what can be read: composed letters, ASCII digits, plain blanks, one-line breaks.

    Emoji, emoticons, private characters and lone surrogates are silent.
    """
    draft.rewrite(_MANY_BLANKS, " ")
    draft.rewrite(_SURROGATES, "")
    draft.rewrite(_EMOTICONS, "")
    draft.rewrite(_CIRCLED_NUMBER, _circled)
    draft.rewrite(_PICTURES, " ")
    draft.rewrite(_INVISIBLE, "")
    draft.rewrite(_LINES, "\n")
    draft.rewrite(_BLANKS, " ")
    draft.rewrite(_COMPATIBLE, _compatible)
    draft.rewrite(_MARKED, _composed)
    draft.rewrite(_STRAY_MARKS, "")
    draft.rewrite(_DIGITS, _ascii_digits)
    draft.rewrite(_APOSTROPHES, "'")
    draft.rewrite(_HYPHENS, "-")
    draft.rewrite(_LONG_RUNS, _shortened)


def narrow(draft: Draft) -> None:
    """Put wide signs and units in one character into their usual form.

    Not for Chinese and Japanese, whose own marks some of them are.
    """
    draft.rewrite(_WIDE_SIGNS, _compatible)

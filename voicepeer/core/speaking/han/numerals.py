"""Numbers that are characters of their own: Roman ones, and circled ones that begin a line."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from voicepeer.core.speaking.spoken import Draft

_ROMAN = re.compile(r"[\u2160-\u217f]+")
_CIRCLED_ITEM = re.compile(
    r"(?:(?<=[\s\u3000。；;，,：:])|(?<![\s\S]))([\u2460-\u2473\u2776-\u277f]) ?(?=[^\W\d])"
)


def _arabic(match: re.Match[str]) -> str:
    """What a Roman number is worth: what is less than the next one is taken off."""
    values = [int(unicodedata.numeric(char)) for char in match.group()]
    signed = [-first if first < second else first for first, second in pairwise([*values, 0])]
    return str(sum(signed))


def _item(match: re.Match[str]) -> str:
    return f"{int(unicodedata.numeric(match[1]))}，"


def read(draft: Draft) -> None:
    """Put them into digits, before they lose what tells them from letters and other digits."""
    draft.rewrite(_ROMAN, _arabic)
    draft.rewrite(_CIRCLED_ITEM, _item)

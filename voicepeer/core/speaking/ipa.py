"""Which characters are symbols of the International Phonetic Alphabet (chart of 2020)."""

from __future__ import annotations

import re
import unicodedata

_NOT_IPA = re.compile(
    "[^a-zæçðøħŋœβθχɸ\u01c0-\u01c3\u0250-\u02ff\u0300-\u036f\u1d00-\u1dbf\u2070-\u209f\ua700-\ua71f"
    r"!.|‖‿'’ːˑ:\-↑↓↗↘→\s]"
)
"""Besides letters and marks what people type for them: "'" for stress, ":" for length."""


def stranger(pronunciation: str) -> str | None:
    """The first character of a pronunciation that is none of its symbols.

    Slashes or brackets around it are no part of it.
    """
    apart = unicodedata.normalize("NFD", pronunciation.strip().strip("/[]"))
    found = _NOT_IPA.search(apart)
    return unicodedata.normalize("NFC", found[0]) if found else None

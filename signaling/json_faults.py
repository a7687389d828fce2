"""What is wrong with JSON that could not be read, in words that help whoever has sent it."""

from __future__ import annotations

import json

import msgspec

HALF_A_PAIR = "a text has half of a surrogate pair: cut texts between characters only"
"""RFC 8259 section 8.2. Languages with UTF-16 texts send that, and msgspec speaks of truncated
input or of broken UTF-8 then."""


def fault_of(error: Exception, raw: bytes) -> str:
    """Why reading ``raw`` failed with ``error``."""
    # What was judged by a schema has been read.
    read = isinstance(error, msgspec.ValidationError)
    return HALF_A_PAIR if not read and _has_half_a_pair(raw) else str(error)


def _has_half_a_pair(raw: bytes) -> bool:
    try:
        texts = json.dumps(json.loads(raw.decode("utf-8", "surrogatepass")), ensure_ascii=False)
    except (ValueError, RecursionError):
        return False
    return any("\ud800" <= char <= "\udfff" for char in texts)

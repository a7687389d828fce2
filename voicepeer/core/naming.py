"""Names that people give to voices and speakers: short, and nothing that a terminal obeys."""

from __future__ import annotations

from collections.abc import Collection
from itertools import count

MAX_NAME_CHARS = 100

_JOINERS = "\u200c\u200d"
"""Written between letters of Hindi and Persian and between parts of emoji (Unicode 23.2)."""


def is_name(text: str) -> bool:
    """Whether this may be a name; an empty one is none, so it may."""
    return len(text) <= MAX_NAME_CHARS and is_plain(text)


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, or where it is taken the first one that is not of "name (2)", "name (3)", ..."""
    if name not in taken:
        return name
    numbered = (f" ({number})" for number in count(2))
    names = (name[: MAX_NAME_CHARS - len(end)].rstrip() + end for end in numbered)
    return next(one for one in names if one not in taken)


def is_plain(text: str) -> bool:
    """Whether there is nothing in it but what can be seen, and spaces."""
    return all(char.isprintable() or char in _JOINERS for char in text)


def plain(text: str) -> str:
    """The same for a terminal: what could steer it is written as its code."""
    return "".join(
        char if is_plain(char) or char == "\n" else f"\\u{ord(char):04x}" for char in text
    )

"""Makes new inputs from old ones: bits, bytes, lines, JSON values and words of the format."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

MAX_BYTES = 300_000
"""Somewhat above the largest message that any parser takes."""

_NASTY = (
    b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\r\n\r\n", b"\\u0000", b"\\ud800", b"%00", b"../",
    b"NaN", b"1e999", b"-0", b"9" * 40, b"null", b"true", b"[]", b"{}", b'""', b"[" * 500,
    b'{"a":' * 500, b"A" * 5_000, "\u202e\u0000\uffff".encode(), "\U0001f600".encode() * 50,
)  # fmt: skip

_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 2**31, 2**63, 2**70, 1.5, 1e308, "", "\x00", "a" * 3_000, "\ud800", [], {},
    [None] * 50, {"a": {"b": []}},
)  # fmt: skip


def mutate(
    data: bytes, others: Sequence[bytes], words: Sequence[bytes], dice: random.Random
) -> bytes:
    """One to eight changes to ``data``; ``others`` are inputs to take pieces from."""
    for _ in range(dice.choice((1, 1, 1, 2, 3, 5, 8))):
        data = dice.choice(_WAYS)(data, others, words, dice)[:MAX_BYTES]
    return data


Way = Callable[[bytes, Sequence[bytes], Sequence[bytes], random.Random], bytes]


def _span(data: bytes, dice: random.Random) -> tuple[int, int]:
    start = dice.randint(0, len(data))
    return start, min(len(data), start + dice.choice((1, 2, 4, 16, 64, 1_024)))


def _flip(data: bytes, _o: Sequence[bytes], _w: Sequence[bytes], dice: random.Random) -> bytes:
    if not data:
        return data
    changed = bytearray(data)
    changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def _cut(data: bytes, _o: Sequence[bytes], _w: Sequence[bytes], dice: random.Random) -> bytes:
    start, end = _span(data, dice)
    return data[:start] + data[end:]


def _double(data: bytes, _o: Sequence[bytes], _w: Sequence[bytes], dice: random.Random) -> bytes:
    start, end = _span(data, dice)
    return data[:end] + data[start:end] * dice.choice((1, 2, 30)) + data[end:]


def _insert(data: bytes, _o: Sequence[bytes], words: Sequence[bytes], dice: random.Random) -> bytes:
    start, end = _span(data, dice)
    word = dice.choice([*words, *words, *_NASTY])
    return data[:start] + word + data[dice.choice((start, end)) :]


def _splice(
    data: bytes, others: Sequence[bytes], _w: Sequence[bytes], dice: random.Random
) -> bytes:
    other = dice.choice(others)
    return data[: dice.randint(0, len(data))] + other[dice.randint(0, len(other)) :]


def _lines(data: bytes, others: Sequence[bytes], _w: Sequence[bytes], dice: random.Random) -> bytes:
    lines = data.splitlines(keepends=True) or [b""]
    other = dice.choice(others).splitlines(keepends=True) or [b""]
    at = dice.randrange(len(lines))
    match dice.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, dice.choice(other))
        case 2:
            dice.shuffle(lines)
        case _:
            lines[at] = lines[at] * dice.choice((2, 200))
    return b"".join(lines)


def _values(data: bytes, _o: Sequence[bytes], _w: Sequence[bytes], dice: random.Random) -> bytes:
    """Change one value of a JSON document, if it is one."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return _flip(data, _o, _w, dice)
    places = list(_places(tree))
    if not places:
        return json.dumps(dice.choice(_VALUES)).encode()
    holder, key = dice.choice(places)
    if isinstance(holder, dict) and dice.random() < 0.2:
        holder[dice.choice(("", "x" * 200, "__proto__", "type"))] = dice.choice(_VALUES)
    elif dice.random() < 0.2:
        del holder[key]
    else:
        holder[key] = dice.choice(_VALUES)
    return json.dumps(tree).encode()


def _places(tree: Any) -> list[tuple[Any, Any]]:  # noqa: ANN401 - any JSON
    keys = (
        list(tree) if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    )
    found = []
    for key in keys:
        found += [(tree, key), *_places(tree[key])]
    return found


_WAYS: tuple[Way, ...] = (_flip, _cut, _double, _insert, _insert, _splice, _lines, _values, _values)

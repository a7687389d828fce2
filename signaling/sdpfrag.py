"""Trickled candidates as an SDP fragment (RFC 8840 section 9), and ICE user names of offers."""

from __future__ import annotations

import re
from dataclasses import dataclass

MEDIA_TYPE = "application/trickle-ice-sdpfrag"
MAX_LINES = 2_000
MAX_CANDIDATES = 200
"""More than a session takes of one connection; the rest is ignored."""

_LINE = re.compile(r"[a-z]=[\x20-\x7e\x80-\U0010ffff]*")
_USER = re.compile(r"^a=ice-ufrag:([^\s]+)\s*$", re.MULTILINE)


class BadFragment(Exception):
    """This is no fragment of a session description; the message says why."""


@dataclass(frozen=True, slots=True)
class Trickled:
    """One candidate, as it follows ``a=``, and the section that it is for."""

    candidate: str
    mid: str | None = None
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Fragment:
    """What a client adds to its offer: candidates, of the ICE generation of ``users``."""

    users: frozenset[str]
    candidates: tuple[Trickled, ...]


def ice_users(sdp: str) -> frozenset[str]:
    """ICE user name fragments in a description."""
    return frozenset(_USER.findall(sdp))


def parse_fragment(text: str) -> Fragment:
    """Read a fragment whose lines end in CRLF or LF.

    Its candidates belong to the section of the ``a=mid`` before them, or else to the ``m=`` line's
    place in the fragment.

    Raises:
        BadFragment: empty, too long, or with lines that are not those of an SDP.
    """
    lines = [line for line in re.split(r"\r\n|\n|\r", text) if line]
    if not lines or len(lines) > MAX_LINES:
        raise BadFragment(f"a fragment has 1 to {MAX_LINES} lines")
    if not all(_LINE.fullmatch(line) for line in lines):
        raise BadFragment("a line of the fragment is not one of an SDP, such as a=candidate:…")
    candidates: list[Trickled] = []
    mid: str | None = None
    index: int | None = None
    for line in lines:
        if line.startswith("m="):
            mid, index = None, 0 if index is None else index + 1
        elif line.startswith("a=mid:"):
            mid = line.removeprefix("a=mid:")
        elif line.startswith("a=candidate:") and len(candidates) < MAX_CANDIDATES:
            candidates.append(Trickled(line.removeprefix("a="), mid, index))
    return Fragment(ice_users(text), tuple(candidates))

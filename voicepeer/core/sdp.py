"""Session descriptions by their sections (RFC 8866), as far as an offer has to be understood."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

MAX_SECTIONS = 64
"""A browser in a large conference has as many; each is answered."""

MAX_LINES = 10_000

Direction: TypeAlias = Literal["sendrecv", "sendonly", "recvonly", "inactive"]
DIRECTIONS: tuple[Direction, ...] = ("sendrecv", "sendonly", "recvonly", "inactive")

_MEDIA_LINE = re.compile(
    r"m=([A-Za-z0-9-]{1,32}) (\d{1,5})(?:/\d{1,5})? ([A-Za-z0-9/]{1,64}) (\S.*)"
)
_OPUS = re.compile(r"a=rtpmap:(\d{1,3}) opus/48000/2", re.IGNORECASE)


class BadDescription(Exception):
    """An SDP or a candidate that cannot be used; the message says why, ``code`` is for programs."""

    code = "bad_sdp"


class NotAcceptable(BadDescription):
    """A description that is well formed but asks for what there is not here."""

    code = "not_acceptable"


@dataclass(frozen=True, slots=True)
class Section:
    """One media section; ``lines`` are those after the ``m=`` line."""

    kind: str
    port: int
    protocol: str
    formats: str
    lines: tuple[str, ...]

    def values(self, name: str) -> list[str]:
        """Values of all attributes of this name, as ``values_of`` gives them."""
        return values_of(self.lines, name)

    def value(self, name: str) -> str | None:
        """Value of the first attribute of this name."""
        return next(iter(self.values(name)), None)

    @property
    def mid(self) -> str | None:
        """The section's identification (RFC 5888)."""
        return self.value("mid")

    @property
    def direction(self) -> Direction:
        """Seen from the offerer; ``sendrecv`` where nothing is said (RFC 8866 section 6.7)."""
        given = (name for line in self.lines for name in DIRECTIONS if line == f"a={name}")
        return next(given, "sendrecv")

    @property
    def open(self) -> bool:
        """Whether it is in use: port zero means rejected, except for what is bundled only."""
        return self.port > 0 or self.value("bundle-only") is not None

    @property
    def opus(self) -> list[str]:
        """Payload types of Opus, in the offerer's order of preference."""
        named = {match.group(1) for line in self.lines if (match := _OPUS.fullmatch(line))}
        return [number for number in self.formats.split() if number in named]


@dataclass(frozen=True, slots=True)
class Offer:
    """An offer, by its sections."""

    session: tuple[str, ...]
    sections: tuple[Section, ...]

    @property
    def bundle(self) -> list[str]:
        """Mids of the first BUNDLE group (RFC 9143); empty where nothing is bundled."""
        groups = (group.split() for group in values_of(self.session, "group"))
        return next((mids for kind, *mids in filter(None, groups) if kind == "BUNDLE"), [])

    @property
    def users(self) -> frozenset[str]:
        """ICE user name fragments in it."""
        own = (name for section in self.sections for name in section.values("ice-ufrag"))
        return frozenset([*values_of(self.session, "ice-ufrag"), *own])


def parse_offer(text: str) -> Offer:
    """Read an offer whose lines end in CRLF or LF.

    Raises:
        BadDescription: not a session description (RFC 8866), or larger than any real one.
    """
    lines = [line for line in re.split(r"\r\n|\n|\r", text) if line]
    if not lines or lines[0] != "v=0":
        raise BadDescription("this is no session description: it does not begin with v=0")
    if len(lines) > MAX_LINES or not all(line.isprintable() for line in lines):
        raise BadDescription("this is no session description: too long, or not text")
    starts = [index for index, line in enumerate(lines) if line.startswith("m=")]
    if len(starts) > MAX_SECTIONS:
        raise BadDescription(f"an offer may have {MAX_SECTIONS} sections")
    session = lines[: starts[0]] if starts else lines
    ends = [*starts, len(lines)][1:]
    sections = [_section(lines[at:end], session) for at, end in zip(starts, ends, strict=True)]
    return Offer(tuple(session), tuple(sections))


def _section(lines: Sequence[str], session: Sequence[str]) -> Section:
    match = _MEDIA_LINE.fullmatch(lines[0])
    if match is None:
        raise BadDescription("a media line is malformed")
    kind, port, protocol, formats = match.groups()
    # The first direction counts, and that of the session only where there is no other.
    default = [line for line in session if line.removeprefix("a=") in DIRECTIONS]
    return Section(kind, int(port), protocol, formats, (*lines[1:], *default))


def values_of(lines: Iterable[str], name: str) -> list[str]:
    """Values of all attributes of a name; an attribute without a value has an empty one."""
    flag, prefix = f"a={name}", f"a={name}:"
    return [
        line.removeprefix(prefix) if line.startswith(prefix) else ""
        for line in lines
        if line == flag or line.startswith(prefix)
    ]

"""Which sections of an offer are used, and what an answer says of the others.

aiortc answers every section of an offer or fails, so it gets to see only what we use: one audio
section and the data channel. The others come back into the answer as rejected (RFC 8829 section
5.3.1), whatever they are: video of any codec, simulcast, more audio. Pure text in, text out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, TypeAlias

MAX_SECTIONS = 64
"""A browser in a large conference has as many; each is answered."""

MAX_LINES = 10_000

Purpose: TypeAlias = Literal["call", "publish", "listen"]
"""``call`` is two-way with a data channel; ``publish`` has a microphone only (WHIP), ``listen``
hears only (WHEP)."""

Direction: TypeAlias = Literal["sendrecv", "sendonly", "recvonly", "inactive"]
DIRECTIONS: tuple[Direction, ...] = ("sendrecv", "sendonly", "recvonly", "inactive")

_MEDIA_LINE = re.compile(
    r"m=([A-Za-z0-9-]{1,32}) (\d{1,5})(?:/\d{1,5})? ([A-Za-z0-9/]{1,64}) (\S.*)"
)
_OPUS = re.compile(r"a=rtpmap:(\d{1,3}) opus/48000/2", re.IGNORECASE)
_TRANSPORT = ("ice-ufrag", "ice-pwd", "ice-options", "fingerprint", "setup")
"""What a bundled section may leave to the one its group is tagged with (RFC 8859, TRANSPORT)."""

_OF_AUDIO = re.compile(r"a=(?:mid:\S+|rtcp-mux|extmap:\d{1,5}(?:/[a-z]+)? \S+)")
"""All that aiortc needs. Without ``a=ssrc`` it goes by the payload type, which is never wrong with
one section and is what offers without such lines need anyway."""

_OF_DATA = re.compile(r"a=(?:mid:\S+|sctp-port:\d{1,5}|sctpmap:.*|max-message-size:\d{1,18})")

_CODEC = ("a=rtpmap:", "a=fmtp:")
_ANSWERED_TRANSPORT = ("a=ice-", "a=fingerprint:", "a=setup:", "a=candidate:", "a=end-of-cand")

_SESSION = ("v=0", "o=- 0 0 IN IP4 127.0.0.1", "s=-", "t=0 0")

Admit: TypeAlias = Callable[[str], str | None]
"""Gives a candidate as it is to be passed on, or ``None``."""


class BadDescription(Exception):
    """An SDP or a candidate that cannot be used; the message says why."""


class NotAcceptable(BadDescription):
    """A description that is well formed but asks for what there is not here."""


@dataclass(frozen=True, slots=True)
class Section:
    """One media section; ``lines`` are those after the ``m=`` line."""

    kind: str
    port: int
    protocol: str
    formats: str
    lines: tuple[str, ...]

    def values(self, name: str) -> list[str]:
        """Values of all attributes of this name; an attribute without a value has an empty one."""
        return _values(self.lines, name)

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
        groups = (group.split() for group in _values(self.session, "group"))
        return next((mids for kind, *mids in filter(None, groups) if kind == "BUNDLE"), [])

    @property
    def users(self) -> frozenset[str]:
        """ICE user name fragments in it."""
        own = (name for section in self.sections for name in section.values("ice-ufrag"))
        return frozenset([*_values(self.session, "ice-ufrag"), *own])


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


def _values(lines: Iterable[str], name: str) -> list[str]:
    flag, prefix = f"a={name}", f"a={name}:"
    return [
        line.removeprefix(prefix) if line.startswith(prefix) else ""
        for line in lines
        if line == flag or line.startswith(prefix)
    ]


# --- choosing -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Chosen:
    """An offer, and the indices of its sections that are used."""

    offer: Offer
    audio: int | None
    data: int | None

    @property
    def indices(self) -> list[int]:
        """Those sections that are used, in order; aiortc sees no others."""
        return sorted(index for index in (self.audio, self.data) if index is not None)

    @property
    def sections(self) -> list[Section]:
        """The same, themselves."""
        return [self.offer.sections[index] for index in self.indices]

    @property
    def group(self) -> list[str]:
        """Mids of those that share a transport."""
        mids = [section.mid for section in self.sections]
        return [mid for mid in mids if mid is not None and mid in self.offer.bundle]

    @property
    def idle(self) -> list[str]:
        """The mid that the BUNDLE group is tagged with, if that section is not used.

        It must not be rejected: Chromium with ``max-bundle`` would lose everybody's transport.
        """
        if not self.group or self.offer.bundle[0] in self.group:
            return []
        kinds = {one.mid: one.kind for one in self.offer.sections}
        return [mid for mid in self.offer.bundle[:1] if kinds.get(mid) in ("audio", "video")]

    @property
    def bundled(self) -> bool:
        """Whether all that is used shares one transport."""
        return len(self.indices) < 2 or len(self.group) == len(self.indices)

    def transport_of(self, mid: str | None, index: int | None) -> int | None:
        """Which of the used sections a candidate is for, by its mid or else its index in the offer.

        The place is that among ``indices``. A browser that bundles may gather for a section that
        is not used; ``None`` where the candidate is for a transport that there is not.
        """
        if mid is None and index is None:
            return 0 if self.bundled else None
        mids = [section.mid for section in self.offer.sections]
        if mid is not None and mid in mids:
            index = mids.index(mid)
        if index is None or not 0 <= index < len(mids):
            return None
        if self.bundled and mids[index] in self.offer.bundle:
            return 0
        return self.indices.index(index) if index in self.indices else None


def choose(offer: Offer, purpose: Purpose, earlier: Chosen | None = None) -> Chosen:
    """Choose what to use of an offer, which stays with the audio of an ``earlier`` one.

    Raises:
        NotAcceptable: there is no Opus, or nothing that serves the purpose.
        BadDescription: what is used cannot be reached.
    """
    if purpose != "call":
        _check_one_way(offer, purpose)
    data = next((index for index, one in enumerate(offer.sections) if _is_data(one)), None)
    if purpose == "call" and data is None:
        raise NotAcceptable("the offer has no data channel: create one before the offer")
    audio = _choose_audio(offer, earlier.audio if earlier else None)
    chosen = Chosen(offer, audio, data if purpose == "call" else None)
    for section in chosen.sections:
        _check_transport(offer, section)
    return chosen


def _choose_audio(offer: Offer, earlier: int | None) -> int | None:
    """The section it was, or else the first with Opus that is in use, or that may come into use."""
    usable = _open_audio(offer)
    with_opus = [index for index in usable if offer.sections[index].opus]
    if usable and not with_opus:
        raise NotAcceptable("the offer has no Opus (opus/48000/2), which is all we speak")
    if earlier is not None:
        return earlier if earlier in with_opus else None
    active = (index for index in with_opus if offer.sections[index].direction != "inactive")
    return next(active, with_opus[0] if with_opus else None)


def _open_audio(offer: Offer) -> list[int]:
    return [index for index, one in enumerate(offer.sections) if one.kind == "audio" and one.open]


def _is_data(section: Section) -> bool:
    return section.kind == "application" and "SCTP" in section.protocol and section.open


def _check_one_way(offer: Offer, purpose: Purpose) -> None:
    """RFC 9725 sections 4.2, 4.4.2 and 4.4.3; draft-ietf-wish-whep-03 section 4.2."""
    audio = _open_audio(offer)
    if not audio:
        raise NotAcceptable("the offer has no audio section")
    refused = {"publish": "recvonly", "listen": "sendonly"}.get(purpose)
    wrong = {offer.sections[index].direction for index in audio} & {refused, "inactive"}
    if wrong:
        wanted = "sendonly" if purpose == "publish" else "recvonly"
        raise NotAcceptable(f"audio is offered as {wrong.pop()}, but must be {wanted}")
    if purpose == "publish" and len(offer.sections) > 1:
        raise NotAcceptable(
            "a publisher is heard by one audio section: leave out video and everything else, as "
            "an answer that takes only a part would mislead (RFC 9725 section 4.4.3)"
        )


def _check_transport(offer: Offer, section: Section) -> None:
    lines = [*offer.session, *section.lines, *_tagged_lines(offer, section)]
    if not _values(lines, "fingerprint"):
        raise BadDescription("the offer has no certificate fingerprint (RFC 8827 section 6.5)")
    if not (_values(lines, "ice-ufrag") and _values(lines, "ice-pwd")):
        raise BadDescription("the offer has no ICE user name and password (RFC 8839 section 5.4)")
    if section.kind == "audio" and section.value("rtcp-mux") is None:
        raise BadDescription("RTP and RTCP must share a port: offer a=rtcp-mux (RFC 8834)")


def _tagged_lines(offer: Offer, section: Section) -> tuple[str, ...]:
    """Lines of the section that this one's BUNDLE group is tagged with (RFC 9143 section 7.1)."""
    if section.mid not in offer.bundle:
        return ()
    return next((one.lines for one in offer.sections if one.mid == offer.bundle[0]), ())


# --- what aiortc sees ---------------------------------------------------------------------------


def reduced(chosen: Chosen, admit: Admit) -> str:
    """The offer with nothing in it but what is used, and of its candidates those that are admitted.

    Bundled sections get the transport of their group, each of them: aiortc looks at the last one.
    """
    lines = [*_SESSION, *(line for line in chosen.offer.session if line == "a=ice-lite")]
    if chosen.group:
        lines.append(f"a=group:BUNDLE {' '.join(chosen.group)}")
    shared: list[str] | None = None
    for section in chosen.sections:
        if shared is None or not chosen.bundled:
            shared = _candidates(chosen.offer, section, admit)
        lines += [*_reduced_section(chosen.offer, section), *shared]
    return _text(lines)


def _reduced_section(offer: Offer, section: Section) -> Iterator[str]:
    port = section.port or 9
    if section.kind == "audio":
        yield f"m=audio {port} UDP/TLS/RTP/SAVPF {' '.join(section.opus)}"
        yield f"a={section.direction}"
        yield from (line for line in section.lines if _OF_AUDIO.fullmatch(line))
        yield from (f"a=rtpmap:{number} opus/48000/2" for number in section.opus)
    else:
        yield f"m=application {port} {section.protocol} {section.formats}"
        yield from (line for line in section.lines if _OF_DATA.fullmatch(line))
    tagged = _tagged_lines(offer, section)
    for name in _TRANSPORT:
        values = section.values(name) or _values(offer.session, name) or _values(tagged, name)
        yield from (f"a={name}:{value}" for value in values)


def _candidates(offer: Offer, section: Section, admit: Admit) -> list[str]:
    """Candidate lines of a section's transport; malformed ones are of no use either."""
    lines = section.values("candidate") or _values(_tagged_lines(offer, section), "candidate")
    admitted = []
    for line in lines:
        with suppress(BadDescription):
            admitted.append(admit(f"candidate:{line}"))
    return [f"a={candidate}" for candidate in admitted if candidate is not None]


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\r\n" for line in lines)


# --- the answer ---------------------------------------------------------------------------------


def completed(answer: str, chosen: Chosen) -> str:
    """The answer to the whole offer, from the one to what was used of it."""
    lines = answer.splitlines()
    starts = [index for index, line in enumerate(lines) if line.startswith("m=")]
    ends = [*starts[1:], len(lines)]
    used = {
        index: lines[start:end]
        for index, start, end in zip(chosen.indices, starts, ends, strict=True)
    }
    whole = [line for line in lines[: starts[0]] if not line.startswith("a=group:")]
    if chosen.group:
        whole.append(f"a=group:BUNDLE {' '.join([*chosen.idle, *chosen.group])}")
    for index, section in enumerate(chosen.offer.sections):
        if index in used:
            whole += _as_offered(used[index], section)
        elif section.mid in chosen.idle:
            whole += _idle(section, used[chosen.indices[0]])
        else:
            whole += _rejected(section)
    return _text(whole)


def _as_offered(lines: list[str], section: Section) -> list[str]:
    """With the protocol's name as it was offered (RFC 8829 section 5.1.2)."""
    kind, port, _protocol, formats = lines[0].split(" ", 3)
    return [f"{kind} {port} {section.protocol} {formats}", *lines[1:]]


def _idle(section: Section, transport: Iterable[str]) -> Iterator[str]:
    """Taken, but for nothing: with its first codec, and the transport of what is used."""
    codec = section.formats.split()[0]
    yield f"m={section.kind} 9 {section.protocol} {codec}"
    yield "c=IN IP4 0.0.0.0"
    yield "a=inactive"
    yield f"a=mid:{section.mid}"
    yield "a=rtcp-mux"
    yield from (line for line in section.lines if line.startswith(_CODEC) and _of(codec, line))
    yield from (line for line in transport if line.startswith(_ANSWERED_TRANSPORT))


def _of(codec: str, line: str) -> bool:
    return line.partition(":")[2].partition(" ")[0] == codec


def _rejected(section: Section) -> Iterator[str]:
    """RFC 3264 section 6: port zero; such a section is in no BUNDLE group (RFC 9143, 7.3.3)."""
    yield f"m={section.kind} 0 {section.protocol} {section.formats}"
    yield "c=IN IP4 0.0.0.0"
    if section.kind != "application":
        yield "a=inactive"
    if section.mid is not None:
        yield f"a=mid:{section.mid}"

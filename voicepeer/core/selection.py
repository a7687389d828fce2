"""Which sections of an offer are used, and what an answer says of the others.

aiortc answers every section of an offer or fails, so it gets to see only what we use: one audio
section and the data channel, or the several of one who hears a room. The others come back into the
answer as rejected (RFC 8829 section 5.3.1), whatever they are: video of any codec, simulcast, more
audio. Pure text in, text out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, TypeAlias

from voicepeer.core import transport
from voicepeer.core.sdp import BadDescription, NotAcceptable, Offer, Section, values_of

Purpose: TypeAlias = Literal["call", "publish", "listen"]
"""``call`` is two-way with a data channel; ``publish`` has a microphone only (WHIP), ``listen``
hears only (WHEP)."""

Use: TypeAlias = Purpose | Literal["room"]
"""Of one connection: that of a session is for its purpose; a second one, beside a call, hears those
in a ``room``, each in a section of their own."""

MAX_HEARD = 16
"""Sections that ``room`` uses of an offer; so many voices at once are more than anybody follows."""

_OF_AUDIO = re.compile(r"a=(?:mid:\S+|rtcp-mux|extmap:\d{1,5}(?:/[a-z]+)? \S+)")
"""All that aiortc needs. Without ``a=ssrc`` it goes by the payload type, which is never wrong with
one section and is what offers without such lines need anyway."""

_OF_DATA = re.compile(r"a=(?:mid:\S+|sctp-port:\d{1,5}|sctpmap:.*|max-message-size:\d{1,18})")

_CODEC = ("a=rtpmap:", "a=fmtp:")
_ANSWERED_TRANSPORT = ("a=ice-", "a=fingerprint:", "a=setup:", "a=candidate:", "a=end-of-cand")

_SESSION = ("v=0", "o=- 0 0 IN IP4 127.0.0.1", "s=-", "t=0 0")

Admit: TypeAlias = Callable[[str], str | None]
"""Gives a candidate as it is to be passed on, or ``None``."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """An offer, and the indices of its sections that are used."""

    offer: Offer
    audio: int | None
    data: int | None
    more_audio: tuple[int, ...] = ()
    """Where several are heard."""

    @property
    def indices(self) -> list[int]:
        """Those sections that are used, in order; aiortc sees no others."""
        used = (self.audio, self.data, *self.more_audio)
        return sorted(index for index in used if index is not None)

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
        tag = self.offer.bundle[0]
        media = {one.mid for one in self.offer.sections if one.open and one.kind != "application"}
        return [tag] if tag in media else []

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


def choose(offer: Offer, purpose: Use, earlier: Chosen | None = None) -> Chosen:
    """Choose what to use of an offer, which stays with the audio of an ``earlier`` one.

    Raises:
        NotAcceptable: there is no Opus, or nothing that serves the purpose.
        BadDescription: what is used cannot be reached.
    """
    mids = [one.mid for one in offer.sections if one.mid is not None]
    if len(set(mids)) < len(mids):
        raise BadDescription("two sections have the same a=mid, so neither can be told apart")
    if purpose != "call":
        _check_one_way(offer, purpose)
    if purpose == "room":
        return _choose_for_room(offer, earlier)
    data = next((index for index, one in enumerate(offer.sections) if _is_data(one)), None)
    if purpose == "call" and data is None:
        raise NotAcceptable("the offer has no data channel: create one before the offer")
    audio = _choose_audio(offer, earlier.audio if earlier else None)
    return _checked(Chosen(offer, audio, data if purpose == "call" else None))


def _choose_for_room(offer: Offer, earlier: Chosen | None) -> Chosen:
    """All sections with Opus up to a limit, those of before among them."""
    with_opus = [index for index in _open_audio(offer) if offer.sections[index].opus]
    if not with_opus:
        raise NotAcceptable("the offer has no Opus (opus/48000/2), which is all we speak")
    if earlier is not None and not set(earlier.indices) <= set(with_opus):
        raise NotAcceptable("sections can only be added: make a new connection to have fewer")
    first, *others = with_opus[:MAX_HEARD]
    return _checked(Chosen(offer, first, None, tuple(others)))


def _checked(chosen: Chosen) -> Chosen:
    for section in chosen.sections:
        _check_transport(chosen.offer, section)
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


def _check_one_way(offer: Offer, purpose: Use) -> None:
    """RFC 9725 sections 4.2, 4.4.2 and 4.4.3; draft-ietf-wish-whep-03 section 4.2."""
    audio = _open_audio(offer)
    if not audio:
        raise NotAcceptable("the offer has no audio section")
    refused = "recvonly" if purpose == "publish" else "sendonly"
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
    transport.check_transport(_transport(offer, section))
    if section.kind == "audio" and section.value("rtcp-mux") is None:
        raise BadDescription("RTP and RTCP must share a port: offer a=rtcp-mux (RFC 8834)")


def _transport(offer: Offer, section: Section) -> dict[str, Sequence[str]]:
    """What is said of a section's transport: by itself, or else for all, or else for its bundle."""
    tagged = _tagged_lines(offer, section)
    return {
        name: section.values(name) or values_of(offer.session, name) or values_of(tagged, name)
        for name in transport.NAMES
    }


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
    said = _transport(offer, section)
    said["fingerprint"] = transport.usable_fingerprints(said["fingerprint"])
    for name, values in said.items():
        yield from (f"a={name}:{value}" for value in values)


def _candidates(offer: Offer, section: Section, admit: Admit) -> list[str]:
    """Candidate lines of a section's transport; malformed ones are of no use either."""
    lines = section.values("candidate") or values_of(_tagged_lines(offer, section), "candidate")
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

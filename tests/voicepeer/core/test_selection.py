"""What is chosen of offers, what is left for aiortc, and answers put together."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signaling.sessions import Purpose as SignalingPurpose
from tests.voicepeer import offers
from voicepeer.core import selection
from voicepeer.core.sdp import BadDescription, NotAcceptable, Offer, parse_offer
from voicepeer.core.selection import choose, completed, reduced

pytestmark = pytest.mark.unit

CALL = offers.offer_of("chromium_call")
SIMULCAST = offers.offer_of("chromium_simulcast")


def admit_all(candidate: str) -> str | None:
    return candidate


PASSWORD = "p" * 22
FINGERPRINT = f"a=fingerprint:sha-256 {':'.join(['AB'] * 32)}\n"


def audio(mid: str, direction: str = "sendrecv", port: int = 9, codec: str = "opus") -> str:
    """An audio section that can be answered."""
    return (
        f"m=audio {port} UDP/TLS/RTP/SAVPF 111\na=rtpmap:111 {codec}/48000/2\na=mid:{mid}\n"
        f"a={direction}\na=rtcp-mux\n"
    )


def data(mid: str) -> str:
    return f"m=application 9 UDP/DTLS/SCTP webrtc-datachannel\na=mid:{mid}\na=sctp-port:5000\n"


def offer(*sections: str, bundle: str = "") -> Offer:
    """An offer whose session has the transport of all its sections."""
    session = f"v=0\na=ice-ufrag:abcd\na=ice-pwd:{PASSWORD}\n{FINGERPRINT}a=setup:actpass\n"
    return parse_offer(
        session + (f"a=group:BUNDLE {bundle}\n" if bundle else "") + "".join(sections)
    )


def test_both_sides_of_the_seam_mean_the_same_purposes() -> None:
    assert SignalingPurpose == selection.Purpose


def test_what_is_used_comes_first_to_last_and_keeps_its_audio() -> None:
    first = choose(offer(audio("0"), data("1"), bundle="0 1"), "call")
    assert (first.indices, first.bundled) == ([0, 1], True)
    later = offer(audio("0", "inactive"), data("1"), audio("2"), bundle="0 1 2")
    assert choose(later, "call").audio == 2
    assert choose(later, "call", first).audio == 0


def test_audio_that_the_client_gives_up_is_not_replaced_by_another() -> None:
    first = choose(offer(audio("0"), data("1")), "call")
    later = choose(offer(audio("0", port=0), data("1"), audio("2")), "call", first)
    assert later.indices == [1]


def test_bundle_only_sections_are_in_use() -> None:
    bundled = audio("1", port=0) + "a=bundle-only\n"
    assert choose(offer(data("0"), bundled, bundle="0 1"), "call").indices == [0, 1]


def test_candidates_are_for_the_transport_that_is_used() -> None:
    chosen = choose(parse_offer(SIMULCAST), "call")
    assert chosen.indices == [1, 3]
    for mid, index in [(None, None), ("1", None), ("3", 3), (None, 3), ("", 1), ("0", 0), ("x", 2)]:
        assert chosen.transport_of(mid, index) == 0, (mid, index)
    for mid, index in [("x", None), (None, 4), (None, -1)]:
        assert chosen.transport_of(mid, index) is None, (mid, index)


def test_without_a_bundle_each_section_has_its_candidates() -> None:
    chosen = choose(offer(audio("0"), "m=video 9 X 1\na=mid:v\n", data("1")), "call")
    assert not chosen.bundled
    places = [chosen.transport_of(mid, None) for mid in ("0", "v", "1", None)]
    assert places == [0, None, 1, None]


def test_aiortc_sees_what_is_used_and_nothing_else() -> None:
    text = reduced(choose(parse_offer(SIMULCAST), "call"), admit_all)
    session, *media = offers.sections(text)
    assert offers.values(session, "group") == ["BUNDLE 1 3"]
    assert [lines[0] for lines in media] == [
        "m=audio 9 UDP/TLS/RTP/SAVPF 111",
        "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
    ]
    # The sections that are bundled have the candidates of the one whose transport all share.
    addresses = [[line.split()[4] for line in offers.values(one, "candidate")] for one in media]
    assert addresses[0] == addresses[1]
    assert "192.0.2.17" in addresses[0]
    assert "simulcast" not in text
    assert "ssrc:" not in text.replace("ssrc-audio-level", "")


def test_transport_is_taken_from_the_section_the_group_is_tagged_with() -> None:
    tagged = f"m=video 9 X 96\na=mid:v\na=ice-ufrag:tagg\na=ice-pwd:{PASSWORD}\na=setup:actpass\n"
    session = f"v=0\na=group:BUNDLE v 0 1\n{FINGERPRINT}"
    read = parse_offer(session + tagged + audio("0") + data("1"))
    lines = reduced(choose(read, "call"), admit_all).splitlines()
    assert lines.count("a=ice-ufrag:tagg") == lines.count("a=setup:actpass") == 2


def test_a_section_without_a_transport_is_refused() -> None:
    with pytest.raises(BadDescription, match="fingerprint"):
        choose(parse_offer(f"v=0\n{data('0')}"), "call")


def test_candidates_that_are_not_admitted_or_malformed_are_left_out() -> None:
    def admit(candidate: str) -> str | None:
        if " tcp " in candidate:
            raise BadDescription("planted")
        return None if "2001:db8" in candidate else candidate

    text = reduced(choose(parse_offer(CALL), "call"), admit)
    assert {line.split()[4] for line in re.findall("a=candidate:.*", text)} == {"192.0.2.17"}


def test_an_answer_gets_the_rejected_sections_back_in_their_places() -> None:
    chosen = choose(parse_offer(SIMULCAST), "call")
    answer = "v=0\r\na=group:BUNDLE 1 3\r\nm=audio 9 A 111\r\na=mid:1\r\na=setup:active\r\n"
    answer += "m=application 9 B c\r\n"
    session, *media = offers.sections(completed(answer, chosen))
    assert [one[0].split()[:2] for one in media] == [
        ["m=video", "9"],
        ["m=audio", "9"],
        ["m=audio", "0"],
        ["m=application", "9"],
    ]
    assert media[2][1:] == ["c=IN IP4 0.0.0.0", "a=inactive", "a=mid:2"]
    assert session == ["v=0", "a=group:BUNDLE 0 1 3"]


def test_the_section_that_a_bundle_is_tagged_with_is_kept_idle() -> None:
    chosen = choose(parse_offer(SIMULCAST), "call")
    assert chosen.idle == ["0"]
    answer = (
        "v=0\r\nm=audio 9 A 111\r\na=mid:1\r\na=ice-ufrag:u\r\na=candidate:1\r\na=ssrc:1\r\n"
        "m=application 9 B c\r\n"
    )
    video = offers.sections(completed(answer, chosen))[1]
    assert video[0] == "m=video 9 UDP/TLS/RTP/SAVPF 96"
    assert "a=rtpmap:96 VP8/90000" in video
    assert video[-2:] == ["a=ice-ufrag:u", "a=candidate:1"]
    assert not offers.values(video, "rid")


@pytest.mark.parametrize("bundle", ["", "0 1"])
def test_nothing_is_idle_where_the_tag_is_used_or_nothing_is_bundled(bundle: str) -> None:
    assert choose(offer(audio("0"), data("1"), bundle=bundle), "call").idle == []


@pytest.mark.parametrize("purpose", ["publish", "listen"])
def test_one_way_needs_audio(purpose: selection.Purpose) -> None:
    with pytest.raises(NotAcceptable, match="no audio"):
        choose(offer(data("0")), purpose)


LINES = st.sampled_from(
    sorted({*CALL.splitlines(), *SIMULCAST.splitlines(), "a=bundle-only", "a=group:BUNDLE", "a="})
)


@settings(max_examples=300, deadline=None)
@given(st.lists(LINES, max_size=40), st.sampled_from(["call", "publish", "listen"]))
def test_any_lines_are_chosen_from_or_refused(lines: list[str], purpose: selection.Purpose) -> None:
    try:
        chosen = choose(parse_offer("\n".join(["v=0", *lines])), purpose)
    except BadDescription:
        return
    seen = reduced(chosen, admit_all)
    assert seen.count("m=") == len(chosen.indices) > 0
    answer = "".join(
        f"{line}\r\n" for line in seen.splitlines() if line.startswith(("v=", "m=", "a=mid"))
    )
    whole = completed(answer, chosen)
    kinds = [one.kind for one in chosen.offer.sections]
    assert re.findall(r"^m=(\S+) ", whole, re.MULTILINE) == kinds


def test_a_tagged_section_that_is_given_up_is_not_revived() -> None:
    gone = "m=video 0 UDP/TLS/RTP/SAVPF 96\na=mid:v\n"
    chosen = choose(offer(gone, audio("0"), data("1"), bundle="v 0 1"), "call")
    assert chosen.idle == []


def test_sections_are_told_apart_by_their_mids() -> None:
    for sections in ([audio("0"), data("0")], [audio("0"), data("1"), "m=video 9 X 1\na=mid:1\n"]):
        with pytest.raises(BadDescription, match="same a=mid"):
            choose(offer(*sections), "call")


@pytest.mark.parametrize("setup", ["holdconn", "", "x"])
def test_a_connection_that_nobody_opens_is_refused(setup: str) -> None:
    with pytest.raises(BadDescription, match="actpass"):
        choose(offer(audio("0") + f"a=setup:{setup}\n", data("1")), "call")
    for fine in ("actpass", "active", "passive"):
        choose(offer(audio("0") + f"a=setup:{fine}\n", data("1")), "call")


# --- a connection that hears a room -----------------------------------------------------------


def test_a_room_is_heard_in_every_section_with_opus() -> None:
    wanted = offer(
        audio("0", "recvonly"), audio("1", "recvonly", codec="speex"), audio("2", "sendrecv"),
        bundle="0 1 2",
    )  # fmt: skip
    chosen = choose(wanted, "room")
    assert (chosen.indices, chosen.bundled, chosen.data) == ([0, 2], True, None)
    seen = parse_offer(reduced(chosen, admit_all))
    assert [section.mid for section in seen.sections] == ["0", "2"]
    assert seen.bundle == ["0", "2"]


def test_a_room_takes_no_data_channel_and_not_all_sections_of_a_huge_offer() -> None:
    sections = [audio(str(n), "recvonly") for n in range(selection.MAX_HEARD + 4)]
    chosen = choose(offer(data("d"), *sections), "room")
    assert chosen.indices == list(range(1, selection.MAX_HEARD + 1))
    answer = completed(reduced(chosen, admit_all), chosen)
    rejected = [line for line in answer.splitlines() if line.startswith("m=") and " 0 " in line]
    assert len(rejected) == 1 + 4


@pytest.mark.parametrize(
    ("sections", "part"),
    [
        ([data("0")], "no audio section"),
        ([audio("0", "sendonly")], "must be recvonly"),
        ([audio("0", "recvonly"), audio("1", "inactive")], "must be recvonly"),
        ([audio("0", "recvonly", codec="speex")], "no Opus"),
    ],
)
def test_a_room_cannot_be_heard_without_sections_for_it(sections: list[str], part: str) -> None:
    with pytest.raises(NotAcceptable, match=part):
        choose(offer(*sections), "room")


def test_sections_of_a_room_can_be_added_but_not_taken_away() -> None:
    first, second = audio("0", "recvonly"), audio("1", "recvonly")
    one = choose(offer(first), "room")
    two = choose(offer(first, second), "room", one)
    assert two.indices == [0, 1]
    with pytest.raises(NotAcceptable, match="only be added"):
        choose(offer(first, audio("1", "recvonly", port=0)), "room", two)

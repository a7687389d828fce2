"""Offers by their sections."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.voicepeer import offers
from voicepeer.core.sdp import BadDescription, parse_offer

pytestmark = pytest.mark.unit

SIMULCAST = offers.offer_of("chromium_simulcast")
AUDIO = "m=audio 9 UDP/TLS/RTP/SAVPF 111\na=rtpmap:111 opus/48000/2\na=sendonly\na=rtcp-mux\n"


def test_an_offer_is_read_by_its_sections() -> None:
    read = parse_offer(SIMULCAST)
    kinds = [(one.kind, one.mid, one.direction, one.opus) for one in read.sections]
    assert kinds == [
        ("video", "0", "sendonly", []),
        ("audio", "1", "sendrecv", ["111"]),
        ("audio", "2", "recvonly", ["111"]),
        ("application", "3", "sendrecv", []),
    ]
    assert read.bundle == ["0", "1", "2", "3"]
    assert read.users == {"W9ce"}


def test_a_direction_of_the_session_is_the_default() -> None:
    bare = AUDIO.replace("a=sendonly\n", "")
    read = parse_offer(f"v=0\na=recvonly\n{bare}{AUDIO}")
    assert [one.direction for one in read.sections] == ["recvonly", "sendonly"]


def test_opus_is_chosen_in_the_offerers_order_and_only_as_rfc_7587_writes_it() -> None:
    section = (
        "m=audio 9 UDP/TLS/RTP/SAVPF 0 120 96 97 98\na=rtpmap:96 opus/48000/2\n"
        "a=rtpmap:97 opus/48000\na=rtpmap:98 multiopus/48000/6\na=rtpmap:120 OPUS/48000/2\n"
        "a=rtpmap:99 opus/48000/2\n"
    )
    assert parse_offer(f"v=0\n{section}").sections[0].opus == ["120", "96"]


@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda raw: raw.decode("latin-1")))
def test_any_text_is_read_or_refused(text: str) -> None:
    for sdp_text in (text, f"v=0\n{text}"):
        with suppress(BadDescription):
            assert parse_offer(sdp_text).session[0] == "v=0"

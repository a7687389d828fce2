"""The sieve for ICE candidates: each useful one once, whatever form it comes in."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.candidates import MAX_CANDIDATES, CandidateSieve, end_of_candidates
from voicepeer.core.sdp import BadDescription

pytestmark = pytest.mark.unit

HOST = "candidate:1 1 udp 2130706431 192.0.2.7 50000 typ host"


def host(**changes: str) -> str:
    """A candidate with some fields changed."""
    names = ("foundation", "component", "transport", "priority", "address", "port", "typ", "type")
    fields = dict(zip(names, HOST.removeprefix("candidate:").split(), strict=True)) | changes
    return "candidate:" + " ".join(fields.values())


@pytest.mark.parametrize(
    "text", [HOST, f"a={HOST}", HOST.removeprefix("candidate:"), f"  {HOST}\r\n", HOST + " ufrag x"]
)
def test_every_form_of_a_candidate_is_taken(text: str) -> None:
    admitted = CandidateSieve().admit(text)
    assert admitted is not None
    assert admitted.startswith(HOST)


@pytest.mark.parametrize(
    "text",
    [
        host(address="2001:db8::7"),
        host(transport="UDP"),
        host(type="srflx") + " raddr 0.0.0.0 rport 0 generation 0 network-cost 999",
        host(type="relay") + " raddr 2001:db8::1 rport 9",
        HOST + " generation 0 ufrag abcd network-id 1",
    ],
)
def test_what_can_be_reached_is_taken(text: str) -> None:
    assert CandidateSieve().admit(text, {"abcd"}) is not None


@pytest.mark.parametrize(
    "text",
    [
        host(transport="tcp", port="9") + " tcptype active",
        host(transport="ssltcp"),
        host(component="2"),
        host(port="0"),
        host(address="0f3a8c1e-9d2b-4c0e-8a51-0c35e1a7b6d2.local"),
        host(address="turn.example.org"),
        host(address="fe80::1"),
        host(address="fe80::1%eth0"),
        host(address="2001:db8::1%2"),
        host(address="ff02::1"),
        host(address="239.0.0.1"),
        host(address="0.0.0.0"),
        host(address="::"),
        host(address="192.0.2.300"),
        HOST + " ufrag gone",
    ],
)
def test_what_is_of_no_use_is_skipped_quietly(text: str) -> None:
    assert CandidateSieve().admit(text, {"abcd"}) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "candidate:",
        "nonsense",
        host(port="port"),
        host(port="65536"),
        host(port="-1"),
        host(priority="x"),
        host(priority="0"),
        host(priority=str(1 << 32)),
        host(component="one"),
        host(port="٣"),
        host(typ="kind"),
        HOST.removesuffix(" host"),
        HOST + " generation",
    ],
)
def test_what_is_no_candidate_is_refused(text: str) -> None:
    with pytest.raises(BadDescription, match="malformed"):
        CandidateSieve().admit(text)


def test_each_is_taken_once_and_not_too_many() -> None:
    sieve = CandidateSieve()
    texts = [host(port=str(port)) for port in range(1, 500)]
    taken = [text for text in texts + texts if sieve.admit(text)]
    assert taken == texts[:MAX_CANDIDATES]


@pytest.mark.parametrize(
    "text",
    [None, "", " ", "candidate:", "a=candidate:", "end-of-candidates", "a=end-of-candidates"],
)
def test_the_end_has_many_forms(text: str | None) -> None:
    assert end_of_candidates(text)


def test_a_candidate_is_not_the_end() -> None:
    assert not end_of_candidates(HOST)


@given(st.text(max_size=80) | st.text("0123456789 .:abcdefudptyphost", max_size=80))
def test_any_text_is_taken_skipped_or_refused(text: str) -> None:
    with suppress(BadDescription):
        admitted = CandidateSieve().admit(text)
        assert admitted is None or admitted.startswith("candidate:")

"""What the answers of WHIP endpoints mean to a publisher."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from signaling.links import ice_server_links
from voicepeer.core.whip import (
    MAX_DETAIL_CHARS,
    MAX_ICE_SERVERS,
    MAX_RETRY_AFTER_S,
    LinkedServer,
    WhipFailed,
    check_answer,
    detail_of,
    endpoint,
    linked_servers,
    may_have_token,
    refused,
    resolved,
    retry_after_s,
)

pytestmark = pytest.mark.unit

NOW_S = 1_800_000_000.0  # Fri, 15 Jan 2027 08:00:00 GMT
BASE = "https://media.example/whip/hall?consent=yes"


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("/whip/hall/7", "https://media.example/whip/hall/7"),
        ("hall/7", "https://media.example/whip/hall/7"),
        ("?session=7", "https://media.example/whip/hall?session=7"),
        ("//other.example/7", "https://other.example/7"),
        (" https://other.example:8443/7 ", "https://other.example:8443/7"),
    ],
)
def test_a_location_may_be_relative(location: str, url: str) -> None:
    assert resolved(BASE, location) == url


@pytest.mark.parametrize(
    "location",
    ["ftp://media.example/7", "https://[::1/7", "https://h:99999/", "https://a:b@h/7"],
)
def test_a_location_that_leads_nowhere_is_said_so(location: str) -> None:
    with pytest.raises(WhipFailed, match="Location that is no http URL"):
        resolved(BASE, location)


def test_what_is_encrypted_stays_so() -> None:
    with pytest.raises(WhipFailed, match="from https to http"):
        resolved(BASE, "http://media.example/7")
    assert resolved("http://localhost/w", "https://media.example/7") == "https://media.example/7"


@pytest.mark.parametrize(
    ("url", "part"),
    [
        ("rtmp://media.example/live", "http:// or https:// URL"),
        ("media.example/whip", "http:// or https:// URL"),
        ("https://media.example/a b\n", "http:// or https:// URL"),
        ("https://h/" + "a" * 3_000, "http:// or https:// URL"),
        ("https://ada:secret@media.example/whip", "no name and password"),
    ],
)
def test_what_is_no_endpoint_is_said_before_anything_is_sent(url: str, part: str) -> None:
    with pytest.raises(WhipFailed, match=part) as failed:
        endpoint(url)
    assert "secret" not in str(failed.value)


def test_a_token_goes_where_its_endpoint_leads_but_not_in_the_clear() -> None:
    assert may_have_token("http://localhost:80/a", "http://LOCALHOST/b")
    assert may_have_token("https://media.example/a", "https://edge.example/a")
    assert not may_have_token("http://media.example/a", "http://edge.example/a")
    assert not may_have_token("http://media.example/a", "http://media.example:81/a")
    assert not may_have_token("https://media.example/a", "http://media.example/a")


TEXT = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=20)
HOST = st.from_regex(r"[a-z0-9][a-z0-9.-]{0,20}", fullmatch=True)


@given(st.lists(st.tuples(HOST, TEXT, TEXT), min_size=1, max_size=5), st.booleans())
@example([("h", 'a",;<>\\', '"; rel="ice-server')], True)
def test_servers_that_our_service_names_are_read_back(
    servers: list[tuple[str, str, str]], in_one_line: bool
) -> None:
    links = ice_server_links(
        {"urls": [f"turn:{host}:3478?transport=udp"], "username": user, "credential": secret}
        for host, user, secret in servers
    )
    assert linked_servers([", ".join(links)] if in_one_line else links) == [
        LinkedServer(f"turn:{host}:3478?transport=udp", user, secret)
        for host, user, secret in servers
    ]


def test_only_ice_servers_that_can_be_used_are_taken_from_links() -> None:
    values = [
        '<https://media.example/7/events>; rel="urn:ietf:params:whip:ext:core:server-sent-events"',
        'nonsense, <stun:s.example>;rel=ice-server, <stun:S.example:19302>; rel="other ICE-SERVER"',
        '<turn:t.example>; rel="ice-server"; username="u"; credential="t"; credential-type="oauth"',
        '<turns:t.example:443?transport=tcp>; REL=ice-server; username=u; credential="a,;\\"b"',
        '<http://no.example>; rel="ice-server", <turn:h?transport=tls>; rel="ice-server"',
        '<stun:h:65536>; rel="ice-server", <stun:h:0>; rel="ice-server"',
        '<turn:t.example>; rel="ice-server"; username="without credential"',
        '<stun:unfinished.example>; rel="ice-server',
    ]
    assert linked_servers(values) == [
        LinkedServer("stun:s.example"),
        LinkedServer("stun:S.example:19302"),
        LinkedServer("turns:t.example:443?transport=tcp", "u", 'a,;"b'),
    ]
    assert linked_servers(['<stun:a>; rel="ice-server"'] * 50) == (
        [LinkedServer("stun:a")] * MAX_ICE_SERVERS
    )


def test_a_server_is_handed_on_as_browsers_name_it() -> None:
    assert LinkedServer("stun:a").entry() == {"urls": "stun:a"}
    assert LinkedServer("turn:a", "u", "c").entry() == {
        "urls": "turn:a",
        "username": "u",
        "credential": "c",
    }


@given(st.text(max_size=400))
def test_any_text_may_stand_in_a_link(text: str) -> None:
    for server in linked_servers([text, '<stun:a>; rel="ice-server"']):
        assert server.url.startswith(("stun", "turn"))


@pytest.mark.parametrize(
    ("value", "wait_s"),
    [
        ("7", 7.0),
        (" 0 ", 0.0),
        ("Fri, 15 Jan 2027 08:01:30 GMT", 90.0),
        ("Fri, 15 Jan 2027 07:00:00 GMT", 0.0),
        ("999999999999", MAX_RETRY_AFTER_S),
        (None, None),
        ("", None),
        ("soon", None),
        ("-1", None),
        ("٣", None),
    ],
)
def test_when_to_ask_again(value: str | None, wait_s: float | None) -> None:
    assert retry_after_s(value, NOW_S) == wait_s


@pytest.mark.parametrize(
    ("status", "part", "retryable"),
    [
        (302, "would lose the offer", False),
        (400, "could not read the offer", False),
        (401, "wants a token", False),
        (403, "does not let this token publish", False),
        (404, "no such endpoint", False),
        (406, "does not take what is published", False),
        (409, "somebody publishes there already", True),
        (422, "cannot take it", False),
        (418, "refuses the offer", False),
        (429, "asked too often", True),
        (503, "no room or is not ready", True),
        (502, "has failed", True),
        (501, "has failed", False),
    ],
)
def test_a_refusal_says_whose_fault_it_is(status: int, part: str, retryable: bool) -> None:
    failed = refused(status)
    assert part in str(failed)
    assert f"({status})" in str(failed)
    assert (failed.status, failed.retryable) == (status, retryable)
    assert failed.retry_after_s is None


def test_a_refusal_repeats_what_the_endpoint_says() -> None:
    body = json.dumps({"error": {"message": "the room is full", "code": "room_full"}}).encode()
    failed = refused(503, body, "5", NOW_S)
    assert str(failed) == (
        "the endpoint has no room or is not ready (503: the room is full); "
        "it may be asked again in 5 s"
    )
    assert failed.retry_after_s == 5.0


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b'{"type":"about:blank","title":"Forbidden","detail":"not yours"}', "not yours"),
        (b'{"title":"Forbidden","status":403}', "Forbidden"),
        (b'"no such stream"', "no such stream"),
        (b"no such\r\n stream\x00\x1b[31m", "no such stream [31m"),
        (b"<html><h1>Not found</h1>", ""),
        (b'{"error":7}', ""),
        (b'{"cut', ""),
        (b"[1]", ""),
        (b"", ""),
        (b'{"error":' * 400, ""),
        (b"a" * 9_000, "a" * MAX_DETAIL_CHARS),
    ],
)
def test_what_is_read_of_an_error(body: bytes, detail: str) -> None:
    assert detail_of(body) == detail


@given(st.binary(max_size=300))
def test_an_error_is_one_printable_line(body: bytes) -> None:
    detail = detail_of(body)
    assert detail == "" or detail.isprintable()
    assert len(detail) <= MAX_DETAIL_CHARS


AUDIO = "v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\n"


def test_an_answer_that_receives_is_taken() -> None:
    check_answer(f"{AUDIO}a=recvonly\r\n")
    check_answer(f"{AUDIO}a=sendrecv\r\n")  # of which only one way is used


@pytest.mark.parametrize(
    ("sdp", "part"),
    [
        ("v=0\r\n", "takes no audio"),
        ("v=0\r\nm=audio\r\n", "takes no audio"),
        (AUDIO.replace("audio 9", "audio 0"), "takes no audio"),
        (f"{AUDIO}a=inactive\r\n", "does not want to receive"),
        (f"{AUDIO}a=sendonly\r\n", "does not want to receive"),
    ],
)
def test_an_answer_that_does_not_is_refused(sdp: str, part: str) -> None:
    with pytest.raises(WhipFailed, match=part):
        check_answer(sdp)

"""Keys, origins and the loopback rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.auth import (
    bearer_token,
    host_allowed,
    is_loopback,
    is_origin,
    origin_allowed,
    refuse_bind,
    weak_key,
)

pytestmark = pytest.mark.unit

KEY = "0123456789abcdef"


@pytest.mark.parametrize(
    ("header", "token"),
    [(None, None), ("", None), ("Bearer", None), ("Bearer ", None), ("Basic abc", None),
     ("Bearer abc", "abc"), ("bearer  abc ", "abc")],
)  # fmt: skip
def test_bearer(header: str | None, token: str | None) -> None:
    assert bearer_token(header) == token


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost", "LOCALHOST", "a.localhost",
     "localhost."],
)  # fmt: skip
def test_loopback(host: str) -> None:
    assert is_loopback(host)
    assert refuse_bind(host, is_open=True) is None


@pytest.mark.parametrize(
    "host",
    ["0.0.0.0", "::", "", "192.0.2.1", "example.org", "localhost.example.org", "127.0.0.1.nip.io",
     "1270.0.0.1", "notlocalhost"],
)  # fmt: skip
def test_an_open_service_does_not_leave_loopback(host: str) -> None:
    reason = refuse_bind(host, is_open=True)
    assert reason is not None
    assert "API key" in reason
    assert "127.0.0.1" in reason
    assert refuse_bind(host, is_open=False) is None


def test_a_short_key_is_no_key() -> None:
    assert weak_key((KEY,)) is None
    reason = weak_key((KEY, "hunter2"))
    assert reason is not None
    assert "hunter2" not in reason


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [(None, True), ("https://voice.example", True), ("http://voice.example", True),
     ("https://VOICE.example", True), ("https://app.example", True), ("https://app.example/", True),
     ("https://evil.example", False), ("https://voice.example.evil.example", False),
     ("https://voice.example:8443", False), ("null", False), ("", False), ("file://", False),
     ("chrome-extension://voice.example", False), ("http://[", False),
     ("https://voice.example:443", True), ("http://voice.example:80", True),
     ("https://app.example:443", True), ("http://voice.example:443", False),
     ("https://app.example:80", False), ("https://app.example:", False)],
)  # fmt: skip
def test_origins(origin: str | None, allowed: bool) -> None:
    assert origin_allowed(origin, "voice.example", {"https://app.example"}) is allowed


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("*", True), ("https://app.example", True), ("http://localhost:3000", True),
     ("http://[::1]:3000/", True), ("capacitor://localhost", True), ("app.example", False),
     ("https://", False), ("https://app.example/page", False), ("https://[", False), ("", False),
     ("null", False), ("https://*.example", False), ("https://a b", False)],
)  # fmt: skip
def test_what_is_an_origin(text: str, is_one: bool) -> None:
    assert is_origin(text) is is_one


def test_a_star_allows_any_page() -> None:
    assert origin_allowed("https://evil.example", "voice.example", {"*"})
    assert origin_allowed("null", "voice.example", {"*"})


@pytest.mark.parametrize(
    ("host", "allowed"),
    [("127.0.0.1:8080", True), ("localhost:8080", True), ("localhost", True), ("[::1]:8080", True),
     ("::1", True), ("app.example", True), ("evil.example:8080", False), ("", False),
     ("127.0.0.1.evil.example", False), ("localhost:80:80", False), ("app.example:443", True),
     (None, True)],
)  # fmt: skip
def test_names_of_an_open_service(host: str | None, allowed: bool) -> None:
    assert host_allowed(host, {"https://app.example"}) is allowed


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_header_breaks_the_checks(origin: str, host: str) -> None:
    assert origin_allowed(origin, host, ()) in {True, False}
    assert host_allowed(host, ()) in {True, False}
    assert is_loopback(host) in {True, False}


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("https://app.example:443", "https://app.example"),
     ("https://app.example", "https://APP.example:443"),
     ("http://app.example:80/", "http://app.example"),
     ("https://app.example:8443", "https://app.example:8443")],
)  # fmt: skip
def test_an_origin_is_the_same_with_its_own_port_written_out(ours: str, theirs: str) -> None:
    assert origin_allowed(theirs, "voice.example", {ours})
    assert host_allowed(theirs.partition("://")[2], {ours})

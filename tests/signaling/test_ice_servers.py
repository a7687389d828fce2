"""TURN credentials and ICE server lists."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.ice_servers import (
    MAX_USER_CHARS,
    IceConfig,
    IceConfigInvalid,
    ice_servers,
    loopback_media,
    media_networks,
    turn_credentials,
)

pytestmark = pytest.mark.unit

TURN = "turn:turn.example.org:3478?transport=udp"


def test_credentials_are_what_coturn_computes() -> None:
    # As by: echo -n 1700003600:alice | openssl dgst -sha1 -hmac probe-secret -binary | base64
    made = turn_credentials("probe-secret", "alice", 1_700_000_000.9, 3600)
    assert made.username == "1700003600:alice"
    assert made.credential == "tu/iFgMbP6zhdnjDA0NP/6BXJc4="


def test_credentials_depend_on_everything() -> None:
    base = turn_credentials("s", "alice", 1000, 60)
    others = [
        turn_credentials("t", "alice", 1000, 60),
        turn_credentials("s", "bob", 1000, 60),
        turn_credentials("s", "alice", 1001, 60),
    ]
    assert len({made.credential for made in [base, *others]}) == 4


def test_a_colon_in_the_name_cannot_move_the_expiry() -> None:
    made = turn_credentials("s", "9999999999:mallory", 1000, 60)
    assert made.username == "1060:9999999999_mallory"
    digest = hmac.new(b"s", made.username.encode(), hashlib.sha1).digest()
    assert base64.b64decode(made.credential) == digest


def test_nothing_configured_gives_nothing() -> None:
    assert ice_servers(IceConfig(), turn_credentials("s", "alice", 0, 60)) == []


def test_without_credentials_there_is_no_turn() -> None:
    config = IceConfig(("stun:s.example:3478",), (TURN,), "secret")
    assert ice_servers(config, None) == [{"urls": ["stun:s.example:3478"]}]


def test_stun_and_turn_are_listed_in_rtcconfiguration_form() -> None:
    config = IceConfig(("stun:s.example:3478",), (TURN, "turns:t.example:5349"), "secret", 60)
    stun, turn = ice_servers(config, turn_credentials("secret", "alice", 1000.0, 60))
    assert stun == {"urls": ["stun:s.example:3478"]}
    assert turn["urls"] == [TURN, "turns:t.example:5349"]
    assert turn["username"] == "1060:alice"
    assert set(turn) == {"urls", "username", "credential"}


@pytest.mark.parametrize(
    "url",
    ["stun:a", "stun:a.example", "stuns:a.example:5349", "stun:192.0.2.1:3478",
     "stun:[2001:db8::1]:3478"],
)  # fmt: skip
def test_stun_addresses(url: str) -> None:
    assert IceConfig(stun_urls=(url,)).stun_urls == (url,)


@pytest.mark.parametrize(
    "url",
    ["", "stun", "stun:", "http://a", "stun://a", "stun:a b", "stun:a?transport=udp", TURN,
     "stun:a:123456", "stun:a\n"],
)  # fmt: skip
def test_what_is_no_stun_address_is_refused(url: str) -> None:
    with pytest.raises(IceConfigInvalid, match="STUN"):
        IceConfig(stun_urls=(url,))


def test_what_is_no_turn_address_is_refused() -> None:
    for url in ("stun:a", "turn:a?transport=sctp", "turn:user@a"):
        with pytest.raises(IceConfigInvalid, match="TURN"):
            IceConfig(turn_urls=(url,), turn_secret="s")


def test_turn_needs_a_secret_and_a_lifetime() -> None:
    with pytest.raises(IceConfigInvalid, match="static-auth-secret"):
        IceConfig(turn_urls=(TURN,))
    with pytest.raises(IceConfigInvalid, match="longer"):
        IceConfig(turn_urls=(TURN,), turn_secret="s", turn_ttl_s=0)


def test_a_secret_or_a_database_but_not_both() -> None:
    assert IceConfig(turn_urls=(TURN,), turn_database=Path("/var/turn.sqlite")).turn_secret == ""
    with pytest.raises(IceConfigInvalid, match="not both"):
        IceConfig(turn_urls=(TURN,), turn_secret="s", turn_database=Path("/var/turn.sqlite"))


def test_media_addresses_are_addresses_or_networks() -> None:
    spans = media_networks(("192.0.2.7", "192.0.2.0/28", "2001:db8::1"))
    assert [span.num_addresses for span in spans] == [1, 16, 1]
    for bad in ("", "a.example", "192.0.2.1/24", "192.0.2.7-192.0.2.9", "300.1.1.1"):
        with pytest.raises(IceConfigInvalid, match="192.0.2.0/28"):
            IceConfig(media_addresses=(bad,))


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0", "0.0.0.0/0", "::/0", "::", "0.0.0.0/1", "32.0.0.0/3", "10.0.0.0/7", "2000::/3",
        "2001::/31", "169.254.169.254", "169.254.0.0/16", "169.0.0.0/8", "224.0.0.1", "fe80::1",
        "fe80::1%eth0", "255.255.255.255", "ff02::1", "::ffff:10.0.0.1", "64:ff9b::a00:1",
        "::10.0.0.1", "2002:a00:1::",
    ],
)  # fmt: skip
def test_relays_are_not_opened_to_what_is_no_machine_of_ours(address: str) -> None:
    """coturn lets what is allowed win over all that is denied."""
    with pytest.raises(IceConfigInvalid, match="the media address"):
        IceConfig(media_addresses=("192.0.2.7", address))


def test_media_in_private_networks_and_on_loopback_for_tests() -> None:
    media = ("10.0.0.0/8", "192.168.1.9", "fd00::/32", "127.0.0.1", "127.0.0.0/8", "::1")
    config = IceConfig(media_addresses=media)
    assert loopback_media(config) == ["127.0.0.1/32", "127.0.0.0/8", "::1/128"]
    assert loopback_media(IceConfig(media_addresses=media[:3])) == []


@pytest.mark.parametrize(
    "realm", ["", "a\nno-auth", "a b", "a\r", "a\n", "a'b", "ä", "a#b", "a=b", "a" * 128]
)
def test_a_realm_is_one_word_of_a_line(realm: str) -> None:
    with pytest.raises(IceConfigInvalid, match="no TURN realm"):
        IceConfig(turn_realm=realm)


@pytest.mark.parametrize("path", ["turn.sqlite", "./turn.sqlite", "../var/turn.sqlite", ""])
def test_the_database_is_the_same_wherever_a_process_runs(path: str) -> None:
    with pytest.raises(IceConfigInvalid, match="whole path"):
        IceConfig(turn_database=Path(path))


@pytest.mark.parametrize(
    "path", ["/a b", "/a\nno-auth", "/a\tb", "/a\x00", "/a'b", '/a"', "/a\u2028b"]
)
def test_the_path_of_the_database_is_one_word_of_a_line(path: str) -> None:
    with pytest.raises(IceConfigInvalid, match="no spaces"):
        IceConfig(turn_database=Path(path))


@given(st.text(max_size=300))
def test_no_name_makes_a_server_stumble(user: str) -> None:
    expiry, _, name = turn_credentials("s", user, 1000, 60).username.partition(":")
    assert expiry == "1060"
    assert len(name) <= MAX_USER_CHARS
    assert re.fullmatch(r"[A-Za-z0-9._@/-]*", name)
    assert "select" not in name.lower(), "coturn has its own fear of SQL"


@pytest.mark.parametrize("user", ["union-select", "UNION.SeLeCt", "selselectect"])
def test_words_of_sql_are_no_names(user: str) -> None:
    made = turn_credentials("s", user, 1000, 60).username.lower()
    assert "select" not in made


def test_the_secret_is_not_printed() -> None:
    assert "hush" not in repr(IceConfig(turn_urls=(TURN,), turn_secret="hush"))

"""Where a request comes from: proxies that are trusted, and those who pretend to be one."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.address import UNKNOWN, address_block, client_address, networks

pytestmark = pytest.mark.unit

PROXIES = networks(["10.0.0.0/8", "fd00::/8", "192.0.2.1"])


@pytest.mark.parametrize(
    ("remote", "forwarded", "address"),
    [
        ("203.0.113.9", [], "203.0.113.9"),
        ("203.0.113.9", ["198.51.100.1"], "203.0.113.9"),
        ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["1.2.3.4, 198.51.100.1, 10.0.0.2"], "198.51.100.1"),
        ("10.0.0.1", ["1.2.3.4", "198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        ("10.0.0.1", ["nonsense"], "10.0.0.1"),
        ("10.0.0.1", ["1.2.3.4, unknown"], "10.0.0.1"),
        ("10.0.0.1", [""], "10.0.0.1"),
        ("fd00::1", ["[2001:db8::1]:443"], "2001:db8::1"),
        ("192.0.2.1", ["198.51.100.1:5555"], "198.51.100.1"),
        ("::ffff:10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("fe80::1%eth0", [], "fe80::1"),
        (None, ["198.51.100.1"], UNKNOWN),
        ("not an address", [], UNKNOWN),
    ],
)
def test_addresses(remote: str | None, forwarded: list[str], address: str) -> None:
    assert client_address(remote, forwarded, PROXIES) == address


def test_without_trusted_proxies_nobody_is_believed() -> None:
    assert client_address("127.0.0.1", ["198.51.100.1"], ()) == "127.0.0.1"


def test_a_household_counts_as_one() -> None:
    assert address_block("2001:db8::1") == address_block("2001:db8::ffff:1") == "2001:db8::/64"
    assert address_block("2001:db8:0:1::1") != address_block("2001:db8::1")
    assert address_block("198.51.100.1") == "198.51.100.1"
    assert address_block(UNKNOWN) == UNKNOWN


@given(st.text(max_size=30), st.lists(st.text(max_size=200), max_size=5))
def test_no_header_breaks_it(remote: str, forwarded: list[str]) -> None:
    found = client_address(remote, forwarded, networks(["0.0.0.0/0", "::/0"]))
    assert found == UNKNOWN or str(ipaddress.ip_address(found)) == found
    assert address_block(found)


def test_a_network_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="does not appear"):
        networks(["example.org"])

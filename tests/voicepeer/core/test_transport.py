"""What offers say of their transports: taken as real clients write it, refused with the reason."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.voicepeer import offers
from voicepeer.core.sdp import BadDescription, parse_offer
from voicepeer.core.selection import choose, reduced
from voicepeer.core.transport import (
    DIGEST_BYTES,
    MAX_FINGERPRINTS,
    BadFingerprint,
    BadIce,
    BadSetup,
    check_transport,
    usable_fingerprints,
)

pytestmark = pytest.mark.unit


def digest(hash_name: str, bytes_: int | None = None) -> str:
    """A fingerprint, of the length that its hash function has unless told otherwise."""
    length = DIGEST_BYTES.get(hash_name.lower(), 20) if bytes_ is None else bytes_
    return f"{hash_name} {':'.join(['0A'] * length)}"


GOOD: dict[str, Sequence[str]] = {
    "fingerprint": [digest("sha-256")],
    "ice-ufrag": ["abcd"],
    "ice-pwd": ["p" * 22],
    "setup": ["actpass"],
}


@pytest.mark.parametrize("hash_name", [*DIGEST_BYTES, "SHA-256"])
@pytest.mark.parametrize("setup", ["actpass", "active", "passive"])
def test_what_the_standards_allow_is_taken(hash_name: str, setup: str) -> None:
    check_transport(GOOD | {"fingerprint": [digest(hash_name)], "setup": [setup]})
    check_transport(GOOD | {"ice-ufrag": ["a+/Z" * 64], "ice-pwd": ["a+/Z" * 64]})


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([], "no certificate"),
        ([""], "malformed"),
        (["sha-256"], "malformed"),
        (["sha-256 "], "malformed"),
        ([digest("sha-256").replace(":", "")], "malformed"),
        ([digest("sha-256").replace("0A:0A", "0G:0A", 1)], "malformed"),
        ([digest("sha-256") + ":"], "malformed"),
        ([digest("sha-256") + " AB"], "malformed"),
        ([digest("sha-256", 31)], "32 bytes"),
        ([digest("sha-256", 33)], "32 bytes"),
        ([digest("sha-512", 32)], "64 bytes"),
        ([digest("sha-1")], "hash function"),
        ([digest("md5", 16)], "hash function"),
        ([digest("rot13")], "hash function"),
        ([digest("sha-256"), "sha-256 xy"], "malformed"),
        ([digest("sha-256")] * (MAX_FINGERPRINTS + 1), "at most"),
    ],
)
def test_fingerprints_that_say_nothing_are_refused(values: list[str], says: str) -> None:
    with pytest.raises(BadFingerprint, match=says) as caught:
        check_transport(GOOD | {"fingerprint": values})
    assert caught.value.code == "bad_fingerprint"


def test_hash_functions_that_are_not_known_are_passed_over() -> None:
    both = [digest("sha-1"), f" {digest('sha-384')} ".lstrip()]
    assert usable_fingerprints(both) == [digest("sha-384")]


@pytest.mark.parametrize(
    "change",
    [
        {"ice-ufrag": []},
        {"ice-pwd": []},
        {"ice-ufrag": ["abc"]},
        {"ice-ufrag": ["a" * 257]},
        {"ice-ufrag": ["a:bcd"]},
        {"ice-ufrag": ["äbcd"]},
        {"ice-pwd": ["p" * 21]},
        {"ice-pwd": ["p" * 257]},
        {"ice-pwd": ["p" * 21 + "?"]},
        {"ice-ufrag": [""]},
    ],
)
def test_ice_names_that_could_be_guessed_or_break_the_line_are_refused(
    change: dict[str, Sequence[str]],
) -> None:
    with pytest.raises(BadIce) as caught:
        check_transport(GOOD | change)
    assert caught.value.code == "bad_ice"


@pytest.mark.parametrize("values", [[], ["holdconn"], [""], ["ACTPASS"], ["x", "actpass"]])
def test_somebody_has_to_open_the_connection(values: list[str]) -> None:
    with pytest.raises(BadSetup) as caught:
        check_transport(GOOD | {"setup": values})
    assert caught.value.code == "bad_setup"


@pytest.mark.parametrize("name", offers.ALL)
def test_every_browser_is_understood(name: str) -> None:
    choose(parse_offer(offers.offer_of(name)), "call" if name in offers.CALLS else "listen")


def test_only_what_is_usable_of_a_certificate_reaches_aiortc() -> None:
    offer = offers.offer_of("chromium_call")
    with_old = re.sub(r"(a=fingerprint:)", f"a=fingerprint:{digest('sha-1')}\r\n\\1", offer)
    text = reduced(choose(parse_offer(with_old), "call"), lambda candidate: candidate)
    assert "sha-1 " not in text
    assert "a=fingerprint:sha-256" in text


VALUES = st.lists(st.text(max_size=80) | st.just(digest("sha-256")), max_size=3)


@given(st.dictionaries(st.sampled_from([*GOOD, "ice-options"]), VALUES))
def test_anything_is_taken_or_refused(attributes: dict[str, list[str]]) -> None:
    refused = ""
    try:
        check_transport({**attributes})
    except BadDescription as error:
        refused = error.code
    assert refused in ("", "bad_fingerprint", "bad_ice", "bad_setup")
    assert refused or all(attributes.get(name) for name in GOOD)

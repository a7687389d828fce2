"""Fragments of candidates, as WHIP's clients write them."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.sdpfrag import (
    MAX_CANDIDATES,
    MAX_LINES,
    BadFragment,
    Trickled,
    ice_users,
    parse_fragment,
)

pytestmark = pytest.mark.unit

ONE = "candidate:1387637174 1 udp 2122260223 192.0.2.1 61764 typ host generation 0 ufrag EsAw"
OTHER = "candidate:473322822 1 tcp 1518280447 192.0.2.1 9 typ host tcptype active"

RFC_9725 = f"""\
a=ice-ufrag:EsAw
a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1
m=audio 9 UDP/TLS/RTP/SAVPF 111
a=mid:0
a={ONE}
a={OTHER}
a=end-of-candidates
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_example_of_rfc_9725_is_read(newline: str) -> None:
    fragment = parse_fragment(RFC_9725.replace("\n", newline))
    assert fragment.users == {"EsAw"}
    assert fragment.candidates == (Trickled(ONE, "0", 0), Trickled(OTHER, "0", 0))


def test_candidates_belong_to_the_section_before_them() -> None:
    text = f"a=group:BUNDLE a b\nm=audio 9 X 0\na=mid:a\na={ONE}\nm=video 9 X 0\na={OTHER}\n"
    assert parse_fragment(text).candidates == (Trickled(ONE, "a", 0), Trickled(OTHER, None, 1))


def test_candidates_may_come_without_any_section() -> None:
    assert parse_fragment(f"a={ONE}").candidates == (Trickled(ONE),)


def test_the_end_alone_is_a_fragment() -> None:
    assert parse_fragment("a=end-of-candidates").candidates == ()


def test_of_too_many_candidates_the_first_are_taken() -> None:
    text = "".join(f"a=candidate:{number}\n" for number in range(MAX_CANDIDATES + 50))
    assert len(parse_fragment(text).candidates) == MAX_CANDIDATES


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\r\n\r\n",
        "candidate:1",
        ONE,
        "{}",
        "a=x\nnonsense",
        "a=\x07",
        "a=x\n" * (MAX_LINES + 1),
    ],
)
def test_what_is_no_fragment_is_refused(text: str) -> None:
    with pytest.raises(BadFragment):
        parse_fragment(text)


def test_all_user_names_of_an_offer_are_known() -> None:
    assert ice_users("v=0\r\na=ice-ufrag:a b\r\na=ice-ufrag:one\r\na=ice-ufrag:two\n") == {
        "one",
        "two",
    }


@given(st.text(max_size=200) | st.lists(st.sampled_from(RFC_9725.splitlines())).map("\n".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(BadFragment):
        assert all(one.candidate for one in parse_fragment(text).candidates)

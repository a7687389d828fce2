"""What the transport of Pipecat's clients sends beside RTVI."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.envelope import MAX_MESSAGE_BYTES
from voicepeer.core.errors import PeerSentBadMessage
from voicepeer.core.messages import Speak, encode_client
from voicepeer.core.small_webrtc import PEER_LEFT, KeepAlive, Signalling, read_transport

pytestmark = pytest.mark.unit

TRACK_STATUS = (
    '{"type":"signalling","message":{"type":"trackStatus","receiver_index":0,"enabled":true}}'
)


@pytest.mark.parametrize("data", ["ping: 1700000000000", b"ping: 1", "ping"])
def test_a_bare_ping_keeps_alive(data: str | bytes) -> None:
    assert read_transport(data) == KeepAlive()


def test_signalling_is_told_by_its_kind() -> None:
    assert read_transport(TRACK_STATUS) == Signalling("trackStatus")
    assert read_transport(json.dumps({"message": {"type": "new"}, "type": "signalling"})) == (
        Signalling("new")
    )


def test_what_we_send_is_of_the_same_form() -> None:
    assert read_transport(PEER_LEFT) == Signalling("peerLeft")


@pytest.mark.parametrize(
    "data",
    [encode_client(Speak(utterance_id="u", text='say "signalling"')), "{}", "", "pong",
     '{"type":"signalling"}', '{"type":"signalling","message":7}', '{"type":"signalling",',
     b'"signalling"\xff', '{"type":"signalling","message":' + "[" * 5_000],
)  # fmt: skip
def test_anything_else_is_left_to_others(data: str | bytes) -> None:
    assert read_transport(data) is None


def test_the_bound_holds_here_as_well() -> None:
    with pytest.raises(PeerSentBadMessage):
        read_transport("ping: " + "9" * MAX_MESSAGE_BYTES)


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_nothing_breaks_it(data: str | bytes) -> None:
    assert isinstance(read_transport(data), KeepAlive | Signalling | None)

"""The signaling schema: round trips, exact wire forms, bounds, and no input that breaks it."""

from __future__ import annotations

import json
import typing
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.messages import (
    MAX_CANDIDATE_CHARS,
    MAX_SDP_CHARS,
    MAX_SIGNAL_BYTES,
    Answer,
    BadSignal,
    Bye,
    Candidate,
    ClientSignal,
    Fault,
    Join,
    Joined,
    Leave,
    Offer,
    Ping,
    Pong,
    Redirect,
    ServerSignal,
    decode_client,
    decode_server,
    encode,
)

pytestmark = pytest.mark.unit

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
MAYBE = st.none() | TEXT
SERVER_ENTRY = st.dictionaries(TEXT, TEXT | st.lists(TEXT, max_size=3), max_size=3)

CANDIDATES = st.builds(
    Candidate, candidate=MAYBE, sdp_mid=MAYBE, sdp_mline_index=st.none() | st.integers(0, 99)
)
CLIENT = st.one_of(
    st.builds(
        Join,
        room=TEXT,
        name=TEXT,
        token=MAYBE,
        client_id=MAYBE,
        resume=st.booleans(),
        resume_token=MAYBE,
    ),
    st.builds(Offer, sdp=TEXT),
    CANDIDATES,
    st.builds(Leave),
    st.builds(Ping),
)
SERVER = st.one_of(
    st.builds(
        Joined,
        session_id=TEXT,
        ice_servers=st.lists(SERVER_ENTRY, max_size=3),
        resumed=st.booleans(),
        resume_token=MAYBE,
        restored=st.booleans(),
    ),
    st.builds(Answer, sdp=TEXT),
    CANDIDATES,
    st.builds(Pong),
    st.builds(Bye, reason=TEXT),
    st.builds(Redirect, url=TEXT),
    st.builds(Fault, code=TEXT, message=TEXT, fatal=st.booleans()),
)


@given(CLIENT)
def test_client_signals_survive_the_wire(signal: ClientSignal) -> None:
    assert decode_client(encode(signal)) == signal
    assert decode_client(encode(signal).encode()) == signal


@given(SERVER)
def test_server_signals_survive_the_wire(signal: ServerSignal) -> None:
    assert decode_server(encode(signal)) == signal


def test_every_signal_has_a_strategy_above() -> None:
    built = {Join, Offer, Candidate, Leave, Ping}
    assert set(typing.get_args(ClientSignal)) == built
    made = {Joined, Answer, Candidate, Pong, Bye, Redirect, Fault}
    assert set(typing.get_args(ServerSignal)) == made


def test_candidates_use_the_names_of_rtcicecandidateinit() -> None:
    signal = Candidate(candidate="candidate:1", sdp_mid="0", sdp_mline_index=0)
    assert json.loads(encode(signal)) == {
        "type": "candidate",
        "candidate": "candidate:1",
        "sdpMid": "0",
        "sdpMLineIndex": 0,
        "connection": "call",
    }


def test_a_browser_may_send_its_candidate_and_description_as_they_are() -> None:
    browser = {"type": "candidate", "candidate": "c", "sdpMid": "0", "usernameFragment": "x"}
    assert decode_client(json.dumps(browser)) == Candidate(candidate="c", sdp_mid="0")
    assert decode_client('{"type":"offer","sdp":"v=0"}') == Offer(sdp="v=0")


def test_fields_of_newer_clients_are_ignored() -> None:
    assert decode_client('{"type":"join","room":"a","colour":"red"}') == Join(room="a")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"type":"join","room":7}', "bad_message"),
        ('{"type":"joined","session_id":"x","ice_servers":[]}', "bad_message"),
        ('{"type":"candidate","sdpMLineIndex":1.5}', "bad_message"),
        ('{"room":"a"}', "bad_message"),
        ('{"type":"ping"} {"type":"ping"}', "bad_message"),
        (json.dumps({"type": "offer", "sdp": "x" * (MAX_SDP_CHARS + 1)}), "too_large"),
        (json.dumps({"type": "candidate", "candidate": "x" * (MAX_CANDIDATE_CHARS + 1)}),
         "too_large"),
        ("x" * (MAX_SIGNAL_BYTES + 1), "too_large"),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, code: str) -> None:
    with pytest.raises(BadSignal) as refused:
        decode_client(text)
    assert refused.value.code == code


def test_the_largest_description_passes() -> None:
    offer = Offer(sdp="x" * MAX_SDP_CHARS)
    assert decode_client(encode(offer)) == offer


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)
KINDS = [str(cls.__struct_config__.tag) for cls in typing.get_args(ClientSignal | ServerSignal)]
FIELDS = ["room", "name", "token", "sdp", "candidate", "sdpMid", "sdpMLineIndex", "ice_servers"]
NEARLY = st.fixed_dictionaries({"type": st.sampled_from(KINDS)}).flatmap(
    lambda head: st.dictionaries(st.sampled_from(FIELDS), JSON).map(lambda rest: {**head, **rest})
)


def _code(data: str | bytes, decode: Callable[[str | bytes], msgspec.Struct]) -> str | None:
    try:
        decode(data)
    except BadSignal as refused:
        return refused.code if str(refused) else "silent"
    return None


def _only_bad_signal(data: str | bytes) -> None:
    for decode in (decode_client, decode_server):
        assert _code(data, decode) in {None, "bad_message", "too_large"}


@given(st.binary(max_size=300) | st.text(max_size=300))
def test_no_bytes_and_no_text_break_the_decoder(data: str | bytes) -> None:
    _only_bad_signal(data)


@given(JSON | NEARLY)
def test_no_json_breaks_the_decoder(value: Any) -> None:  # noqa: ANN401 - any JSON
    _only_bad_signal(json.dumps(value))


@pytest.mark.parametrize(
    "data",
    ["[" * 100_000, '{"type":' * 20_000, '{"type":"join","room":"\\ud800"}', "\ud800",
     b'{"type":"join","room":"\xff"}', b"\xef\xbb\xbf{}",
     '{"type":"candidate","sdpMLineIndex":1e99}',
     '{"type":"candidate","sdpMLineIndex":' + "9" * 5000 + "}"],
)  # fmt: skip
def test_known_nasties(data: str | bytes) -> None:
    with pytest.raises(BadSignal):
        decode_client(data)


@pytest.mark.parametrize("half", [r"x\ud83d", r"\ude00", r"\ud83dx\ude00", "\ud83d", "x\ude00"])
@pytest.mark.parametrize("decode", [decode_client, decode_server])
def test_half_a_surrogate_pair_is_called_so(
    half: str, decode: Callable[[str | bytes], msgspec.Struct]
) -> None:
    kind = "join" if decode is decode_client else "bye"
    with pytest.raises(BadSignal, match="half of a surrogate pair") as refused:
        decode(f'{{"type":"{kind}","room":"{half}","reason":"{half}"}}')
    assert refused.value.code == "bad_message"


@pytest.mark.parametrize(
    "data",
    [
        r'{"type":"join","room":"\ud83d\ude00"',
        r'{"type":"join","room":"\\ud83d"',
        '{"type":"join","room":1,"name":"\U0001f600"}',
        b'{"type":"join","room":"\xff"}',
    ],
)
def test_what_is_wrong_beside_whole_pairs_is_told(data: str | bytes) -> None:
    with pytest.raises(BadSignal) as refused:
        decode_client(data)
    assert "surrogate" not in str(refused.value)

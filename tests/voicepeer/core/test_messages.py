"""The data-channel schema: round trips, the RTVI envelope, bounds, and no input that breaks it."""

from __future__ import annotations

import json
import typing
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from voicepeer.core.envelope import MAX_ID_CHARS, MAX_MESSAGE_BYTES, RTVI_LABEL, RTVI_VERSION
from voicepeer.core.errors import PeerSentBadMessage
from voicepeer.core.messages import (
    Append,
    Cancel,
    ClientMessage,
    EnrolStart,
    Ping,
    ServerMessage,
    Speak,
    Word,
    decode_client,
    decode_server,
    encode_client,
    encode_server,
)
from voicepeer.core.rtvi import BotReady, ClientReady, Error, SendText, SendTextOptions

pytestmark = pytest.mark.unit

CLIENT_TYPES = typing.get_args(ClientMessage)
SERVER_TYPES = typing.get_args(ServerMessage)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def _values(kind: Any, name: str) -> st.SearchStrategy[Any]:  # noqa: ANN401 - a type expression
    if name == "utterance_id":
        some = st.text("abc-019_", min_size=1, max_size=MAX_ID_CHARS)
        return st.none() | some if type(None) in typing.get_args(kind) else some
    plain = {str: TEXT, float: FLOATS, int: st.integers(-(2**40), 2**40), bool: st.booleans()}
    if kind in plain:
        return plain[kind]
    if kind == list[str]:
        return st.lists(TEXT, max_size=3)
    if typing.get_origin(kind) is typing.Literal:
        return st.sampled_from(typing.get_args(kind))
    if kind == dict[str, Any]:
        return st.dictionaries(TEXT, TEXT | st.integers(-5, 5) | st.none(), max_size=3)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _builds(kind)
    if typing.get_origin(kind) is list:
        return st.lists(_values(typing.get_args(kind)[0], name), max_size=2)
    if kind == dict[str, str]:
        return st.dictionaries(TEXT, TEXT, max_size=3)
    if kind == dict[str, float]:
        return st.dictionaries(TEXT, FLOATS, max_size=3)
    if kind == dict[str, list[float]]:
        return st.dictionaries(TEXT, st.lists(FLOATS, max_size=2), max_size=3)
    inner = [part for part in typing.get_args(kind) if part is not type(None)]
    assert len(inner) == 1, f"no strategy for {name}: {kind}"
    return st.none() | _values(inner[0], name)


def messages(types: tuple[type[Any], ...]) -> st.SearchStrategy[Any]:
    """Any message of these types with any field values; made from the schema itself."""
    return st.one_of([_builds(cls) for cls in types])


def _builds(cls: type[Any]) -> st.SearchStrategy[Any]:
    hints = typing.get_type_hints(cls)
    return st.builds(cls, **{name: _values(kind, name) for name, kind in hints.items()})


@given(messages(CLIENT_TYPES))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_client_messages_survive_the_wire(message: ClientMessage) -> None:
    assert decode_client(encode_client(message)) == message
    assert decode_client(encode_client(message).encode()) == message


@given(messages(SERVER_TYPES))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_server_messages_survive_the_wire(message: ServerMessage) -> None:
    assert decode_server(encode_server(message)) == message


@pytest.mark.parametrize("cls", CLIENT_TYPES + SERVER_TYPES)
def test_every_message_is_documented_and_frozen(cls: type[Any]) -> None:
    assert cls.__doc__
    assert cls.__struct_config__.frozen


def test_names_on_the_wire_are_unique() -> None:
    for types in (CLIENT_TYPES, SERVER_TYPES):
        tags = [cls.__struct_config__.tag for cls in types]
        assert len(tags) == len(set(tags))


def test_rtvi_messages_keep_their_own_names() -> None:
    assert json.loads(encode_client(ClientReady())) == {
        "label": RTVI_LABEL, "type": "client-ready", "id": "",
        "data": {"version": RTVI_VERSION, "rtvi_events": True},
    }  # fmt: skip
    ready = BotReady(
        session_id="s", engine="e", provider="cpu", precision="int8", languages=["en-us"]
    )
    assert json.loads(encode_server(ready))["type"] == "bot-ready"
    assert json.loads(encode_server(Error(error="e", code="c")))["type"] == "error"


def test_ours_travel_inside_rtvis_own() -> None:
    assert json.loads(encode_client(Cancel(utterance_id="u1"))) == {
        "label": RTVI_LABEL, "type": "client-message", "id": "",
        "data": {"t": "utterance.cancel", "d": {"utterance_id": "u1"}},
    }  # fmt: skip
    word = Word(utterance_id="u", text="hi", start_ms=0, end_ms=9, char_start=0, char_end=2)
    sent = json.loads(encode_server(word))
    assert (sent["type"], sent["data"]["t"]) == ("server-message", "utterance.word")


def test_what_a_pipecat_client_sends() -> None:
    ready = '{"label":"rtvi-ai","type":"client-ready","id":"a1","data":{"version":"1.2.0",' \
            '"about":{"library":"@pipecat-ai/client-js"}}}'  # fmt: skip
    assert decode_client(ready) == ClientReady(
        version="1.2.0", about={"library": "@pipecat-ai/client-js"}
    )
    say = '{"label":"rtvi-ai","type":"send-text","id":1,"data":{"content":"Hi",' \
          '"options":{"run_immediately":true,"audio_response":true}}}'  # fmt: skip
    said = decode_client(say)
    assert said == SendText(content="Hi", options=SendTextOptions())
    for options, interrupts in (("null", True), ("{}", True), ('{"run_immediately":null}', True),
                                ('{"run_immediately":false}', False)):  # fmt: skip
        text = (
            f'{{"label":"rtvi-ai","type":"send-text","data":{{"content":"","options":{options}}}}}'
        )
        read = decode_client(text)
        assert isinstance(read, SendText)
        assert (read.interrupts, read.is_spoken) == (interrupts, True)
    bare = '{"label":"rtvi-ai","type":"client-ready","data":{"version":null,"about":null}}'
    assert decode_client(bare) == ClientReady(version=None)
    bare = '{"label":"rtvi-ai","type":"client-message","id":"a","data":{"t":"ping"}}'
    assert decode_client(bare) == Ping()


def raw(kind: str, data: object, **envelope: object) -> str:
    """An envelope as JSON."""
    return json.dumps({"label": RTVI_LABEL, "type": kind, "id": "", "data": data, **envelope})


def ours(name: str, **fields: object) -> str:
    """One of our messages as JSON."""
    return raw("client-message", {"t": name, "d": fields})


@pytest.mark.parametrize(
    "text",
    ["", "{", "null", "7", "[]", "{}", '{"type":"client-ready"}',
     raw("client-ready", {}, label="other"), raw("nope", {}), raw("client-ready", []),
     raw("client-ready", "x"), raw("client-ready", 7), raw("client-message", {}),
     raw("client-message", {"t": "nope"}), raw("client-message", {"t": 7}),
     raw("client-message", {"t": "client-message", "d": {}}), raw("bot-ready", {}),
     raw("server-message", {"t": "pong", "d": {}}), raw("send-text", {}),
     raw("send-text", {"content": 7}), ours("utterance.speak", text="hi"),
     ours("utterance.speak", utterance_id="", text="hi"),
     ours("utterance.speak", utterance_id="x" * (MAX_ID_CHARS + 1), text="hi"),
     ours("utterance.speak", utterance_id="u", text="hi", speed="fast"),
     ours("utterance.speak", utterance_id="u", text=None), ours("enrol.start", consent=7),
     ours("voice.use"), ours("pong"), ours("utterance.end", utterance_id=5)],
)  # fmt: skip
def test_what_is_refused(text: str) -> None:
    with pytest.raises(PeerSentBadMessage) as refused:
        decode_client(text)
    assert refused.value.code == "bad_message"
    assert len(str(refused.value)) < 400


def test_fields_of_newer_clients_are_ignored() -> None:
    text = ours("utterance.speak", utterance_id="u", text="hi", colour="red")
    assert decode_client(text) == Speak(utterance_id="u", text="hi")
    assert decode_client(ours("enrol.start", consent="yes")) == EnrolStart(consent="yes")


def test_the_bound_counts_bytes_and_says_what_to_do() -> None:
    empty = len(encode_client(Append(utterance_id="u", text="")))
    fits = Append(utterance_id="u", text="x" * (MAX_MESSAGE_BYTES - empty))
    assert decode_client(encode_client(fits)) == fits
    over = Append(utterance_id="u", text="é" * (MAX_MESSAGE_BYTES - empty))
    with pytest.raises(PeerSentBadMessage, match=r"utterance\.append"):
        decode_client(encode_client(over))


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)
TAGS = [str(cls.__struct_config__.tag) for cls in CLIENT_TYPES + SERVER_TYPES]
FIELDS = sorted({name for cls in CLIENT_TYPES + SERVER_TYPES for name in cls.__struct_fields__})
BODIES = st.dictionaries(st.sampled_from([*FIELDS, "options", "t"]), JSON, max_size=6)
NEARLY = st.builds(
    lambda kind, tag, body, wrapped: raw(kind, {"t": tag, "d": body} if wrapped else body),
    st.sampled_from(["client-message", "server-message", *TAGS]),
    st.sampled_from(TAGS),
    BODIES,
    st.booleans(),
)


def _outcome(data: str | bytes, decode: Callable[[str | bytes], msgspec.Struct]) -> str | None:
    try:
        decode(data)
    except PeerSentBadMessage as refused:
        return refused.code if str(refused) else "silent"
    return None


def _only_bad_message(data: str | bytes) -> None:
    for decode in (decode_client, decode_server):
        assert _outcome(data, decode) in {None, "bad_message"}


@given(st.binary(max_size=300) | st.text(max_size=300))
def test_no_bytes_and_no_text_break_the_decoder(data: str | bytes) -> None:
    _only_bad_message(data)


@given(JSON)
def test_no_json_breaks_the_decoder(value: Any) -> None:  # noqa: ANN401 - any JSON
    _only_bad_message(json.dumps(value))


@given(NEARLY)
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
def test_no_nearly_right_message_breaks_the_decoder(text: str) -> None:
    _only_bad_message(text)


@given(messages(CLIENT_TYPES), st.integers(0, 400), st.integers(0, 255))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_no_changed_byte_breaks_the_decoder(
    message: ClientMessage, position: int, byte: int
) -> None:
    data = bytearray(encode_client(message).encode())
    data[position % len(data)] = byte
    _only_bad_message(bytes(data))


@pytest.mark.parametrize(
    "data",
    ["[" * 14_000, '{"label":' * 1_500, raw("client-ready", {"version": "\ud800"}), "\ud800",
     b'{"label":"rtvi-ai","type":"client-ready\xff"}', "\x00", b"\xef\xbb\xbf{}",
     ours("ping", sent_ms=0).replace("0}", "1e999}"), raw("client-ready", {}) * 2,
     raw("client-message", {"t": "ping", "d": {}})[:-1],
     '{"label":"rtvi-ai","type":"client-message","data":{"t":"ping","d":' + "[" * 14_000],
)  # fmt: skip
def test_known_nasties(data: str | bytes) -> None:
    with pytest.raises(PeerSentBadMessage):
        decode_client(data)


@pytest.mark.parametrize("name", ["speed", "pitch_semitones", "energy"])
@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_controls_are_finite_numbers(name: str, value: str) -> None:
    text = ours("utterance.speak", utterance_id="u", text="hi", **{name: 1}).replace(
        f'"{name}": 1', f'"{name}": {value}'
    )
    with pytest.raises(PeerSentBadMessage):
        decode_client(text)

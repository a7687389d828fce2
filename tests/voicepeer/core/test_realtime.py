"""Events of the ``oai-events`` channel against the types of the ``openai`` package itself."""

from __future__ import annotations

import json
import typing
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.realtime import RealtimeClientEvent as OpenAIClientEvent
from openai.types.realtime import RealtimeServerEvent as OpenAIServerEvent
from pydantic import TypeAdapter

from voicepeer.core import realtime as events
from voicepeer.core.envelope import MAX_MESSAGE_BYTES
from voicepeer.core.realtime import BadEvent, encode_client_event, encode_event, read_event
from voicepeer.core.realtime_items import (
    Audio,
    AudioOutput,
    AudioOutputPatch,
    AudioPatch,
    ContentPart,
    Item,
    Response,
    Session,
    SessionPatch,
)

pytestmark = pytest.mark.unit

OPENAI_SERVER: TypeAdapter[Any] = TypeAdapter(OpenAIServerEvent)
OPENAI_CLIENT: TypeAdapter[Any] = TypeAdapter(OpenAIClientEvent)

SERVER_TYPES = typing.get_args(events.RealtimeServerEvent)
CLIENT_TYPES = typing.get_args(events.RealtimeClientEvent)

ITEM = Item(
    id="item_1",
    object="realtime.item",
    role="assistant",
    status="completed",
    content=[ContentPart(type="output_audio", transcript="Hi.")],
)
PLAIN: dict[str, Any] = {
    "event_id": "event_1",
    "response_id": "resp_1",
    "item_id": "item_1",
    "delta": "Hi",
    "transcript": "Hi.",
    "audio_start_ms": 10,
    "audio_end_ms": 20,
    "content_index": 0,
    "item": ITEM,
    "part": ContentPart(type="audio", transcript="Hi."),
    "error": events.ErrorDetails(message="m", type="invalid_request_error", code="c"),
    "session": Session(id="sess_1", audio=Audio(output=AudioOutput(voice="mid", speed=1.2))),
    "response": Response(id="resp_1", status="completed", output=[ITEM], metadata={"k": "v"}),
}


def example(cls: type[Any]) -> Any:  # noqa: ANN401 - one of the schema's types
    """An event with plain values in the fields that have no default."""
    fields = msgspec.structs.fields(cls)
    return cls(**{field.name: PLAIN[field.name] for field in fields if field.required})


@pytest.mark.parametrize("cls", SERVER_TYPES)
def test_openais_own_types_read_every_event_that_we_send(cls: type[Any]) -> None:
    sent = example(cls)
    read = OPENAI_SERVER.validate_json(encode_event(sent), strict=True)
    assert read.type == cls.__struct_config__.tag
    given = json.loads(encode_event(sent))
    # What they understand is what was meant: nothing was dropped as unknown.
    assert json.loads(read.model_dump_json(exclude_none=True)) == given
    known = set(type(read).model_fields)
    assert set(given) <= known


CLIENT_EXAMPLES: list[events.RealtimeClientEvent] = [
    events.SessionUpdate(
        event_id="e1",
        session=SessionPatch(
            audio=AudioPatch(output=AudioOutputPatch(voice="mid", speed=1.2)), instructions="Hi."
        ),
    ),
    events.ItemCreate(item=Item(role="user", content=[ContentPart(type="input_text", text="Hi")])),
    events.ItemRetrieve(item_id="i"),
    events.ItemDelete(item_id="i"),
    events.ItemTruncate(item_id="i", content_index=0, audio_end_ms=900),
    events.ResponseCreate(response=events.ResponseParams(instructions="Say.", metadata={"a": "b"})),
    events.ResponseCreate(),
    events.ResponseCancel(response_id="resp_1"),
    events.OutputAudioBufferClear(event_id="e2"),
]


def test_there_is_an_example_of_every_client_event() -> None:
    assert {type(one) for one in CLIENT_EXAMPLES} == set(CLIENT_TYPES)


@pytest.mark.parametrize("event", CLIENT_EXAMPLES, ids=lambda event: type(event).__name__)
def test_what_openais_types_write_is_read_as_it_was_meant(
    event: events.RealtimeClientEvent,
) -> None:
    theirs = OPENAI_CLIENT.validate_json(encode_client_event(event))
    assert read_event(theirs.model_dump_json(exclude_unset=True)) == event


def test_a_voice_may_be_named_either_way_and_null_is_not_absent() -> None:
    text = (
        '{"type":"session.update","session":{"type":"realtime","audio":'
        '{"input":{"turn_detection":null},"output":{"voice":{"id":"v1"}}}}}'
    )
    update = read_event(text)
    assert isinstance(update, events.SessionUpdate)
    assert update.session.audio.output.voice_id == "v1"
    assert update.session.audio.input.turn_detection is None
    silent = read_event('{"type":"session.update","session":{"type":"realtime"}}')
    assert isinstance(silent, events.SessionUpdate)
    assert silent.session.audio.input.turn_detection is msgspec.UNSET


@pytest.mark.parametrize(
    ("text", "code", "event_id"),
    [
        ("", "invalid_event", None),
        ("[]", "invalid_event", None),
        ('{"event_id":"e"}', "invalid_event", None),
        ('{"type":"no.such","event_id":"e"}', "unknown_event", "e"),
        ('{"type":"session.created","event_id":"e"}', "unknown_event", "e"),
        ('{"type":"input_audio_buffer.append","audio":"x"}', "unknown_event", None),
        ('{"type":"response.cancel","event_id":"e","response_id":7}', "invalid_event", "e"),
        ('{"type":"conversation.item.create","event_id":"e"}', "invalid_event", "e"),
        ('{"type":"response.cancel","event_id":"' + "e" * 513 + '"}', "invalid_event", None),
        ('{"type":"' + "x" * 14_000 + '"}', "unknown_event", None),
        ('{"type":' + "[" * 14_000, "invalid_event", None),
        ("x" * (MAX_MESSAGE_BYTES + 1), "event_too_large", None),
        ("\ud800", "invalid_event", None),
    ],
)
def test_what_is_refused_and_how(text: str, code: str, event_id: str | None) -> None:
    with pytest.raises(BadEvent) as refused:
        read_event(text)
    assert (refused.value.code, refused.value.event_id) == (code, event_id)
    assert 0 < len(str(refused.value)) < 400


def test_audio_over_this_channel_is_sent_elsewhere() -> None:
    with pytest.raises(BadEvent, match="audio track"):
        read_event('{"type":"input_audio_buffer.commit"}')


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)
NAMES = ["event_id", "session", "item", "response", "item_id", "content_index", "audio_end_ms"]


def _only_bad_event(data: str | bytes) -> None:
    assert 0 < len(_outcome(data)) < 400


def _outcome(data: str | bytes) -> str:
    try:
        return type(read_event(data)).__name__
    except BadEvent as refused:
        return str(refused)


@given(st.binary(max_size=300) | st.text(max_size=300) | JSON.map(json.dumps))
def test_nothing_breaks_the_reader(data: str | bytes) -> None:
    _only_bad_event(data)


@given(
    st.sampled_from([str(cls.__struct_config__.tag) for cls in CLIENT_TYPES]),
    st.dictionaries(st.sampled_from(NAMES), JSON, max_size=4),
)
def test_no_nearly_right_event_breaks_the_reader(kind: str, fields: dict[str, Any]) -> None:
    _only_bad_event(json.dumps({**fields, "type": kind}))


@pytest.mark.parametrize("cls", CLIENT_TYPES + SERVER_TYPES)
def test_every_event_is_documented_and_frozen(cls: type[Any]) -> None:
    assert cls.__doc__
    assert cls.__struct_config__.frozen

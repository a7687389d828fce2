"""What a Janus sends, read with its own words, and requests to it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.janus.messages import (
    MAX_MESSAGE_BYTES,
    MAX_REASON_CHARS,
    BadJanusMessage,
    Description,
    read,
    words_of,
    write,
)

pytestmark = pytest.mark.unit

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
KNOWN = st.sampled_from(
    ["janus", "transaction", "sender", "data", "plugindata", "jsep", "error", "reason"]
)


def test_an_event_with_an_answer_is_read() -> None:
    message = read(
        '{"janus":"event","session_id":84930829,"transaction":"19","sender":75236183,'
        '"plugindata":{"plugin":"janus.plugin.audiobridge","data":{"audiobridge":"event",'
        '"result":"ok"}},"jsep":{"type":"answer","sdp":"v=0\\r\\n"}}'
    )
    assert (message.janus, message.transaction, message.sender) == ("event", "19", 75236183)
    assert message.plugindata.data == {"audiobridge": "event", "result": "ok"}
    assert message.jsep == Description("answer", "v=0\r\n")


def test_a_refusal_is_read_with_its_number() -> None:
    message = read(b'{"janus":"error","transaction":"1","error":{"code":403,"reason":"No."}}')
    assert (message.error.code, message.error.reason) == (403, "No.")


@pytest.mark.parametrize(
    "data",
    [
        "",
        "janus",
        "[]",
        "{}",
        '{"janus":1}',
        '{"janus":"ack","sender":"me"}',
        '{"janus":"success","data":{"id":1e400}}',
        b'{"janus":"\xff"}',
        '{"janus":"event","plugindata":{"data":' + '{"a":' * 5_000 + "1" + "}" * 5_002,
        '{"janus":"' + "a" * MAX_MESSAGE_BYTES + '"}',
    ],
    ids=range(10),
)
def test_what_is_no_message_is_refused_in_few_words(data: str | bytes) -> None:
    with pytest.raises(BadJanusMessage) as raised:
        read(data)
    assert 0 < len(str(raised.value)) < 2 * MAX_REASON_CHARS


@given(st.dictionaries(KNOWN | st.text(), JSON))
def test_any_object_is_read_or_refused(fields: dict[str, object]) -> None:
    try:
        message = read(json.dumps(fields))
    except BadJanusMessage:
        return
    assert message.janus == fields["janus"]


@given(st.text(), st.text(), st.none() | st.text())
def test_a_request_has_what_it_was_given_and_nothing_that_is_none(
    kind: str, pin: str, token: str | None
) -> None:
    asked = json.loads(write(kind, "7", body={"pin": pin}, token=token, session_id=None))
    wanted = {"janus": kind, "transaction": "7", "body": {"pin": pin}}
    assert asked == (wanted if token is None else wanted | {"token": token})


@given(st.text())
def test_words_of_a_server_are_one_short_line_that_can_be_printed(text: str) -> None:
    words = words_of(text)
    assert words.isprintable()
    assert len(words) <= MAX_REASON_CHARS
    assert words_of("two\n\x1b[31mlines") == "two [31mlines"

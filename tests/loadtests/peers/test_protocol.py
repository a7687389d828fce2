from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadtests.peers.protocol import (
    Audio,
    BadLine,
    Cancel,
    Command,
    Event,
    Failed,
    Ready,
    Say,
    Spoken,
    as_command,
    decode_command,
    decode_event,
    encode,
)

pytestmark = pytest.mark.unit

_TIMES = st.floats(min_value=0, max_value=1e6)
_COMMANDS = st.one_of(st.builds(Say, st.text()), st.builds(Cancel))
_EVENTS = st.one_of(
    st.builds(Ready, st.none() | st.text(), st.dictionaries(st.text(), st.text())),
    st.builds(Audio.of, _TIMES, st.integers(8_000, 48_000), st.binary()),
    st.builds(Spoken, _TIMES, _TIMES),
    st.builds(Failed, st.text()),
)


@given(_COMMANDS)
def test_commands_come_through_as_one_line(command: Command) -> None:
    line = encode(command)
    assert "\n" not in line
    assert decode_command(line) == command
    assert as_command(json.loads(line)) == command


@given(_EVENTS)
def test_events_come_through_as_one_line(event: Event) -> None:
    line = encode(event)
    assert "\n" not in line
    assert decode_event(line.encode()) == event


@given(st.binary())
def test_samples_come_through(pcm16: bytes) -> None:
    assert Audio.of(1.0, 24_000, pcm16).samples() == pcm16


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(max_examples=60)
@given(st.text() | st.binary() | _JSON.map(json.dumps))
def test_anything_else_is_a_bad_line(line: str | bytes) -> None:
    for decode in (decode_command, decode_event):
        with pytest.raises(BadLine):
            decode(line)


@pytest.mark.parametrize(
    "message",
    [
        {"type": "say"},
        {"type": "say", "text": "a", "more": 1},
        {"type": "spoken", "synthesis_s": 1, "audio_s": 1},
        {"type": ["say"]},
        ["say"],
        None,
    ],
)
def test_a_command_has_all_its_fields_and_no_others(message: object) -> None:
    with pytest.raises(BadLine):
        as_command(message)

"""What the two plugins are asked, and what their answers mean; the answers are a real Janus's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.errors import RoomError
from voicepeer.core.janus.messages import JanusFault
from voicepeer.core.janus.plugins import (
    PLUGINS,
    Entered,
    Entry,
    Plugin,
    PutOut,
    WrongKind,
    of_api,
    room_ids,
)

pytestmark = pytest.mark.unit

BRIDGE, VIDEO = PLUGINS["audiobridge"], PLUGINS["videoroom"]


def test_who_joins_shows_what_they_have_and_nothing_else() -> None:
    bare = Entry("audiobridge", "1234", "Bob")
    assert BRIDGE.join(bare, 1234) == {"request": "join", "room": 1234, "display": "Bob"}
    guarded = Entry("videoroom", "hall", "Bob", pin="p", token="t", api_secret="a")
    assert VIDEO.join(guarded, "hall") == {
        **{"request": "join", "room": "hall", "display": "Bob"},
        **{"ptype": "publisher", "pin": "p", "token": "t"},
    }


@pytest.mark.parametrize(
    ("plugin", "data", "participant"),
    [
        (BRIDGE, {"audiobridge": "joined", "room": 1, "id": 14317, "participants": []}, "14317"),
        (VIDEO, {"videoroom": "joined", "room": 1, "id": "uuid", "publishers": []}, "uuid"),
    ],
)
def test_who_has_entered_has_an_id(
    plugin: Plugin,
    data: dict[str, object],
    participant: str,
) -> None:
    assert plugin.read(data) == Entered(participant)


@pytest.mark.parametrize(
    ("plugin", "data", "code"),
    [
        (BRIDGE, {"audiobridge": "destroyed", "room": 1}, "room_ended"),
        (VIDEO, {"videoroom": "destroyed", "room": 1}, "room_ended"),
        (BRIDGE, {"audiobridge": "event", "room": 1, "kicked": 14317}, "kicked"),
        (
            VIDEO,
            {"videoroom": "event", "room": 1, "leaving": "ok", "reason": "kicked"},
            "kicked",
        ),
    ],
)
def test_who_is_put_out_is_told_so(
    plugin: Plugin,
    data: dict[str, object],
    code: str,
) -> None:
    told = plugin.read(data)
    assert isinstance(told, PutOut)
    assert (told.error.code, told.error.retryable) == (code, False)


@pytest.mark.parametrize(
    ("plugin", "data"),
    [
        (VIDEO, {"videoroom": "event", "room": 1, "kicked": 16822}),
        (VIDEO, {"videoroom": "event", "room": 1, "leaving": 16822}),
        (VIDEO, {"videoroom": "event", "room": 1, "leaving": "ok"}),
        (VIDEO, {"videoroom": "event", "room": 1, "publishers": [{"id": 16822}]}),
        (VIDEO, {"videoroom": "event", "room": 1, "configured": "ok"}),
        (BRIDGE, {"audiobridge": "joined", "room": 1, "participants": [{"id": 5}]}),
        (BRIDGE, {"audiobridge": "event", "room": 1, "leaving": 14317}),
        (BRIDGE, {"audiobridge": "left", "room": 1, "id": 14317}),
        (BRIDGE, {"audiobridge": "event", "result": "ok"}),
        (BRIDGE, {}),
    ],
)
def test_what_is_about_others_says_nothing_of_us(
    plugin: Plugin,
    data: dict[str, object],
) -> None:
    assert plugin.read(data) is None


@pytest.mark.parametrize(
    ("plugin", "number", "text", "code", "retryable"),
    [
        (BRIDGE, 485, "No such room (1)", "no_such_room", True),
        (VIDEO, 426, "No such room (1)", "no_such_room", True),
        (BRIDGE, 483, "Missing mandatory element (pin)", "wrong_pin", False),
        (VIDEO, 429, "Missing mandatory element (pin)", "wrong_pin", False),
        (BRIDGE, 489, "Unauthorized (wrong pin)", "wrong_pin", False),
        (VIDEO, 433, "Unauthorized (wrong pin)", "wrong_pin", False),
        (BRIDGE, 489, "Unauthorized (not in the allowed list)", "not_allowed", False),
        (VIDEO, 432, "Maximum number of publishers (6) already reached", "room_full", True),
        (VIDEO, 499, "An unknown error occurred\n", "room_refused", True),
        (BRIDGE, 432, "not this plugin's", "room_refused", True),
        (BRIDGE, 484, "Invalid element type (display should be a string)", "room_refused", True),
    ],
)
def test_refusals_are_told_by_whose_fault_they_are(
    plugin: Plugin,
    number: int,
    text: str,
    code: str,
    retryable: bool,
) -> None:
    told = plugin.read({plugin.name: "event", "error_code": number, "error": text})
    assert isinstance(told, RoomError)
    assert (told.code, told.retryable) == (code, retryable)
    assert str(told).isprintable()


def test_an_id_of_the_other_kind_is_told_apart() -> None:
    for plugin, number in ((BRIDGE, 484), (VIDEO, 430)):
        text = "Invalid element type (room should be a positive integer)"
        assert plugin.read({"error_code": number, "error": text}) == WrongKind()
    assert room_ids("1234") == (1234, "1234")
    assert room_ids("hall") == ("hall",)
    assert room_ids("९") == ("९",)
    assert room_ids("9" * 20) == ("9" * 20,)


def test_a_refusal_without_words_has_its_number() -> None:
    told = BRIDGE.read({"error_code": 499})
    assert isinstance(told, RoomError)
    assert "499" in str(told)


@pytest.mark.parametrize(
    ("number", "code", "retryable"),
    [
        (403, "unauthorized", False),
        (405, "unauthorized", False),
        (460, "plugin_missing", False),
        (458, "janus_refused", True),
        (0, "janus_refused", True),
    ],
)
def test_refusals_of_the_server_itself(number: int, code: str, retryable: bool) -> None:
    told = of_api(JanusFault(number, "its words"))
    assert (told.code, told.retryable) == (code, retryable)


@given(
    st.sampled_from(list(PLUGINS.values())),
    st.dictionaries(
        st.sampled_from(
            ["audiobridge", "videoroom", "error_code", "error", "id", "kicked", "leaving", "reason"]
        ),
        st.none() | st.integers() | st.text() | st.lists(st.text()),
    ),
)
def test_no_answer_is_too_odd_to_be_read(plugin: Plugin, data: dict[str, object]) -> None:
    told = plugin.read(data)
    if "error_code" in data and isinstance(data["error_code"], int):
        assert isinstance(told, RoomError | WrongKind)

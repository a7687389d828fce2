"""A stay at a Janus, step by step: a scripted server that answers as a real one did."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from voicepeer.core.errors import RoomError
from voicepeer.core.janus.dialogue import (
    ANSWER_S,
    GOODBYE_S,
    KEEPALIVE_S,
    Accepted,
    Connected,
    Dialogue,
    Ended,
    Send,
    Stage,
    Step,
)
from voicepeer.core.janus.plugins import Entry, PluginName

pytestmark = pytest.mark.unit

OFFER, ANSWER = "v=0 offer", "v=0 answer"
ENTRY = Entry("videoroom", "5678", "Bob", pin="sesame", token="t", api_secret="s")


@dataclass
class Server:
    """Answers one dialogue, which is at ``now``."""

    entry: Entry = ENTRY
    now: float = 100.0
    asked: list[dict[str, Any]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.dialogue = Dialogue(self.entry, OFFER)
        self.note(self.dialogue.start(self.now))

    def note(self, steps: list[Step]) -> None:
        """Keep what came, and what it asks the server."""
        self.steps += steps
        self.asked += [json.loads(step.text) for step in steps if isinstance(step, Send)]

    def tell(self, kind: str, **fields: object) -> None:
        """Send something unasked."""
        self.note(self.dialogue.take(json.dumps({"janus": kind, **fields}), self.now))

    def answer(self, kind: str, **fields: object) -> None:
        """Answer what was asked last."""
        self.tell(kind, transaction=self.asked[-1]["transaction"], session_id=11, **fields)

    def plugin(self, jsep: Any = None, **data: object) -> None:  # noqa: ANN401 - or none
        """Answer by an event of the plugin."""
        described = {} if jsep is None else {"jsep": jsep}
        plugindata = {"plugin": "janus.plugin.x", "data": data}
        self.answer("ack")
        self.answer("event", sender=22, plugindata=plugindata, **described)

    def unasked(self, **data: object) -> None:
        """An event of the plugin about somebody."""
        self.tell("event", sender=22, plugindata={"plugin": "janus.plugin.x", "data": data})

    def until(self, stage: Stage) -> None:
        """Answer as a server does that minds nothing, until it has come so far."""
        name = self.entry.plugin
        while self.dialogue.stage is not stage:
            match self.dialogue.stage:
                case Stage.CREATING:
                    self.answer("success", data={"id": 11})
                case Stage.ATTACHING:
                    self.answer("success", data={"id": 22})
                case Stage.JOINING:
                    self.plugin(**{name: "joined", "room": 1, "id": 33})
                case Stage.PUBLISHING:
                    self.plugin({"type": "answer", "sdp": ANSWER}, **{name: "event"})
                case Stage.LEAVING:
                    self.plugin(**{name: "left"})
                case Stage.CLOSING:
                    self.answer("success")
                case _:
                    raise AssertionError(f"{self.dialogue.stage} leads nowhere by itself")

    @property
    def end(self) -> RoomError | None:
        """Why it has ended, which it has."""
        (ended,) = [step for step in self.steps if isinstance(step, Ended)]
        assert self.steps[-1] is ended, "nothing comes after the end"
        assert self.dialogue.stage is Stage.OVER
        assert self.dialogue.next_deadline() is None
        return ended.error


@pytest.mark.parametrize("plugin", ["audiobridge", "videoroom"])
def test_a_stay_from_the_first_request_to_the_last(plugin: PluginName) -> None:
    server = Server(Entry(plugin, "5678", "Bob", pin="sesame"))
    server.until(Stage.STAYING)
    assert server.steps == [*server.steps[:-1], Accepted("33", ANSWER)]
    server.tell("webrtcup", sender=22)
    assert isinstance(server.steps[-1], Connected)
    server.note(server.dialogue.leave(server.now))
    server.until(Stage.OVER)
    assert server.end is None
    assert [(one["janus"], one.get("body", {}).get("request")) for one in server.asked] == [
        *(("create", None), ("attach", None), ("message", "join")),
        ("message", "configure" if plugin == "audiobridge" else "publish"),
        *(("message", "leave"), ("destroy", None)),
    ]
    assert server.asked[3]["jsep"] == {"type": "offer", "sdp": OFFER, "trickle": False}
    assert [one.get("session_id") for one in server.asked] == [None, 11, 11, 11, 11, 11]
    assert [one.get("handle_id") for one in server.asked] == [None, None, 22, 22, 22, None]
    assert len({one["transaction"] for one in server.asked}) == len(server.asked)


def test_every_request_shows_the_token_and_the_secret() -> None:
    server = Server()
    server.until(Stage.STAYING)
    server.note(server.dialogue.leave(server.now))
    server.until(Stage.OVER)
    assert {(one["token"], one["apisecret"]) for one in server.asked} == {("t", "s")}


def test_a_server_whose_rooms_have_text_for_ids_is_asked_again() -> None:
    server = Server()
    server.until(Stage.JOINING)
    wrong = "Invalid element type (room should be a string)"
    server.plugin(videoroom="event", error_code=430, error=wrong)
    assert [one["body"]["room"] for one in server.asked[-2:]] == [5678, "5678"]
    server.until(Stage.STAYING)
    other = Server()
    other.until(Stage.JOINING)
    for _ in range(2):
        other.plugin(videoroom="event", error_code=430, error=wrong)
    assert other.end is not None
    assert other.end.code == "no_such_room"


@pytest.mark.parametrize(
    "stage", [Stage.CREATING, Stage.ATTACHING, Stage.JOINING, Stage.PUBLISHING]
)
def test_a_refusal_at_any_step_ends_it(stage: Stage) -> None:
    server = Server()
    server.until(stage)
    server.answer("error", error={"code": 403, "reason": "No."})
    assert server.end is not None
    assert (server.end.code, server.end.retryable) == ("unauthorized", False)


def test_a_room_that_is_full_says_so_at_the_offer() -> None:
    server = Server()
    server.until(Stage.PUBLISHING)
    server.plugin(videoroom="event", error_code=432, error="Maximum number of publishers")
    assert server.end is not None
    assert server.end.code == "room_full"


def test_a_room_that_does_not_answer_the_offer_is_refused() -> None:
    for jsep in (None, {"type": "offer", "sdp": ANSWER}):
        server = Server()
        server.until(Stage.PUBLISHING)
        server.plugin(jsep, videoroom="event")
        assert server.end is not None
        assert server.end.code == "janus_refused"


@pytest.mark.parametrize(
    "stage",
    [
        Stage.CREATING,
        Stage.ATTACHING,
        Stage.JOINING,
        Stage.PUBLISHING,
        Stage.LEAVING,
        Stage.CLOSING,
    ],
)
def test_a_server_that_does_not_answer_is_not_waited_for(stage: Stage) -> None:
    leaving = stage in (Stage.LEAVING, Stage.CLOSING)
    server = Server()
    server.until(Stage.STAYING if leaving else stage)
    if leaving:
        server.note(server.dialogue.leave(server.now))
        server.until(stage)
    due = server.dialogue.next_deadline()
    assert due == server.now + (GOODBYE_S if leaving else ANSWER_S)
    server.note(server.dialogue.tick(due - 0.001))
    assert server.dialogue.stage is stage
    server.note(server.dialogue.tick(due))
    if leaving:
        assert server.end is None
    else:
        assert server.end is not None
        assert (server.end.code, server.end.retryable) == ("timeout", True)
        assert str(server.end) == stage.value


def test_signs_of_life_go_on_as_long_as_they_are_answered() -> None:
    server = Server()
    server.until(Stage.STAYING)
    for _ in range(3):
        due = server.dialogue.next_deadline()
        assert due == server.now + KEEPALIVE_S
        server.now = due
        server.note(server.dialogue.tick(due))
        assert server.asked[-1]["janus"] == "keepalive"
        assert server.dialogue.next_deadline() == due + ANSWER_S
        server.now += 1.0
        server.answer("ack")
    server.note(server.dialogue.tick(server.now + KEEPALIVE_S))
    server.note(server.dialogue.tick(server.now + KEEPALIVE_S + ANSWER_S))
    assert server.end is not None
    assert (server.end.code, server.end.retryable) == ("timeout", True)


def test_a_session_that_the_server_has_forgotten_is_lost() -> None:
    server = Server()
    server.until(Stage.STAYING)
    server.note(server.dialogue.tick(server.now + KEEPALIVE_S))
    server.answer("error", error={"code": 458, "reason": "No such session 11"})
    assert server.end is not None
    assert server.end.retryable


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("hangup", {"sender": 22, "reason": "ICE failed"}),
        ("detached", {"sender": 22}),
        ("timeout", {"session_id": 11}),
    ],
)
def test_what_ends_a_stay_without_fault_may_be_tried_again(
    kind: str, fields: dict[str, object]
) -> None:
    server = Server()
    server.until(Stage.STAYING)
    server.tell(kind, **fields)
    assert server.end is not None
    assert (server.end.code, server.end.retryable) == ("lost", True)
    leaving = Server()
    leaving.until(Stage.STAYING)
    leaving.note(leaving.dialogue.leave(leaving.now))
    leaving.tell(kind, **fields)
    leaving.until(Stage.OVER)
    assert leaving.end is None


def test_who_is_put_out_is_not_lost_as_well() -> None:
    server = Server()
    server.until(Stage.STAYING)
    server.unasked(videoroom="event", room=5678, leaving="ok", reason="kicked")
    server.tell("hangup", sender=22, reason="Close PC")
    assert server.end is not None
    assert (server.end.code, server.end.retryable) == ("kicked", False)


def test_who_is_put_out_while_entering_is_told_so() -> None:
    for stage in (Stage.JOINING, Stage.PUBLISHING):
        server = Server()
        server.until(stage)
        server.plugin(videoroom="destroyed", room=5678)
        assert server.end is not None
        assert server.end.code == "room_ended"


def test_what_is_about_others_changes_nothing() -> None:
    server = Server()
    server.until(Stage.STAYING)
    before = list(server.steps)
    server.unasked(videoroom="event", room=5678, publishers=[{"id": 44}])
    server.tell("hangup", sender=99, reason="another handle's")
    server.tell("media", sender=22, receiving=True)
    server.tell("ack", transaction="of nobody")
    server.tell("slowlink", sender=22)
    assert server.steps == before
    assert server.dialogue.stage is Stage.STAYING


def test_a_closed_connection_is_a_loss_unless_one_is_leaving() -> None:
    server = Server()
    server.until(Stage.STAYING)
    server.note(server.dialogue.closed())
    assert server.end is not None
    assert (server.end.code, server.end.retryable) == ("lost", True)
    assert server.dialogue.closed() == []
    leaving = Server()
    leaving.until(Stage.STAYING)
    leaving.note(leaving.dialogue.leave(leaving.now))
    leaving.note(leaving.dialogue.closed())
    assert leaving.end is None


def test_leaving_early_asks_only_for_what_there_is() -> None:
    server = Server()
    server.note(server.dialogue.leave(server.now))
    assert server.end is None
    attaching = Server()
    attaching.until(Stage.ATTACHING)
    attaching.note(attaching.dialogue.leave(attaching.now))
    assert [one["janus"] for one in attaching.asked] == ["create", "attach", "destroy"]
    attaching.until(Stage.OVER)
    assert attaching.end is None
    assert attaching.dialogue.leave(attaching.now) == []


def test_what_cannot_be_read_ends_it() -> None:
    server = Server()
    server.note(server.dialogue.take("<html>", server.now))
    assert server.end is not None
    assert (server.end.code, server.end.retryable) == ("not_janus", False)
    assert server.dialogue.take('{"janus":"ack"}', server.now) == []


KINDS = ["ack", "success", "error", "event", "hangup", "timeout", "detached", "webrtcup", "odd"]
DATA = st.fixed_dictionaries(
    {},
    optional={
        "videoroom": st.sampled_from(["joined", "event", "destroyed", "left"]),
        "id": st.integers(0, 50) | st.text(max_size=3),
        "error_code": st.sampled_from([430, 426, 433, 432, 1]),
        "error": st.sampled_from(["(room should be a string)", "wrong pin", ""]),
        "leaving": st.just("ok"),
        "reason": st.just("kicked"),
    },
)


class AnyServer(RuleBasedStateMachine):
    """A server that says anything at any time."""

    def __init__(self) -> None:
        super().__init__()
        self.server = Server()

    @rule(
        kind=st.sampled_from(KINDS),
        answers=st.booleans(),
        number=st.integers(0, 30),
        data=DATA,
        sdp=st.none() | st.just(ANSWER),
    )
    def tell(
        self, kind: str, answers: bool, number: int, data: dict[str, object], sdp: str | None
    ) -> None:
        fields: dict[str, object] = {"sender": number, "data": {"id": number}}
        fields |= {"plugindata": {"data": data}, "error": {"code": number, "reason": "x"}}
        if sdp is not None:
            fields["jsep"] = {"type": "answer", "sdp": sdp}
        if answers:
            self.server.answer(kind, **fields)
        else:
            self.server.tell(kind, **fields)

    @rule(data=st.text(max_size=20) | st.binary(max_size=20))
    def nonsense(self, data: str | bytes) -> None:
        self.server.note(self.server.dialogue.take(data, self.server.now))

    @rule(passed_s=st.floats(0.0, 30.0))
    def wait(self, passed_s: float) -> None:
        self.server.now += passed_s
        self.server.note(self.server.dialogue.tick(self.server.now))

    @rule()
    def leave(self) -> None:
        self.server.note(self.server.dialogue.leave(self.server.now))

    @rule()
    def close(self) -> None:
        self.server.note(self.server.dialogue.closed())

    @invariant()
    def it_ends_once_and_is_always_waiting_for_something_before(self) -> None:
        dialogue = self.server.dialogue
        ends = [step for step in self.server.steps if isinstance(step, Ended)]
        assert len(ends) == (dialogue.stage is Stage.OVER)
        if ends:
            assert self.server.steps[-1] is ends[0]
        assert (dialogue.next_deadline() is None) == (dialogue.stage is Stage.OVER)

    @invariant()
    def it_is_accepted_once(self) -> None:
        assert sum(isinstance(step, Accepted) for step in self.server.steps) <= 1


TestAnyServer = AnyServer.TestCase


@given(st.lists(st.floats(0.0, 5.0), min_size=1, max_size=30))
def test_time_alone_brings_it_to_an_end(waits: list[float]) -> None:
    server = Server()
    for wait_s in waits:
        server.now += wait_s
        server.note(server.dialogue.tick(server.now))
    assert (server.dialogue.stage is Stage.OVER) == (server.now >= 100.0 + ANSWER_S)

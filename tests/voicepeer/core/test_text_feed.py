"""What one who gives a bot text may ask, and what they are told."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.envelope import MAX_ID_CHARS, MAX_MESSAGE_BYTES
from voicepeer.core.errors import PeerSentBadMessage
from voicepeer.core.messages import (
    Accepted,
    Append,
    Cancel,
    Cancelled,
    ClientMessage,
    Done,
    End,
    Failed,
    Flush,
    ServerMessage,
    Speak,
    Started,
    StatsGet,
    Word,
    decode_client,
    encode_client,
)
from voicepeer.core.rtvi import Error
from voicepeer.core.text_feed import MAX_OPEN, Refusal, TextFeed, decode, encode

pytestmark = pytest.mark.unit


def feed() -> TextFeed:
    """One whose ids for the service are s1, s2, …"""
    numbers = itertools.count(1)
    return TextFeed(lambda: f"s{next(numbers)}")


def message(t: str, **fields: Any) -> str:  # noqa: ANN401 - JSON
    return json.dumps({"t": f"utterance.{t}"} | fields)


def done(ours: str) -> Done:
    return Done(utterance_id=ours, audio_ms=10.0, first_audible_ms=None, rtf=None, underruns=0)


def refusal(answer: object) -> Refusal:
    assert isinstance(answer, Refusal)
    return answer


def test_plain_text_is_said_as_it_is_and_numbered() -> None:
    one = feed()
    assert one.read("Hello.\n") == [Speak(utterance_id="s1", text="Hello.\n")]
    assert one.read("[pause] x") == [Speak(utterance_id="s2", text="[pause] x")]
    assert one.read(" \n") == []
    assert one.tell(Started(utterance_id="s2", latency_ms=90.0)) == (
        Started(utterance_id="2", latency_ms=90.0)
    )


def test_the_names_are_those_of_the_data_channel() -> None:
    one = feed()
    assert one.read(message("append", utterance_id="a", text="Hel", language="de")) == [
        Append(utterance_id="s1", text="Hel", language="de")
    ]
    assert one.read(message("append", utterance_id="a", text="lo.")) == [
        Append(utterance_id="s1", text="lo.")
    ]
    assert one.read(message("flush", utterance_id="a")) == [Flush(utterance_id="s1")]
    assert one.read(message("end", utterance_id="a")) == [End(utterance_id="s1")]
    assert one.read(message("cancel", utterance_id="a")) == [Cancel(utterance_id="s1")]
    spoken = one.read(message("speak", utterance_id="b", text="Now.", interrupt=True, speed=1.2))
    assert spoken == [Speak(utterance_id="s2", text="Now.", interrupt=True, speed=1.2)]


def test_two_who_use_one_id_do_not_touch_each_other() -> None:
    numbers = itertools.count(1)
    one, other = (TextFeed(lambda: f"s{next(numbers)}") for _ in range(2))
    text = message("speak", utterance_id="a", text="Hello.")
    assert one.read(text) != other.read(text)
    assert other.tell(Accepted(utterance_id="s1", queued=0)) is None
    assert one.read(message("cancel")) == [Cancel(utterance_id="s1")]
    assert other.read(message("cancel")) == [Cancel(utterance_id="s2")]


def test_an_id_is_free_again_when_its_utterance_is_over() -> None:
    one = feed()
    over: tuple[ServerMessage, ...] = (
        done("s1"),
        Cancelled(utterance_id="s2", played_ms=0.0),
        Failed(utterance_id="s3", code="c", message="m", played_ms=0.0, retryable=True),
        Error(code="voice_not_ready", error="none", utterance_id="s4"),
    )
    for event in over:
        one.read(message("speak", utterance_id="a", text="Hello."))
        twice = refusal(one.read(message("speak", utterance_id="a", text="Hello.")))
        assert (twice.code, twice.utterance_id) == ("text_rejected", "a")
        told = one.tell(event)
        assert told is not None
        assert told.utterance_id == "a"
        assert len(one) == 0
    assert one.tell(done("s1")) is None


def test_an_error_of_an_utterance_that_goes_on_does_not_end_it() -> None:
    one = feed()
    one.read(message("append", utterance_id="a", text="Hello."))
    one.tell(Accepted(utterance_id="s1", queued=0))
    error = Error(code="text_too_long", error="too long", utterance_id="s1")
    assert one.tell(error) == Refusal(code="text_too_long", message="too long", utterance_id="a")
    assert one.read(message("end", utterance_id="a")) == [End(utterance_id="s1")]


@pytest.mark.parametrize(
    ("text", "code", "about"),
    [
        ("{", "bad_message", None),
        ('{"t":"voice.use","voice_id":"x"}', "bad_message", None),
        ('{"t":"utterance.speak"}', "bad_message", None),
        ('{"text":"Hello."}', "bad_message", None),
        ("{" * 2_000, "bad_message", None),
        (message("speak", utterance_id="", text="a"), "bad_message", ""),
        (message("speak", utterance_id="*", text="a"), "bad_message", "*"),
        (message("append", utterance_id="x" * (MAX_ID_CHARS + 1), text="a"), "bad_message", None),
        (message("flush", utterance_id="a"), "text_rejected", "a"),
        (message("cancel", utterance_id="a"), "text_rejected", "a"),
        ("x" * MAX_MESSAGE_BYTES, "bad_message", "1"),
        (message("append", utterance_id="a", text="x" * 14_900), "bad_message", "a"),
        (message("append", utterance_id="a", text="ä" * 9_000), "bad_message", None),
    ],
)
def test_what_cannot_be_asked_is_refused_and_leaves_nothing(
    text: str, code: str, about: str | None
) -> None:
    one = feed()
    refused = refusal(one.read(text))
    assert (refused.code, refused.utterance_id) == (code, about)
    assert len(refused.message) < 400
    assert len(one) == 0
    assert one.leave() == []


def test_only_so_many_may_be_open() -> None:
    one = feed()
    for _ in range(MAX_OPEN):
        assert isinstance(one.read("Hello."), list)
    assert refusal(one.read("Hello.")).code == "at_capacity"
    one.tell(done("s1"))
    assert isinstance(one.read("Hello."), list)


def test_whoever_leaves_lets_what_was_begun_be_said() -> None:
    one = feed()
    one.read("All of it.")
    for name in ("a", "b"):
        one.read(message("append", utterance_id=name, text="Begun"))
    one.read(message("end", utterance_id="a"))
    assert one.leave() == [End(utterance_id="s3")]
    assert one.leave() == []


def test_an_utterance_that_goes_on_after_a_loss_is_accepted_once() -> None:
    one = feed()
    one.read("Hello.")
    accepted = Accepted(utterance_id="s1", queued=0)
    assert one.tell(accepted) == Accepted(utterance_id="1", queued=0)
    assert one.went_on(going_on=["s1"], unsent=[]) == []
    assert one.tell(accepted) is None
    assert one.tell(Cancelled(utterance_id="s1", played_ms=1.0)) is not None


def test_after_a_loss_what_does_not_go_on_is_told() -> None:
    one = feed()
    for _ in range(4):
        one.read("Hello.")
    for ours in ("s1", "s2"):
        one.tell(Accepted(utterance_id=ours, queued=0))
    told = one.went_on(going_on=["s1"], unsent=["s2", "s4"])
    failed = {one.utterance_id: one.retryable for one in told if isinstance(one, Failed)}
    assert failed == {"2": False, "3": True}
    assert len(one) == 2
    assert one.went_on((), ()) != []
    assert len(one) == 0


def test_what_is_told_is_json_without_an_envelope() -> None:
    word = Word(utterance_id="1", text="Hi", start_ms=0, end_ms=80, char_start=0, char_end=2)
    assert json.loads(encode(word)) == {
        **{"t": "utterance.word", "utterance_id": "1", "text": "Hi"},
        **{"start_ms": 0.0, "end_ms": 80.0, "char_start": 0, "char_end": 2},
    }
    assert decode(encode(word)) == word
    assert encode(Refusal(code="c", message="m")) == '{"t":"error","code":"c","message":"m"}'
    with pytest.raises(PeerSentBadMessage):
        decode("{}")


@given(st.text(max_size=40) | st.binary(max_size=40).map(lambda raw: "{" + raw.decode("latin-1")))
def test_anything_is_read_or_refused(text: str) -> None:
    one = feed()
    answer = one.read(text)
    if isinstance(answer, Refusal):
        assert 0 < len(answer.message) < 400
        return
    for asked in answer:
        sent: ClientMessage = asked
        assert decode_client(encode_client(sent)) == sent


def test_what_the_service_says_of_other_things_is_not_told() -> None:
    one = feed()
    one.read("Hello.")
    assert one.tell(Error(code="bad_message", error="whatever")) is None
    assert encode_client(StatsGet())

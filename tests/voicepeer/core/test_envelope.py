"""What is in an envelope and what is not, before any field is read."""

from __future__ import annotations

import json

import pytest

from voicepeer.core.envelope import (
    MAX_ID_CHARS,
    MAX_MESSAGE_BYTES,
    RTVI_LABEL,
    RTVI_VERSION,
    open_envelope,
    seal,
)
from voicepeer.core.errors import PeerSentBadMessage
from voicepeer.core.messages import (
    Cancel,
    Stats,
    decode_server,
    encode_client,
    encode_server,
    open_client,
    read_client,
)
from voicepeer.core.realtime import BadEvent, read_event
from voicepeer.core.rtvi import (
    SPOKEN_MAJORS,
    BotOutput,
    Error,
    ErrorResponse,
    ServerResponse,
    UserStartedSpeaking,
    major_of,
)
from voicepeer.core.text_feed import Refusal, TextFeed

pytestmark = pytest.mark.unit


def raw(**fields: object) -> str:
    return json.dumps({"label": RTVI_LABEL, **fields})


@pytest.mark.parametrize(("given", "read"), [("a1", "a1"), (7, "7"), (None, ""), ("", "")])
def test_an_id_is_kept_as_text(given: object, read: str) -> None:
    envelope = open_client(raw(type="send-text", id=given, data={"content": "x"}))
    assert (envelope.name, envelope.request_id, envelope.wrapped) == ("send-text", read, False)


def test_an_envelope_without_id_and_data_can_be_opened() -> None:
    assert open_client(raw(type="disconnect-bot")).request_id == ""


def test_a_wrapped_message_is_known_by_its_own_name() -> None:
    envelope = open_client(encode_client(Cancel(utterance_id="u"), "r7"))
    assert (envelope.name, envelope.request_id, envelope.wrapped) == (
        "utterance.cancel", "r7", True,
    )  # fmt: skip
    assert read_client(envelope) == Cancel(utterance_id="u")


@pytest.mark.parametrize("request_id", ["x" * (MAX_ID_CHARS + 1), 10**80])
def test_ids_are_bounded(request_id: object) -> None:
    with pytest.raises(PeerSentBadMessage, match="id may have"):
        open_client(raw(type="client-ready", id=request_id))


def test_the_size_is_bounded_before_anything_is_parsed() -> None:
    with pytest.raises(PeerSentBadMessage, match=str(MAX_MESSAGE_BYTES)):
        open_envelope(b"{" + b" " * MAX_MESSAGE_BYTES, "client-message")


@pytest.mark.parametrize(
    "text",
    [
        raw(type="utterance.cancel", data={}),
        raw(type="client-message", data={"t": "send-text", "d": {"content": "x"}}),
    ],
    ids=["ours unwrapped", "RTVI's wrapped"],
)
def test_each_kind_has_its_own_place(text: str) -> None:
    envelope = open_client(text)
    with pytest.raises(PeerSentBadMessage, match="unknown message type"):
        read_client(envelope)


def test_rtvis_own_are_sent_whole_and_without_nulls() -> None:
    assert json.loads(seal(UserStartedSpeaking(), "server-message"))["data"] == {}
    assert json.loads(encode_server(Error(error="no", code="c"), "r1")) == {
        "label": RTVI_LABEL, "type": "error", "id": "r1",
        "data": {"error": "no", "code": "c", "fatal": False, "message": "no"},
    }  # fmt: skip
    output = json.loads(encode_server(BotOutput(text="x", will_be_spoken=False)))["data"]
    assert output == {"text": "x", "aggregated_by": "sentence", "will_be_spoken": False}


def test_answers_survive_the_wire_with_fields_of_any_kind() -> None:
    for answer in (
        ServerResponse(t="stats.get", d={"frames_sent": 3, "deep": [{"t": "x"}]}),
        ErrorResponse(error="no", code="text_rejected", utterance_id="u"),
    ):
        assert decode_server(encode_server(answer, "r")) == answer


def test_a_message_of_ours_leaves_defaults_out() -> None:
    stats = Stats(
        frames_sent=1, underruns=0, stale_dropped=0, mic_frames=0, mic_frames_lost=0,
        mic_frames_concealed=0, lead_ms=50.0, utterances=0,
    )  # fmt: skip
    assert "chunks_repaired" not in json.loads(encode_server(stats))["data"]["d"]


@pytest.mark.parametrize(
    ("version", "major"),
    [(RTVI_VERSION, 2), ("1.2.0", 1), ("2", 2), ("0.3", 0), ("", None), ("two", None),
     ("-1.0", None), ("²", None), ("9" * 5000, None), (" 2", None)],
)  # fmt: skip
def test_the_major_version(version: str, major: int | None) -> None:
    assert major_of(version) == major


def test_our_own_version_is_one_of_those_spoken() -> None:
    assert major_of(RTVI_VERSION) in SPOKEN_MAJORS


HALVES = [r"x\ud83d", r"\udE00", r"\ud83dx\ude00", "\ud83d", "x\ude00", r"\ud83d\ud83d\ude00"]
WHOLE = [r"\ud83d\ude00", "\U0001f600", r"\\ud83d"]


@pytest.mark.parametrize("half", HALVES)
def test_half_a_surrogate_pair_is_called_so_in_every_dialect(half: str) -> None:
    body = '{"utterance_id":"a","text":"%s"}' % half  # noqa: UP031 - braces
    start = '{"label":"rtvi-ai","type":"client-message","data":{"t":"utterance.speak","d":'
    with pytest.raises(PeerSentBadMessage, match="half of a surrogate pair"):
        read_client(open_client(f"{start}{body}}}}}"))
    with pytest.raises(BadEvent, match="half of a surrogate pair"):
        read_event('{"type":"conversation.item.create","event_id":"%s"}' % half)  # noqa: UP031
    refused = TextFeed().read('{"t":"utterance.speak","utterance_id":"a","text":"%s"}' % half)  # noqa: UP031
    assert isinstance(refused, Refusal)
    assert "half of a surrogate pair" in refused.message


@pytest.mark.parametrize("whole", WHOLE)
def test_what_is_wrong_beside_a_whole_pair_is_told(whole: str) -> None:
    data = '{"label":"rtvi-ai","type":"client-message","data":{"t":"%s"' % whole  # noqa: UP031
    with pytest.raises(PeerSentBadMessage) as refused:
        open_envelope(data, "client-message")
    assert "surrogate" not in str(refused.value)

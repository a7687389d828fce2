"""Both protocols of the data channel behind their first step: what is read is also acted on."""

from __future__ import annotations

from tests.fuzz.target import parser
from voicepeer.core import realtime
from voicepeer.core.envelope import MAX_MESSAGE_BYTES
from voicepeer.core.errors import PeerSentBadMessage
from voicepeer.core.messages import Accepted, Cancel, Cancelled, Done, Speak, Started, Word
from voicepeer.core.realtime_conversation import InEffect, RealtimeConversation
from voicepeer.core.small_webrtc import read_transport

_EVENTS = (
    b'{"type":"session.update","event_id":"e","session":{"type":"realtime","instructions":"Hi",'
    b'"audio":{"input":{"turn_detection":null},"output":{"voice":{"id":"v"},"speed":1.2}}}}',
    b'{"type":"conversation.item.create","item":{"id":"i","type":"message","role":"user",'
    b'"content":[{"type":"input_text","text":"Hello there."}]},"previous_item_id":null}',
    b'{"type":"response.create","response":{"instructions":"Say this.","metadata":{"a":"b"},'
    b'"input":[{"type":"item_reference","id":"known"}],"conversation":"none"}}',
    b'{"type":"response.create"}',
    b'{"type":"response.cancel","response_id":"resp_t000004"}',
    b'{"type":"output_audio_buffer.clear"}',
    b'{"type":"conversation.item.truncate","item_id":"item_t000005","content_index":0,'
    b'"audio_end_ms":400}',
    b'{"type":"conversation.item.retrieve","item_id":"known"}',
    b'{"type":"conversation.item.delete","item_id":"known"}',
)
_WORDS = (b'"type"', b'"item"', b'"response"', b'"event_id"', b'"message"', b"null")


def _begun() -> RealtimeConversation:
    """A conversation in which something was said, and something waits to be."""
    conversation = RealtimeConversation("5e55", "t", InEffect("mid"), 0.0)
    for event in (
        b'{"type":"conversation.item.create","item":{"id":"known","type":"message","role":"user",'
        b'"content":[{"type":"input_text","text":"Kept."}]}}',
        b'{"type":"response.create","response":{"instructions":"Said."}}',
    ):
        _act(conversation, event)
    return conversation


def _act(conversation: RealtimeConversation, data: bytes) -> None:
    step = conversation.take(realtime.read_event(data))
    told = []
    for request in step.requests:
        match request.message:
            case Speak(utterance_id=name, text=text):
                mark = Word(
                    utterance_id=name, text=text, start_ms=0, end_ms=9, char_start=0, char_end=3
                )
                for message in (
                    Accepted(utterance_id=name, queued=0),
                    Started(utterance_id=name, latency_ms=1),
                    mark,
                    Done(utterance_id=name, audio_ms=9, first_audible_ms=1, rtf=0, underruns=0),
                ):
                    told += conversation.tell(message, 1.0)
            case Cancel(utterance_id=name):
                told += conversation.tell(Cancelled(utterance_id=name, played_ms=1), 1.0)
            case _:
                pass
    for event in [*told, *step.then()]:
        assert len(realtime.encode_event(event).encode()) <= MAX_MESSAGE_BYTES


def _read(data: bytes) -> None:
    _act(_begun(), data)


TARGETS = (
    parser("realtime", _read, realtime.BadEvent, _EVENTS, _WORDS),
    parser(
        "transport",
        read_transport,
        PeerSentBadMessage,
        (b"ping: 1700000000000", b'{"type":"signalling","message":{"type":"trackStatus"}}'),
        (b"ping", b'"signalling"', b'"message"'),
    ),
)

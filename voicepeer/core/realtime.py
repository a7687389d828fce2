"""The ``oai-events`` schema: the part of OpenAI's Realtime events that means something here.

Names and fields are those of the ``openai`` package 3.57 (``openai.types.realtime``). Unknown
fields are ignored, unknown events are refused. This file and ``realtime_items`` are the only place
that knows the names.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import msgspec

from voicepeer.core.envelope import MAX_MESSAGE_BYTES, reason_unread
from voicepeer.core.errors import PeerSentBadMessage
from voicepeer.core.realtime_items import (
    AudioPatch,
    ContentPart,
    Item,
    Response,
    Session,
    SessionPatch,
)

CHANNEL_LABEL: Final = "oai-events"
MAX_EVENT_ID_CHARS: Final = 512


class BadEvent(PeerSentBadMessage):
    """An event that cannot be understood or done; ``event_id`` is the client's, if it gave one."""

    def __init__(
        self,
        message: str,
        code: str = "invalid_event",
        param: str | None = None,
        event_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.param = param
        self.event_id = event_id


class ClientEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Base of what a client sends; its ``event_id`` comes back if there is an error."""

    event_id: str | None = None


# --- client to server -------------------------------------------------------------------------


class SessionUpdate(ClientEvent, frozen=True, tag="session.update"):
    """Change settings; answered with ``session.updated``, which has all that are in effect.

    ``audio.output.voice`` is the id of a stock, saved or learned voice, ``audio.output.speed`` what
    the engine can do, and ``audio.input.turn_detection`` turns interruption by the user's speech
    on, or off with ``null``. ``instructions`` have no effect, because there is no language model.
    """

    session: SessionPatch


class ItemCreate(ClientEvent, frozen=True, tag="conversation.item.create"):
    """Keep a text for the next ``response.create``, which says it.

    Texts of the roles ``user`` and ``assistant`` are said; those of ``system`` are not.
    """

    item: Item
    previous_item_id: str | None = None
    """Taken, but items stay in the order in which they came."""


class ItemRetrieve(ClientEvent, frozen=True, tag="conversation.item.retrieve"):
    """Ask for an item; answered with ``conversation.item.retrieved``."""

    item_id: str


class ItemDelete(ClientEvent, frozen=True, tag="conversation.item.delete"):
    """Forget an item; what is being said of it goes on."""

    item_id: str


class ItemTruncate(ClientEvent, frozen=True, tag="conversation.item.truncate"):
    """Forget what was not heard of an item that was said.

    The answer has the time up to which it was heard, which is at most ``audio_end_ms``.
    """

    item_id: str
    content_index: int
    audio_end_ms: int


class ResponseParams(msgspec.Struct, frozen=True, kw_only=True):
    """What to say and how; all else of OpenAI's parameters is for a language model."""

    input: list[Item] | None = None
    """Say the texts of these; ``item_reference`` stands for an earlier item."""
    instructions: str | None = None
    """Say this, where there is no ``input``."""
    conversation: str | None = None
    metadata: dict[str, str] | None = None
    output_modalities: list[str] | None = None
    audio: AudioPatch | None = None


class ResponseCreate(ClientEvent, frozen=True, tag="response.create"):
    """Say exactly this text: of ``input``, else ``instructions``, else of items not said yet.

    A response that is asked for while another is said comes after it.
    """

    response: ResponseParams | None = None


class ResponseCancel(ClientEvent, frozen=True, tag="response.cancel"):
    """Fall silent: one response, or the one that is being said."""

    response_id: str | None = None


class OutputAudioBufferClear(ClientEvent, frozen=True, tag="output_audio_buffer.clear"):
    """Fall silent: all responses."""


RealtimeClientEvent: TypeAlias = (
    SessionUpdate
    | ItemCreate
    | ItemRetrieve
    | ItemDelete
    | ItemTruncate
    | ResponseCreate
    | ResponseCancel
    | OutputAudioBufferClear
)

# --- server to client -------------------------------------------------------------------------


class ServerEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Base of what the service sends; fields that are ``None`` are left out."""

    event_id: str


class ErrorDetails(msgspec.Struct, frozen=True, kw_only=True):
    """What is at fault: ``type`` is ``invalid_request_error`` or ``server_error``."""

    message: str
    type: str
    code: str
    param: str | None = None
    event_id: str | None = None


class ErrorEvent(ServerEvent, frozen=True, tag="error"):
    """An event was refused, or the session itself is at fault; the session goes on."""

    error: ErrorDetails


class SessionCreated(ServerEvent, frozen=True, tag="session.created"):
    """The first event: the channel is open, and these settings are in effect."""

    session: Session


class SessionUpdated(ServerEvent, frozen=True, tag="session.updated"):
    """These settings are in effect now; also sent when a voice has been learned."""

    session: Session


class ItemAdded(ServerEvent, frozen=True, tag="conversation.item.added"):
    """An item exists."""

    item: Item


class ItemDone(ServerEvent, frozen=True, tag="conversation.item.done"):
    """An item will not change any more."""

    item: Item


class ItemRetrieved(ServerEvent, frozen=True, tag="conversation.item.retrieved"):
    """The item that was asked for; of one that was said, what was heard of it."""

    item: Item


class ItemDeleted(ServerEvent, frozen=True, tag="conversation.item.deleted"):
    """The item is forgotten."""

    item_id: str


class ItemTruncated(ServerEvent, frozen=True, tag="conversation.item.truncated"):
    """Of the item only what was heard up to ``audio_end_ms`` is known any more."""

    item_id: str
    content_index: int
    audio_end_ms: int


class SpeechStarted(ServerEvent, frozen=True, tag="input_audio_buffer.speech_started"):
    """Somebody speaks into the microphone; times from the opening of the channel."""

    audio_start_ms: int
    item_id: str


class SpeechStopped(ServerEvent, frozen=True, tag="input_audio_buffer.speech_stopped"):
    """They are silent again."""

    audio_end_ms: int
    item_id: str


class ResponseCreated(ServerEvent, frozen=True, tag="response.created"):
    """A response was accepted and will be said."""

    response: Response


class ResponseDone(ServerEvent, frozen=True, tag="response.done"):
    """A response is over: ``completed``, ``cancelled`` or ``failed``."""

    response: Response


class _OfResponse(ServerEvent, frozen=True, kw_only=True):
    response_id: str


class OutputAudioBufferStarted(_OfResponse, frozen=True, tag="output_audio_buffer.started"):
    """The first audible frame of a response was sent."""


class OutputAudioBufferStopped(_OfResponse, frozen=True, tag="output_audio_buffer.stopped"):
    """The last frame of a response was sent."""


class OutputAudioBufferCleared(_OfResponse, frozen=True, tag="output_audio_buffer.cleared"):
    """A response that was heard was silenced."""


class OutputItemAdded(_OfResponse, frozen=True, tag="response.output_item.added"):
    """The one item of a response exists."""

    item: Item
    output_index: int = 0


class OutputItemDone(_OfResponse, frozen=True, tag="response.output_item.done"):
    """The item of a response will not change any more."""

    item: Item
    output_index: int = 0


class _OfItem(_OfResponse, frozen=True, kw_only=True):
    item_id: str
    output_index: int = 0
    content_index: int = 0


class ContentPartAdded(_OfItem, frozen=True, tag="response.content_part.added"):
    """The one content part of a response's item exists."""

    part: ContentPart


class ContentPartDone(_OfItem, frozen=True, tag="response.content_part.done"):
    """The content part will not change any more."""

    part: ContentPart


class TranscriptDelta(_OfItem, frozen=True, tag="response.output_audio_transcript.delta"):
    """Text up to and including a word that has just begun to be heard."""

    delta: str


class TranscriptDone(_OfItem, frozen=True, tag="response.output_audio_transcript.done"):
    """All that was heard of a response."""

    transcript: str


class OutputAudioDone(_OfItem, frozen=True, tag="response.output_audio.done"):
    """No more audio comes of a response."""


RealtimeServerEvent: TypeAlias = (
    ErrorEvent
    | SessionCreated
    | SessionUpdated
    | ItemAdded
    | ItemDone
    | ItemRetrieved
    | ItemDeleted
    | ItemTruncated
    | SpeechStarted
    | SpeechStopped
    | ResponseCreated
    | ResponseDone
    | OutputItemAdded
    | OutputItemDone
    | ContentPartAdded
    | ContentPartDone
    | OutputAudioBufferStarted
    | TranscriptDelta
    | TranscriptDone
    | OutputAudioDone
    | OutputAudioBufferStopped
    | OutputAudioBufferCleared
)


# --- to and from text -------------------------------------------------------------------------


class _Head(msgspec.Struct):
    type: str
    event_id: str | None = None


_head_decoder = msgspec.json.Decoder(_Head)
_event_decoder: msgspec.json.Decoder[RealtimeClientEvent] = msgspec.json.Decoder(
    RealtimeClientEvent
)
_KNOWN: Final = frozenset(str(cls.__struct_config__.tag) for cls in RealtimeClientEvent.__args__)


def read_event(data: str | bytes) -> RealtimeClientEvent:
    """Read an event from a client.

    Raises:
        BadEvent: too large, not JSON, of an unknown type or with wrong fields.
    """
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    if len(raw) > MAX_MESSAGE_BYTES:
        raise BadEvent(
            f"an event may have {MAX_MESSAGE_BYTES} bytes, this one has {len(raw)}: "
            "send long text as several items",
            "event_too_large",
        )
    event_id = None
    try:
        head = _head_decoder.decode(raw)
        if len(head.event_id or "") > MAX_EVENT_ID_CHARS:
            raise BadEvent(f"an event_id may have {MAX_EVENT_ID_CHARS} characters")
        event_id = head.event_id
        if head.type not in _KNOWN:
            raise BadEvent(_unknown(head.type), "unknown_event", "type", event_id)
        return _event_decoder.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        why = reason_unread(error, raw)
        raise BadEvent(f"not a valid event: {why}", event_id=event_id) from error


def _unknown(kind: str) -> str:
    if kind.startswith("input_audio_buffer."):
        return "audio comes in over the call's audio track: input_audio_buffer events do nothing"
    return f"unknown event type {kind[:64]!r}"


def encode_client_event(event: RealtimeClientEvent) -> str:
    """JSON text of a client's event."""
    return msgspec.json.encode(_without_nulls(msgspec.to_builtins(event))).decode()


def encode_event(event: RealtimeServerEvent) -> str:
    """JSON text of an event to a client."""
    return msgspec.json.encode(_without_nulls(msgspec.to_builtins(event))).decode()


def _without_nulls(value: Any) -> Any:  # noqa: ANN401 - any JSON
    match value:
        case dict():
            return {name: _without_nulls(one) for name, one in value.items() if one is not None}
        case list():
            return [_without_nulls(one) for one in value]
        case _:
            return value

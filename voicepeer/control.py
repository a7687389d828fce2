"""The RTVI data channel of a session: no message can end more than itself."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import msgspec
from aiortc import RTCDataChannel

from voicepeer.channel import MessageChannel, note_refusal
from voicepeer.core.envelope import MAX_MESSAGE_BYTES, RTVI_VERSION, Envelope, Native
from voicepeer.core.errors import (
    PeerSentBadMessage,
    ProtocolUnsupported,
    VoicePeerError,
    told,
)
from voicepeer.core.messages import (
    Caption,
    ClientMessage,
    Ping,
    ServerMessage,
    encode_server,
    open_client,
    read_client,
)
from voicepeer.core.rtvi import (
    SPOKEN_MAJORS,
    ClientReady,
    Error,
    ErrorResponse,
    ServerResponse,
    major_of,
)
from voicepeer.core.small_webrtc import PEER_LEFT, KeepAlive, read_transport
from voicepeer.core.speaking.narration import Narration
from voicepeer.ports import SessionObserver

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class KnownClient:
    """What a client has told of itself, for a session that goes on with it."""

    ready: ClientReady | None = None
    small_webrtc: bool = False
    """It uses Pipecat's transport, which makes a lost connection anew by itself: the client does
    not know of it, and does not introduce itself again."""

    @property
    def introduced(self) -> bool:
        """Whether it has said anything of itself."""
        return self.ready is not None or self.small_webrtc


Reply: TypeAlias = Callable[[ServerMessage], None]
Handle: TypeAlias = Callable[[ClientMessage, Reply], Awaitable[None]]


class ControlChannel:
    """Messages either way; ``run`` has to run beside it.

    Args:
        handle: what to do with a message; it calls back with the answer, if there is one, and a
            ``VoicePeerError`` that it raises goes to the client.
        on_lost: called with one fixed word when the channel is of no use any more.
        processor: what ``metrics`` call the engine.
    """

    def __init__(
        self,
        handle: Handle,
        on_lost: Callable[[str], None],
        observer: SessionObserver,
        processor: str,
    ) -> None:
        self._handle = handle
        self._observer = observer
        self._processor = processor
        self._narration: Narration | None = None
        self.client = KnownClient()
        """What is known of the client."""
        self._channel = MessageChannel(self._read, self._flooded, on_lost)

    @property
    def last_message_s(self) -> float:
        """``time.monotonic()`` of the client's last message."""
        return self._channel.last_message_s

    def adopt(self, channel: RTCDataChannel) -> None:
        """Take the client's channel; a second one is closed, as nothing would answer there."""
        self._channel.adopt(channel)

    async def run(self) -> None:
        """Handle messages until cancelled."""
        await self._channel.run()

    def close(self, *, for_good: bool = True) -> None:
        """Send nothing any more; if that is ``for_good``, say so to who would come back."""
        if self.client.small_webrtc and for_good:
            self._channel.send(PEER_LEFT)
        self._channel.close()

    def recall(self, client: KnownClient) -> None:
        """Talk as an earlier session did with this client."""
        self.client = client
        if client.ready is not None:
            self.introduce(client.ready)

    def introduce(self, ready: ClientReady) -> None:
        """Talk as this client understands it.

        Raises:
            ProtocolUnsupported: its version is not known here.
        """
        major = major_of(ready.version or RTVI_VERSION)
        if major not in SPOKEN_MAJORS:
            raise ProtocolUnsupported(
                f"this service speaks RTVI {RTVI_VERSION}: use a client of the same major version"
            )
        self.client = replace(self.client, ready=ready)
        outputs = major >= 2
        self._narration = Narration(self._processor, outputs) if ready.rtvi_events else None

    def send(self, message: ServerMessage) -> None:
        """Send an event, and what RTVI has to say about it."""
        self._send(message)
        if self._narration is not None:
            self._send_all(self._narration.tell(message))

    def piece(self, piece: Caption) -> None:
        """Tell of a piece of an utterance that the engine begins with."""
        if self._narration is not None:
            self._send_all(self._narration.piece(piece))

    def _send_all(self, messages: list[ServerMessage]) -> None:
        for message in messages:
            self._send(message)

    def _send(self, message: ServerMessage, request_id: str = "") -> None:
        text = encode_server(message, request_id)
        if len(text.encode()) > MAX_MESSAGE_BYTES:
            logger.warning("a %s is larger than a message may be", type(message).__name__)
            kind = str(message.__struct_config__.tag)
            cls = ErrorResponse if isinstance(message, ServerResponse) else Error
            instead = cls(error=f"a {kind} was too large to send", code="too_large")
            text = encode_server(instead, request_id)
        self._channel.send(text)

    # --- requests -------------------------------------------------------------------------------

    async def _read(self, data: str | bytes) -> None:
        try:
            transport = read_transport(data)
            if transport is None:
                await self._serve(open_client(data))
            elif isinstance(transport, KeepAlive):
                await self._handle(Ping(), _ignore)
            else:
                self.client = replace(self.client, small_webrtc=True)
        except VoicePeerError as error:
            self._refuse(error)

    async def _serve(self, envelope: Envelope) -> None:
        utterance_id, answered = None, False

        def reply(answer: ServerMessage) -> None:
            nonlocal answered
            answered = True
            self._send(_response(envelope, answer), envelope.request_id)

        try:
            message = read_client(envelope)
            utterance_id = getattr(message, "utterance_id", None)
            await self._handle(message, reply)
            if envelope.wrapped and envelope.request_id and not answered:
                self._send(ServerResponse(t=envelope.name), envelope.request_id)
        except VoicePeerError as error:
            self._refuse(error, utterance_id, envelope)

    def _refuse(
        self,
        error: VoicePeerError,
        utterance_id: str | None = None,
        envelope: Envelope | None = None,
    ) -> None:
        note_refusal(error, self._observer)
        asked = envelope is not None and envelope.wrapped and bool(envelope.request_id)
        kind = ErrorResponse if asked else Error
        message = kind(
            error=told(error), code=error.code, fatal=error.fatal, utterance_id=utterance_id
        )
        self._send(message, "" if envelope is None else envelope.request_id)

    def _flooded(self, data: str | bytes) -> None:
        error = PeerSentBadMessage("messages come too fast: this one was ignored")
        try:
            envelope = open_client(data)
            utterance_id = getattr(read_client(envelope), "utterance_id", None)
        except PeerSentBadMessage:
            self._refuse(error)
        else:
            self._refuse(error, utterance_id, envelope)


def _response(envelope: Envelope, answer: ServerMessage) -> ServerMessage:
    """An answer as the client waits for it: by the id of its request, where that has one."""
    if isinstance(answer, Native) or not envelope.request_id:
        return answer
    fields = msgspec.to_builtins(answer)
    fields.pop("t")
    return ServerResponse(t=envelope.name, d=fields)


def _ignore(answer: ServerMessage) -> None:
    """Nobody waits for it."""

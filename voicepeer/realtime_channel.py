"""The ``oai-events`` data channel of a session: OpenAI's Realtime events over our own messages."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence

from aiortc import RTCDataChannel

from voicepeer.channel import MessageChannel, note_refusal
from voicepeer.control import Handle
from voicepeer.core.errors import PeerSentBadMessage, VoicePeerError
from voicepeer.core.messages import ServerMessage
from voicepeer.core.realtime import (
    RealtimeClientEvent,
    RealtimeServerEvent,
    encode_event,
    read_event,
)
from voicepeer.core.realtime_conversation import InEffect, RealtimeConversation
from voicepeer.core.speaking.manuscript import Remainder
from voicepeer.ports import SessionObserver

TOKEN_BYTES = 6


class RealtimeChannel:
    """Events either way; ``run`` has to run beside it. Silent until the client has opened it.

    Args:
        session_id: of the session.
        handle: what to do with a message of ours, as for ``ControlChannel``.
        on_lost: called with one fixed word when the channel is of no use any more.
        now_in_effect: settings of the session.
    """

    def __init__(
        self,
        session_id: str,
        handle: Handle,
        on_lost: Callable[[str], None],
        observer: SessionObserver,
        now_in_effect: Callable[[], InEffect],
    ) -> None:
        self._session_id = session_id
        self._handle = handle
        self._observer = observer
        self._now_in_effect = now_in_effect
        self._conversation: RealtimeConversation | None = None
        self._channel = MessageChannel(self._read, self._flooded, on_lost)

    @property
    def last_message_s(self) -> float:
        """``time.monotonic()`` of the client's last event."""
        return self._channel.last_message_s

    def adopt(self, channel: RTCDataChannel) -> None:
        """Take the client's channel; a second one is closed."""
        self._channel.adopt(channel)
        if self._conversation is None:
            self._conversation = RealtimeConversation(
                self._session_id,
                secrets.token_hex(TOKEN_BYTES),
                self._now_in_effect(),
                time.monotonic(),
            )
            self._send(self._conversation.open())

    def go_on(self, lines: Sequence[Remainder]) -> None:
        """These are about to be said, which an earlier session could not say to their end."""
        if self._conversation is None:
            return
        for line in lines:
            begins = (line.chars_before, line.ms_before)
            self._conversation.go_on(line.opening.utterance_id, line.opening.text, begins)

    async def run(self) -> None:
        """Handle events until cancelled."""
        await self._channel.run()

    def close(self) -> None:
        """Send nothing any more."""
        self._channel.close()

    def send(self, message: ServerMessage) -> None:
        """Tell of what the session tells, in events."""
        if self._conversation is not None:
            self._send(self._conversation.tell(message, time.monotonic()))

    async def _read(self, data: str | bytes) -> None:
        try:
            event = read_event(data)
            await self._do(event)
        except VoicePeerError as error:
            self._refuse(error)

    async def _do(self, event: RealtimeClientEvent) -> None:
        if self._conversation is None:
            return
        param = None
        step = None
        try:
            step = self._conversation.take(event)
            for request in step.requests:
                param = request.param
                await self._handle(request.message, _ignore)
        except VoicePeerError as error:
            if step is not None:
                step.undo()
            self._refuse(error, event.event_id, param)
        else:
            self._send(step.then())

    def _refuse(
        self, error: VoicePeerError, event_id: str | None = None, param: str | None = None
    ) -> None:
        note_refusal(error, self._observer)
        if self._conversation is not None:
            self._send([self._conversation.refuse(error, event_id, param)])

    def _flooded(self, data: str | bytes) -> None:
        try:
            event_id = read_event(data).event_id
        except VoicePeerError:
            event_id = None
        self._refuse(PeerSentBadMessage("events come too fast: this one was ignored"), event_id)

    def _send(self, events: list[RealtimeServerEvent]) -> None:
        for event in events:
            self._channel.send(encode_event(event))


def _ignore(answer: ServerMessage) -> None:
    """The session tells of it as of any setting that changes."""

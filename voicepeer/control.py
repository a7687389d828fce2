"""The data channel of a session: bounded both ways, and no message can end more than itself."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from aiortc import RTCDataChannel

from voicepeer.core.errors import PeerSentBadMessage, VoicePeerError
from voicepeer.core.messages import (
    ClientMessage,
    Error,
    ServerMessage,
    decode_client,
    encode_server,
)
from voicepeer.ports import SessionObserver

logger = logging.getLogger(__name__)

INBOX_MESSAGES = 256
"""Messages that may wait to be handled; a client that sends faster is told so."""

OUTBOX_BYTES = 1_000_000
"""Unsent events after which a client counts as gone: it reads nothing."""


class ControlChannel:
    """Carries messages in order, one handled after the other; ``run`` has to run beside it.

    Args:
        handle: what to do with a message; a ``VoicePeerError`` that it raises goes to the client.
        on_lost: called with one fixed word when the channel is of no use any more.
    """

    def __init__(
        self,
        handle: Callable[[ClientMessage], Awaitable[None]],
        on_lost: Callable[[str], None],
        observer: SessionObserver,
    ) -> None:
        self.last_message_s = time.monotonic()
        """``time.monotonic()`` of the client's last message."""
        self._handle = handle
        self._on_lost = on_lost
        self._observer = observer
        self._channel: RTCDataChannel | None = None
        self._inbox: asyncio.Queue[str | bytes] = asyncio.Queue(INBOX_MESSAGES)
        self._closed = False

    def adopt(self, channel: RTCDataChannel) -> None:
        """Take the client's channel; a second one is closed, as nothing would answer there."""
        if self._channel is not None:
            logger.info("a second data channel is closed")
            channel.close()
            return
        self._channel = channel
        channel.on("message", self._receive)
        channel.on("close", lambda: self._on_lost("channel_closed"))

    def close(self) -> None:
        """Send nothing any more."""
        self._closed = True

    def send(self, message: ServerMessage) -> None:
        """Send a message, or drop it where there is no channel (any more)."""
        channel = self._channel
        if channel is None or channel.readyState != "open" or self._closed:
            return
        if channel.bufferedAmount > OUTBOX_BYTES:
            self._on_lost("client_reads_nothing")
            return
        channel.send(encode_server(message))

    async def run(self) -> None:
        """Handle messages until cancelled."""
        while True:
            data = await self._inbox.get()
            utterance_id = None
            try:
                message = decode_client(data)
                utterance_id = getattr(message, "utterance_id", None)
                await self._handle(message)
            except VoicePeerError as error:
                self._refuse(error, utterance_id)

    def _receive(self, data: str | bytes) -> None:
        self.last_message_s = time.monotonic()
        try:
            self._inbox.put_nowait(data)
        except asyncio.QueueFull:
            self._refuse(PeerSentBadMessage("messages come too fast: this one was ignored"), None)

    def _refuse(self, error: VoicePeerError, utterance_id: str | None) -> None:
        self._observer.error_sent(error.code)
        self.send(
            Error(error=str(error), code=error.code, fatal=error.fatal, utterance_id=utterance_id)
        )

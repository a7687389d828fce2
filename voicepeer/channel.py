"""A data channel of a session: bounded both ways, and messages are handled one after the other."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from aiortc import RTCDataChannel

from voicepeer.core.errors import VoicePeerError, is_for_clients
from voicepeer.ports import SessionObserver

logger = logging.getLogger(__name__)

INBOX_MESSAGES = 256
"""Messages that may wait to be handled; a client that sends faster is told so."""

OUTBOX_BYTES = 1_000_000
"""Unsent events after which a client counts as gone: it reads nothing."""


def note_refusal(error: VoicePeerError, observer: SessionObserver) -> None:
    """Count what is refused to a client; what it is not told of the reason goes to the log."""
    observer.error_sent(error.code)
    if not is_for_clients(error):
        logger.error("a message could not be done: %s", error, exc_info=error)


class MessageChannel:
    """Carries texts in order; ``run`` has to run beside it.

    Args:
        read: awaited with each message before the next one; what it raises ends ``run``.
        on_flood: called with each message that is ignored because too many wait.
        on_lost: called with one fixed word when the channel is of no use any more.
    """

    def __init__(
        self,
        read: Callable[[str | bytes], Awaitable[None]],
        on_flood: Callable[[str | bytes], None],
        on_lost: Callable[[str], None],
    ) -> None:
        self.last_message_s = time.monotonic()
        """``time.monotonic()`` of the client's last message."""
        self._read = read
        self._on_flood = on_flood
        self._on_lost = on_lost
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

    def send(self, text: str) -> None:
        """Send a text, or drop it where there is no channel (any more)."""
        channel = self._channel
        if channel is None or channel.readyState != "open" or self._closed:
            return
        if channel.bufferedAmount > OUTBOX_BYTES:
            self._on_lost("client_reads_nothing")
            return
        channel.send(text)

    async def run(self) -> None:
        """Handle messages until cancelled."""
        while True:
            await self._read(await self._inbox.get())

    def _receive(self, data: str | bytes) -> None:
        self.last_message_s = time.monotonic()
        try:
            self._inbox.put_nowait(data)
        except asyncio.QueueFull:
            self._on_flood(data)

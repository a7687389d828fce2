"""A media process: ``python -m voicepeer.media_worker FD LEVEL SPEECH LISTENING``, of the entry's.

It has sessions and their packets, and none of the service's secrets: who may come in is decided at
the entry, by a socket to which this is told what to do. The numbers are descriptors of that socket
and of those to the models (``engines.lending``).
"""

from __future__ import annotations

import asyncio
import faulthandler
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import AsyncExitStack

from engines.host import EngineHost
from engines.process.frames import FrameBuffer, Role
from engines.process.parent import die_with_parent
from voicepeer import logs, rtc, wiring
from voicepeer import media_frames as frames
from voicepeer.keeping import keeping_in
from voicepeer.media import Media
from voicepeer.media_frames import Begin, Done, ToEntry, ToMedia
from voicepeer.media_notes import NotesForEntry
from voicepeer.media_server import MediaServer
from voicepeer.pinned_voices import PinnedVoices
from voicepeer.reference_keeper import keeper_of
from voicepeer.stores import open_stores


class Connection(asyncio.Protocol):
    """The socket to the entry; ``ended`` is set when that has gone."""

    def __init__(self) -> None:
        self._buffer = FrameBuffer()
        self._socket: asyncio.Transport | None = None
        self.begin: asyncio.Future[Begin] = asyncio.get_running_loop().create_future()
        self.receive: Callable[[ToMedia], None] = self._first
        self.ended = asyncio.Event()

    def _first(self, message: ToMedia) -> None:
        if not isinstance(message, Begin):
            raise ValueError("the first message says how to run")
        self.begin.set_result(message)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop."""
        assert isinstance(transport, asyncio.Transport)
        self._socket = transport

    def data_received(self, data: bytes) -> None:
        """Called by the event loop."""
        for body in self._buffer.push(data):
            self.receive(frames.unpack_to_media(body))

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the event loop."""
        self.begin.cancel()
        self.ended.set()

    def tell(self, message: ToEntry) -> None:
        """Send a message to the entry."""
        if self._socket is not None and not self._socket.is_closing():
            self._socket.write(frames.pack(message))


async def serve(entry: socket.socket, speech: socket.socket, listening: socket.socket) -> None:
    """Serve the entry at the other end of a socket until that is closed.

    Raises:
        VoicePeerError: what it is to use cannot be used.
        EngineError: so is what it has borrowed.
    """
    connection = Connection()
    transport, _ = await asyncio.get_running_loop().create_connection(
        lambda: connection, sock=entry
    )
    begin = await connection.begin
    settings = begin.config
    async with AsyncExitStack() as stack:
        stack.callback(transport.abort)
        lent: dict[Role, socket.socket] = {"speech": speech, "listening": listening}
        engine = await stack.enter_async_context(EngineHost(wiring.host_spec(settings), lent))
        stores = open_stores(settings)
        stack.callback(stores.close)
        references = keeper_of(settings, stores.references)
        pinned = PinnedVoices(stores.voices, settings.voices.pinned)
        keeping = keeping_in(stores, wiring.audit(settings), references, pinned)
        media = Media(settings, engine, keeping, NotesForEntry(connection.tell))
        media.on_loaded()
        await stack.enter_async_context(media.running())
        await engine.stock_voices()
        await pinned.load(time.time())
        server = MediaServer(
            media.open,
            media.metrics.text,
            keeping.revocations,
            media.economy.change,
            connection.tell,
        )
        stack.push_async_callback(server.close)
        watching = stores.watch(keeping.revocations.revoke)
        for work in (server.run(), watching, pinned.run()):
            stack.push_async_callback(_cancel, asyncio.create_task(work))
        connection.receive = server.receive
        connection.tell(Done(begin.id))
        await connection.ended.wait()


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])


def main(entry: str, level: str, speech: str, listening: str) -> None:
    """Serve the entry by these descriptors; log to standard error, which it reads."""
    die_with_parent()
    faulthandler.enable()
    # Both go to all processes of a service, of which the entry knows what has to end first.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logs.configure_child(level)
    rtc.self_test()
    sockets = [socket.socket(fileno=int(fd)) for fd in (entry, speech, listening)]
    asyncio.run(serve(*sockets))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Lets other processes of ours use the models of a host: they ask by a socket as its own workers
are asked, and all requests meet in the same two workers.

Knows nothing of what the other processes are for. What one of them does not take any more, because
it has died, is given up at once.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Callable
from typing import Protocol

import msgspec

from engines.api import EngineError
from engines.process import frames
from engines.process.frames import (
    Cancel,
    Credit,
    Ended,
    FrameBuffer,
    Load,
    Loaded,
    Refine,
    Refined,
    Role,
    Speak,
    Spoken,
    ToHost,
    ToWorker,
)
from engines.process.keeper import Asked, Keeper, Limits

logger = logging.getLogger(__name__)

PATIENT = Limits(chunk_s=3600.0, request_s=3600.0)
"""For hosts with borrowed models: whoever lends them watches the workers, and restarts them."""


class Lends(Protocol):
    """What a host does for whoever borrows from it; ``engines.host.EngineHost`` is one."""

    def keeper(self, role: Role) -> Keeper:
        """Who keeps the worker of a role."""
        ...

    def loaded(self, role: Role) -> Loaded:
        """What that worker has loaded."""
        ...

    def new_id(self) -> int:
        """For one request."""
        ...

    def admit(self, stream: _Relayed, *, first: bool) -> None:
        """Count one more stream, the ``first`` of an utterance or not; raises ``EngineBusy`` where
        that is one too many."""
        ...


class Lender:
    """The models of a started host, for any number of other processes."""

    def __init__(self, host: Lends) -> None:
        self._host = host
        self._borrowers: set[_Borrower] = set()

    async def lend(self) -> socket.socket:
        """One end of a new socket to one worker, which the first message on it names.

        It is for a ``BorrowedWorker`` in another process, and to be closed in this one.
        """
        ours, theirs = socket.socketpair()
        loop = asyncio.get_running_loop()
        borrower = _Borrower(self._host, self._borrowers.discard)
        try:
            await loop.create_connection(lambda: borrower, sock=ours)
        except BaseException:
            ours.close()
            theirs.close()
            raise
        self._borrowers.add(borrower)
        return theirs

    def close(self) -> None:
        """End what is lent."""
        for borrower in list(self._borrowers):
            borrower.close()


class _Relayed:
    """One request of another process, in the name of which a worker is asked."""

    def __init__(self, borrower: _Borrower, asked: Asked, id: int) -> None:
        self._borrower = borrower
        self.theirs = asked.id
        self.asked: Asked = msgspec.structs.replace(asked, id=id)
        self.begun = False
        """Whether any of what was asked for has come."""
        self.ended = False

    def receive(self, message: ToHost) -> None:
        """Called by the keeper with an answer of the worker."""
        assert not isinstance(message, Loaded), "is for the keeper alone"
        self.begun = True
        if not isinstance(message, Spoken | Refined):
            self._end()
        self._borrower.tell(msgspec.structs.replace(message, id=self.theirs))

    def fail(self, error: EngineError) -> None:
        """Called by the keeper when no more answers can come."""
        self._end()
        self._borrower.tell(frames.failure(self.theirs, error))

    def give_up(self, keeper: Keeper) -> None:
        """Nobody waits for it any more."""
        match self.asked:
            case Speak(id):
                keeper.cancel(id)
            case Refine(id):
                keeper.leave(id)
            case request:
                keeper.forget(request.id)
        self._end()

    def _end(self) -> None:
        self.ended = True
        self._borrower.forget(self)


class _Borrower(asyncio.Protocol):
    """One socket, to whoever uses one of the workers."""

    def __init__(self, host: Lends, on_gone: Callable[[_Borrower], None]) -> None:
        self._host = host
        self._on_gone = on_gone
        self._buffer = FrameBuffer()
        self._socket: asyncio.Transport | None = None
        self._keeper: Keeper | None = None
        self._asked: dict[int, _Relayed] = {}
        """By their own ids."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._socket = transport

    def data_received(self, data: bytes) -> None:
        try:
            for body in self._buffer.push(data):
                self._receive(frames.unpack_to_worker(body))
        except (msgspec.DecodeError, ValueError):
            logger.exception("whoever borrows models sent what is no message")
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        for relayed in list(self._asked.values()):
            if self._keeper is not None:
                relayed.give_up(self._keeper)
        self._on_gone(self)

    def _receive(self, message: ToWorker) -> None:
        if isinstance(message, Load):
            self._keeper = self._host.keeper(message.role)
            self.tell(self._host.loaded(message.role))
            return
        if self._keeper is None:
            raise ValueError("the first message says which worker is wanted")
        match message:
            case Credit(id, chunks):
                if id in self._asked:
                    self._keeper.grant(self._asked[id].asked.id, chunks)
            case Cancel(id):
                if id in self._asked:
                    self._asked[id].give_up(self._keeper)
                    self.tell(Ended(id))
            case _:
                self._ask(self._keeper, message)

    def _ask(self, keeper: Keeper, asked: Asked) -> None:
        relayed = _Relayed(self, asked, self._host.new_id())
        self._asked[asked.id] = relayed
        try:
            if isinstance(asked, Speak):
                self._host.admit(relayed, first=asked.segment.first)
        except EngineError as error:
            relayed.fail(error)
        else:
            keeper.call(relayed.asked, relayed)

    def forget(self, relayed: _Relayed) -> None:
        """It is over."""
        self._asked.pop(relayed.theirs, None)

    def tell(self, message: ToHost) -> None:
        """Send an answer."""
        if self._socket is not None and not self._socket.is_closing():
            self._socket.write(frames.pack(message))

    def close(self) -> None:
        """Be done with whoever is at the other end."""
        if self._socket is not None:
            self._socket.abort()


class BorrowedWorker(asyncio.Protocol):
    """A ``keeper.Link`` to a worker that another process has lent; good for one start."""

    def __init__(self, lent: socket.socket, load: Load, receive: Callable[[ToHost], None]) -> None:
        self._lent = lent
        self._load = load
        self._receive = receive
        self._buffer = FrameBuffer()
        self._socket: asyncio.Transport | None = None
        self.ended = asyncio.Event()

    @property
    def pid(self) -> int:
        """Of whoever lends it."""
        return os.getppid()

    async def start(self) -> None:
        """Ask for it; raises ``OSError`` where it was lent once and is gone."""
        loop = asyncio.get_running_loop()
        self._socket, _ = await loop.create_connection(lambda: self, sock=self._lent)
        self.send(frames.pack(self._load))

    def send(self, frame: bytes) -> None:
        """Send it a message."""
        assert self._socket is not None, "start comes first"
        self._socket.write(frame)

    def kill(self) -> None:
        """Give it back; it is not ours to end."""
        assert self._socket is not None, "start comes first"
        self._socket.abort()

    async def close(self) -> str:
        """Give it back."""
        if self._socket is None:
            self._lent.close()
        else:
            self._socket.abort()
            await self.ended.wait()
        return "given back"

    def data_received(self, data: bytes) -> None:
        """Called by the event loop with what it says."""
        for body in self._buffer.push(data):
            self._receive(frames.unpack_to_host(body))

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the event loop when whoever lends it has ended."""
        self.ended.set()

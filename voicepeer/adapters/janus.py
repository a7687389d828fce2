"""Rooms of a Janus server: a bot speaks in an AudioBridge or a VideoRoom, over Janus's WebSocket.

What is said to the server is in ``core.janus``; here are the socket and the connection of media.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Coroutine, Sequence
from typing import Any, Final, TypeVar, assert_never

import aiohttp

from voicepeer.adapters import RoomError
from voicepeer.adapters.sender import NotConnected, OpusSender
from voicepeer.core.janus.dialogue import (
    GOODBYE_S,
    Accepted,
    Connected,
    Dialogue,
    Ended,
    Send,
    Stage,
    Step,
)
from voicepeer.core.janus.messages import MAX_MESSAGE_BYTES
from voicepeer.core.janus.plugins import Entry, PluginName
from voicepeer.forwarding import MediaPacket

logger = logging.getLogger(__name__)

PROTOCOL: Final = "janus-protocol"
"""Name of Janus's WebSocket subprotocol."""

OPEN_S: Final = 10.0
"""For the socket to be opened."""

HEARD_S: Final = 10.0
"""For the server to notice a connection of media that stands already."""

StepT = TypeVar("StepT")


class JanusRoom:
    """Implements ``adapters.RoomAdapter``.

    Args:
        url: of the server's WebSocket, such as ``ws://localhost:8188``.
        plugin: which kind of room.
        room: its id; digits are taken for a number, or for text where the server has it so.
        pin: of the room, if it has one.
        token: of the server's interface, or one that the room admits.
        api_secret: of the server's interface.
    """

    def __init__(
        self,
        url: str,
        plugin: PluginName,
        room: str | int,
        *,
        pin: str | None = None,
        token: str | None = None,
        api_secret: str | None = None,
    ) -> None:
        self._url = url
        self._plugin: PluginName = plugin
        self._room = str(room)
        self._pin, self._token, self._api_secret = pin, token, api_secret
        self._stay: _Stay | None = None

    async def join(self, name: str) -> str:
        """See ``RoomAdapter.join``."""
        await self.leave()
        entry = Entry(self._plugin, self._room, name, self._pin, self._token, self._api_secret)
        self._stay = stay = _Stay(self._url, entry)
        try:
            return await stay.enter()
        except BaseException:
            await self.leave()
            raise

    def push(self, packet: MediaPacket) -> None:
        """See ``RoomAdapter.push``."""
        if self._stay is not None:
            self._stay.push(packet)

    async def lost(self) -> str:
        """See ``RoomAdapter.lost``."""
        if self._stay is None:
            return "the bot is not in the room"
        error = await asyncio.shield(self._stay.ended)
        if error is None:
            return "the bot has left the room"
        if error.retryable:
            return str(error)
        raise error

    async def leave(self) -> None:
        """See ``RoomAdapter.leave``."""
        stay, self._stay = self._stay, None
        if stay is not None:
            await stay.close()


class _Stay:
    """One connection to the server, with one of media; ``ended`` has the reason for its end."""

    def __init__(self, url: str, entry: Entry) -> None:
        loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[RoomError | None] = loop.create_future()
        self._accepted: asyncio.Future[Accepted] = loop.create_future()
        self._heard: asyncio.Future[Connected] = loop.create_future()
        self._url = url
        self._entry = entry
        self._http = aiohttp.ClientSession()
        self._sender = OpusSender()
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._dialogue: Dialogue | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def enter(self) -> str:
        """Be in the room, ready to speak; the own id there. Raises ``RoomError``."""
        offer_sdp = await self._sender.offer()
        socket = self._socket = await self._open()
        self._dialogue = dialogue = Dialogue(self._entry, offer_sdp)
        self._start(self._converse(socket, dialogue))
        accepted = await self._unless_ended(self._accepted)
        try:
            await self._sender.accept(accepted.answer_sdp)
            async with asyncio.timeout(HEARD_S):
                await self._unless_ended(self._heard)
        except NotConnected as error:
            raise RoomError("no_media", str(error), retryable=True) from error
        except TimeoutError as error:
            message = "the server has not noticed the connection of media"
            raise RoomError("no_media", message, retryable=True) from error
        self._start(self._watch())
        return accepted.participant

    def push(self, packet: MediaPacket) -> None:
        """Send a packet on, if there is a connection."""
        self._sender.push(packet)

    async def close(self) -> None:
        """Say goodbye as far as anybody listens, and free everything."""
        try:
            await self._say_goodbye()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self._end(None)
            await self._sender.close()
            if self._socket is not None:
                await self._socket.close()
            await self._http.close()

    # --- inside ---------------------------------------------------------------------------------

    async def _open(self) -> aiohttp.ClientWebSocketResponse:
        try:
            async with asyncio.timeout(OPEN_S):
                socket = await self._http.ws_connect(
                    self._url, protocols=[PROTOCOL], max_msg_size=MAX_MESSAGE_BYTES
                )
        except (aiohttp.ClientError, OSError, ValueError) as error:
            reason = str(error) or "no answer in time"
            message = f"no Janus answers at {self._url}: {reason}"
            raise RoomError("unreachable", message, retryable=True) from error
        if socket.protocol != PROTOCOL:
            await socket.close()
            raise RoomError("not_janus", f"what answers at {self._url} is no Janus")
        return socket

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(asyncio.create_task(work, name="janus"))

    async def _unless_ended(self, step: asyncio.Future[StepT]) -> StepT:
        """A step of the server, or the error with which the stay has ended before it."""
        either: set[asyncio.Future[Any]] = {step, self.ended}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if step.done():
            return step.result()
        raise self.ended.result() or RoomError("left", "the bot has left the room")

    async def _converse(self, socket: aiohttp.ClientWebSocketResponse, dialogue: Dialogue) -> None:
        """Do what the dialogue says until it is over."""
        try:
            await self._do(dialogue.start(time.monotonic()))
            while dialogue.stage is not Stage.OVER:
                await self._do(await self._next(socket, dialogue))
        except ConnectionError:
            await self._do(dialogue.closed())
        except Exception:  # the edge of a task: whoever waits for its end must be told of it
            logger.exception("a stay at a Janus has failed")
            self._end(RoomError("lost", "the stay has failed here, see the log", retryable=True))

    async def _next(
        self, socket: aiohttp.ClientWebSocketResponse, dialogue: Dialogue
    ) -> list[Step]:
        """What comes of the next message, or of none in time."""
        deadline = dialogue.next_deadline()
        wait_s = None if deadline is None else max(0.0, deadline - time.monotonic())
        try:
            async with asyncio.timeout(wait_s):
                message = await socket.receive()
        except TimeoutError:
            return dialogue.tick(time.monotonic())
        if message.type is not aiohttp.WSMsgType.TEXT:
            return dialogue.closed()
        return dialogue.take(message.data, time.monotonic())

    async def _do(self, steps: Sequence[Step]) -> None:
        for step in steps:
            match step:
                case Send(text):
                    assert self._socket is not None
                    await self._socket.send_str(text)
                case Accepted():
                    self._accepted.set_result(step)
                case Connected():
                    if not self._heard.done():
                        self._heard.set_result(step)
                case Ended(error):
                    self._end(error)
                case _:
                    assert_never(step)

    async def _watch(self) -> None:
        await self._sender.lost()
        self._end(RoomError("lost", "the connection of media was lost", retryable=True))

    def _end(self, error: RoomError | None) -> None:
        """Note that it is over, and why; the first reason stays."""
        if not self.ended.done():
            self.ended.set_result(error)

    async def _say_goodbye(self) -> None:
        if self._dialogue is None:
            return
        with contextlib.suppress(ConnectionError, TimeoutError):
            async with asyncio.timeout(2 * GOODBYE_S):
                await self._do(self._dialogue.leave(time.monotonic()))
                await asyncio.wait(self._tasks[:1])

"""A client's side of one call: its microphone, what it hears, and the data channel's messages.

Knows nothing of how descriptions travel; ``client`` adds the signaling.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import time
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import numpy as np
from aiortc import RTCPeerConnection, RTCSessionDescription

from voicepeer import rtc
from voicepeer.core.envelope import Envelope, bounded
from voicepeer.core.errors import PeerSentBadMessage
from voicepeer.core.messages import (
    AnswerT,
    ClientMessage,
    Ping,
    Pong,
    ServerMessage,
    encode_client,
    open_server,
    read_answer,
    read_server,
)
from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm
from voicepeer.core.rtvi import ClientReady, ErrorResponse, ServerResponse
from voicepeer.core.speaking.pacer import Pacer
from voicepeer.recorder import Recorder
from voicepeer.rtc import IceServerEntry
from voicepeer.tracks import SpeechTrack

logger = logging.getLogger(__name__)

CHANNEL = "rtvi"
CONNECT_TIMEOUT_S = 15.0
PING_EVERY_S = 1.0
SILENCE_TIMEOUT_S = 10.0
"""Without any message of the service, which answers every ping, it counts as gone."""

UNREAD_EVENTS = 10_000
PAUSE_S = 0.5
"""Between two plays of one recording."""


class CallEnded(Exception):
    """The other side is gone, or never came; the message says what is known of why."""


class RequestFailed(Exception):
    """The service refused a request, or it cannot be sent; ``code`` is its stable name for why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Call:
    """An offering peer with one audio track each way and one data channel.

    ``offer`` and ``accept`` connect it, ``close`` ends it; all on one running loop. ``peer`` and
    ``channel`` are for whoever needs more than messages. With ``relay_only`` it connects through a
    TURN server and in no other way.
    """

    def __init__(
        self, ice_servers: Sequence[IceServerEntry] = (), *, relay_only: bool = False
    ) -> None:
        rtc.install_patches()
        self.recorder = Recorder()
        self.peer: RTCPeerConnection = rtc.new_peer(ice_servers, relay_only=relay_only)
        self._pacer = Pacer()
        self._microphone = SpeechTrack(self._pacer)
        self.peer.addTrack(self._microphone)
        self.channel = self.peer.createDataChannel(CHANNEL)
        self.channel.on("open", self._on_open)
        self.channel.on("message", self._on_message)
        self.channel.on("close", lambda: self.end("the service closed the call"))
        self.peer.on("connectionstatechange", self._on_state)
        self._opened = asyncio.Event()
        self._ended: str | None = None
        self._last_message_s = time.monotonic()
        self._queues: set[asyncio.Queue[ServerMessage | None]] = set()
        self._ids = itertools.count(1)
        self._asked: dict[str, asyncio.Future[ServerResponse]] = {}
        """What is to be answered, by the ids under which that was asked."""
        self._tasks: list[asyncio.Task[None]] = []

    async def offer(self) -> str:
        """The description to send to the service; its candidates are in it."""
        return await rtc.make_offer(self.peer)

    async def accept(self, answer_sdp: str) -> None:
        """Take the service's answer and wait until the call is up.

        Raises:
            CallEnded: it could not be connected.
        """
        rtc.install_receive_buffer(self.peer.getReceivers()[0], self.recorder.receiver)
        await self.peer.setRemoteDescription(RTCSessionDescription(answer_sdp, "answer"))
        self._start(self.recorder.run())
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                await self._opened.wait()
        except TimeoutError:
            self.end("no connection: is UDP to the service open, or is a TURN server needed?")
        if self._ended is not None:
            raise CallEnded(self._ended)
        self._start(self._ping())
        self.send(ClientReady(rtvi_events=False))

    async def close(self) -> None:
        """Hang up and free everything."""
        self.end("hung up")
        self.recorder.receiver.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await rtc.close_peer(self.peer)
        self._microphone.stop()

    def speak_into_microphone(self, pcm: Pcm) -> int:
        """Play speech (48 kHz mono) into the microphone in real time, after what plays already.

        Returns the pacer's generation number for it.
        """
        generation = self._pacer.open()
        self._pacer.push(generation, pcm)
        self._pacer.end(generation)
        return generation

    @asynccontextmanager
    async def speaking(self, pcm: Pcm) -> AsyncIterator[list[float]]:
        """Play speech (48 kHz mono) again and again for as long as the block lasts.

        Gives the list of the moments (``time.monotonic()``) at which it began so far.
        """
        pause = np.zeros(round(PAUSE_S * WIRE_RATE_HZ), dtype=np.float32)
        once = np.concatenate([pcm, pause])
        begun_s: list[float] = []
        playing: list[int] = []

        async def play() -> None:
            while True:
                begun_s.append(time.monotonic())
                playing[:] = [self.speak_into_microphone(once)]
                await asyncio.sleep(once.size / WIRE_RATE_HZ)

        task = asyncio.create_task(play(), name="microphone")
        try:
            yield begun_s
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            for generation in playing:
                self._pacer.cancel(generation)

    def send(self, message: ClientMessage, request_id: str = "") -> None:
        """Send a message, which is answered under ``request_id`` if it has one: see ``ask``.

        Raises:
            CallEnded: the call is over.
            RequestFailed: ``bad_message``, one that no service would read.
        """
        if self._ended is not None or self.channel.readyState != "open":
            raise CallEnded(self._ended or "the call is not connected")
        try:
            text = encode_client(message, request_id)
            bounded(text)
        except (PeerSentBadMessage, UnicodeEncodeError) as error:
            # A refusal could not tell which one it is of.
            raise RequestFailed(PeerSentBadMessage.code, f"this cannot be sent: {error}") from error
        self.channel.send(text)

    async def ask(self, message: ClientMessage) -> None:
        """Send a message of ours and wait until the service has taken it.

        Raises:
            RequestFailed: it was refused. What the service says of other messages is not about it.
            CallEnded: the call is over, or has ended meanwhile.
        """
        await self._ask(message)

    async def ask_for(self, message: ClientMessage, kind: type[AnswerT]) -> AnswerT:
        """Send a message of ours and wait for what answers it; raises like ``ask``.

        Whoever is ``listening`` is told of it, too.
        """
        response = await self._ask(message)
        try:
            answer = read_answer(response, kind)
        except PeerSentBadMessage as error:
            raise RequestFailed("bad_answer", str(error)) from error
        self._deliver(answer)
        return answer

    async def _ask(self, message: ClientMessage) -> ServerResponse:
        request_id = str(next(self._ids))
        answer: asyncio.Future[ServerResponse] = asyncio.get_running_loop().create_future()
        self._asked[request_id] = answer
        try:
            self.send(message, request_id)
            return await answer
        finally:
            del self._asked[request_id]

    @contextmanager
    def listening(self) -> Iterator[AsyncIterator[ServerMessage]]:
        """All messages from now on; the iterator raises ``CallEnded`` at the end of the call."""
        queue: asyncio.Queue[ServerMessage | None] = asyncio.Queue(UNREAD_EVENTS)
        self._queues.add(queue)
        if self._ended is not None:
            queue.put_nowait(None)
        try:
            yield self._messages(queue)
        finally:
            self._queues.discard(queue)

    async def _messages(
        self, queue: asyncio.Queue[ServerMessage | None]
    ) -> AsyncIterator[ServerMessage]:
        while (message := await queue.get()) is not None:
            yield message
        raise CallEnded(self._ended or "the call is over")

    def _on_open(self) -> None:
        self._opened.set()

    def _on_message(self, data: str | bytes) -> None:
        self._last_message_s = time.monotonic()
        try:
            envelope = open_server(data)
            message = read_server(envelope)
        except PeerSentBadMessage as error:
            logger.warning("the service sent what this client does not understand: %s", error)
            return
        match message:
            case Pong():
                pass
            case ServerResponse() | ErrorResponse():
                self._answered(envelope, message)
            case _:
                self._deliver(message)

    def _answered(self, envelope: Envelope, response: ServerResponse | ErrorResponse) -> None:
        answer = self._asked.get(envelope.request_id)
        if answer is None or answer.done():
            return  # nobody waits for it any more
        if isinstance(response, ErrorResponse):
            answer.set_exception(RequestFailed(response.code, response.error))
        else:
            answer.set_result(response)

    def _deliver(self, message: ServerMessage | None) -> None:
        for queue in self._queues:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(message)

    def _on_state(self) -> None:
        if self.peer.connectionState in ("failed", "closed"):
            self.end("the connection was lost")

    def end(self, reason: str) -> None:
        """Note that the call is over, and why; the first reason stays."""
        if self._ended is None:
            self._ended = reason
            self._deliver(None)
            self._opened.set()
            for answer in self._asked.values():
                if not answer.done():
                    answer.set_exception(CallEnded(reason))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(asyncio.create_task(work))

    async def _ping(self) -> None:
        with contextlib.suppress(CallEnded):
            while True:
                self.send(Ping(sent_ms=time.monotonic() * 1000))
                await asyncio.sleep(PING_EVERY_S)
                if time.monotonic() - self._last_message_s > SILENCE_TIMEOUT_S:
                    self.end("the service has fallen silent")

"""The client's side of ``/ws``: join, exchange descriptions, stay until either side leaves."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Final

import aiohttp

from signaling.messages import (
    MAX_SIGNAL_BYTES,
    Answer,
    BadSignal,
    Bye,
    Candidate,
    ClientSignal,
    Fault,
    Join,
    Joined,
    Leave,
    Offer,
    Ping,
    Pong,
    Redirect,
    ServerSignal,
    decode_server,
    encode,
)

logger = logging.getLogger(__name__)

LEFT: Final = 1000
INTERRUPTED: Final = 3000
"""Our own code for a socket that is given up while the session is not (RFC 6455 section 7.4.2)."""

ANSWER_TIMEOUT_S: Final = 20.0
PING_EVERY_S: Final = 20.0

MAX_REDIRECTS: Final = 3


class SignalingFailed(Exception):
    """The service cannot be reached, or refuses; ``code`` is its word for why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class SignalingClient:
    """One socket to the service's ``/ws``."""

    def __init__(self, url: str, on_bye: Callable[[str], None]) -> None:
        self._url = _websocket_url(url)
        self._on_bye = on_bye
        self._http: aiohttp.ClientSession | None = None
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._task: asyncio.Task[None] | None = None
        self._answer: asyncio.Future[ServerSignal] | None = None
        """To an offer that was made while we stay."""

    async def join(self, join: Join) -> Joined:
        """Open the socket and ask for a session, where the room is.

        The service may send us to another one of its operator, which is told the same token.

        Raises:
            SignalingFailed: not reachable, or refused.
        """
        self._http = aiohttp.ClientSession()
        for _ in range(1 + MAX_REDIRECTS):
            answer = await self._join_at(self._http, join)
            if isinstance(answer, Joined):
                return answer
            if not isinstance(answer, Redirect):
                raise SignalingFailed("bad_message", "the service did not answer to join")
            self._url = _redirected(self._url, answer.url)
        raise SignalingFailed("room_elsewhere", "the services send us from one to the other")

    async def _join_at(self, http: aiohttp.ClientSession, join: Join) -> ServerSignal:
        if self._socket is not None:
            await self._socket.close()
        try:
            self._socket = await http.ws_connect(self._url, max_msg_size=MAX_SIGNAL_BYTES)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            # An URL that is none may also end in a UnicodeError, by the name of its host.
            raise SignalingFailed("unreachable", f"no service at {self._url}: {error}") from error
        return await self._ask(join)

    async def exchange(self, offer_sdp: str) -> str:
        """Send the offer; the answer. Raises ``SignalingFailed`` when it is refused."""
        answer = await self._ask(Offer(sdp=offer_sdp))
        if not isinstance(answer, Answer):
            raise SignalingFailed("bad_message", "the service did not answer the offer")
        self._task = asyncio.create_task(self._stay(), name="signaling")
        return answer.sdp

    async def exchange_for_room(self, offer_sdp: str) -> str:
        """The same for the second connection, after the call's; one offer at a time."""
        assert self._socket is not None
        self._answer = asyncio.get_running_loop().create_future()
        try:
            await self._socket.send_str(encode(Offer(sdp=offer_sdp, connection="room")))
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                answer = await self._answer
        except TimeoutError as error:
            raise SignalingFailed("timeout", "the service did not answer in time") from error
        except ConnectionError as error:
            raise SignalingFailed("unreachable", "the service closed the connection") from error
        finally:
            self._answer = None
        match answer:
            case Answer(sdp=sdp):
                return sdp
            case Fault(code=code, message=message):
                raise SignalingFailed(code, message)
            case _:
                raise SignalingFailed("ended", "the session has ended")

    async def close(self, *, leave: bool = True) -> None:
        """Leave and close the socket; harmless when that has happened already.

        Without ``leave`` the session is not ended and may be resumed.
        """
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._socket is not None and not self._socket.closed:
            if leave:
                with contextlib.suppress(ConnectionError):
                    await self._socket.send_str(encode(Leave()))
            await self._socket.close(code=LEFT if leave else INTERRUPTED)
        if self._http is not None:
            await self._http.close()

    async def _ask(self, question: ClientSignal) -> ServerSignal:
        assert self._socket is not None
        try:
            await self._socket.send_str(encode(question))
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                while isinstance(signal := await self._receive(), Candidate | Pong):
                    continue
        except TimeoutError as error:
            raise SignalingFailed("timeout", "the service did not answer in time") from error
        except ConnectionError as error:
            raise SignalingFailed("unreachable", "the service closed the connection") from error
        match signal:
            case Fault(code=code, message=message):
                raise SignalingFailed(code, message)
            case Bye(reason=reason):
                raise SignalingFailed("ended", reason)
            case _:
                return signal

    async def _receive(self) -> ServerSignal:
        assert self._socket is not None
        message = await self._socket.receive()
        if message.type is not aiohttp.WSMsgType.TEXT:
            raise SignalingFailed("unreachable", "the service closed the connection")
        try:
            return decode_server(message.data)
        except BadSignal as error:
            raise SignalingFailed("bad_message", str(error)) from error

    async def _stay(self) -> None:
        """Keep the socket alive until the service says goodbye or goes away."""
        assert self._socket is not None
        try:
            while True:
                try:
                    async with asyncio.timeout(PING_EVERY_S):
                        signal = await self._receive()
                except TimeoutError:
                    await self._socket.send_str(encode(Ping()))
                    continue
                if isinstance(signal, Answer | Fault | Bye):
                    self._settle(signal)
                if isinstance(signal, Bye):
                    self._on_bye(signal.reason)
                    return
        except (SignalingFailed, ConnectionError) as error:
            # The call itself does not need the socket once it is connected.
            logger.info("signaling ended: %s", error)
            self._settle(Bye(reason="connection_lost"))

    def _settle(self, signal: ServerSignal) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(signal)


def _redirected(from_url: str, to_url: str) -> str:
    """The socket of the service that another one has named.

    Raises:
        SignalingFailed: it is no URL of a service, or would be told our token in the clear.
    """
    url = _websocket_url(to_url)
    if not url.startswith(("ws://", "wss://")):
        raise SignalingFailed("bad_message", "the service sends us to what is no service")
    if from_url.startswith("wss:") and not url.startswith("wss:"):
        raise SignalingFailed("bad_message", "the service sends us where nothing is encrypted")
    return url


def _websocket_url(url: str) -> str:
    base = url.rstrip("/")
    for scheme, replacement in (("http://", "ws://"), ("https://", "wss://")):
        base = base.replace(scheme, replacement, 1) if base.startswith(scheme) else base
    return base if base.endswith("/ws") else f"{base}/ws"

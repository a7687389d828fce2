"""A WebSocket of the bots' own, where programs on this machine give them text to say.

``core.text_feed`` knows what the messages mean; here is who may connect, and how much.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import ipaddress
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from aiohttp import WSCloseCode, WSMsgType, hdrs, web

from signaling.allowance import Allowance
from signaling.auth import (
    MIN_KEY_CHARS,
    bearer_token,
    host_allowed,
    is_loopback,
    is_origin,
    origin_allowed,
)
from signaling.config import SignalingConfig
from signaling.connections import create_runner
from signaling.gate import ApiError
from signaling.guard import in_our_form
from signaling.handshake import offered_token, open_socket
from voicepeer.bot import Bot, Listening, Tell
from voicepeer.core.envelope import MAX_MESSAGE_BYTES
from voicepeer.core.errors import ConfigInvalid, VoicePeerError
from voicepeer.core.messages import ServerMessage
from voicepeer.core.text_feed import Given, Refusal, TextFeed, Told, encode

logger = logging.getLogger(__name__)

DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8765

MAX_CLIENTS: Final = 8
MAX_UNREAD: Final = 1_000
"""Events that one client may leave unread before it is put out."""

BURST: Final = 400
PER_S: Final = 100.0
"""Messages of one client: more than any language model has tokens."""

WRONG_TOKENS: Final = 10
WRONG_TOKENS_PER_S: Final = 0.2

HEARTBEAT_S: Final = 20.0
SHUTDOWN_S: Final = 2.0
RETRY_S: Final = 5

PROTOCOL: Final = "voicepeer"


@dataclass(frozen=True, slots=True)
class TextAddress:
    """Where text is taken, and whose: with a ``token`` of those who show it, and of pages only
    where they are of the ``origins``.

    Raises:
        ConfigInvalid: an address that others can reach without a token, or a bad token or origin.
    """

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    token: str | None = field(default=None, repr=False)
    origins: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.token is None and not is_loopback(self.host):
            raise ConfigInvalid(
                f"{self.host} can be reached from outside: give a token, or listen on 127.0.0.1"
            )
        if self.token is not None and len(self.token) < MIN_KEY_CHARS:
            raise ConfigInvalid(
                f"a token has {MIN_KEY_CHARS} characters at least: make one with "
                "`openssl rand -hex 24`"
            )
        if not all(is_origin(one) for one in self.origins):
            raise ConfigInvalid("an origin is like https://app.example")

    @classmethod
    def at(cls, address: str, token: str | None, origins: Collection[str]) -> TextAddress:
        """By ``HOST:PORT``; raises ``ConfigInvalid`` also where that is none."""
        host, colon, port = address.rpartition(":")
        bare = host.removeprefix("[").removesuffix("]")
        if not colon or not bare or not port.isascii() or not port.isdigit() or int(port) > 65_535:
            raise ConfigInvalid(f"{address!r} is no address: it is like 127.0.0.1:{DEFAULT_PORT}")
        return cls(bare, int(port), token, frozenset(origins))


@dataclass(eq=False, slots=True)
class _Client:
    """One who is connected."""

    bot: Bot
    socket: web.WebSocketResponse
    abort: Callable[[], None]
    feed: TextFeed = field(default_factory=TextFeed)
    unread: asyncio.Queue[str] = field(default_factory=lambda: asyncio.Queue(MAX_UNREAD))
    allowance: Allowance = field(default_factory=lambda: Allowance(BURST, PER_S))

    def tell(self, message: Told) -> None:
        try:
            self.unread.put_nowait(encode(message))
        except asyncio.QueueFull:
            logger.info("a client does not read: cutting its connection")
            self.abort()


class TextSocket:
    """Takes text for bots, the first of which is meant where a client names none.

    An async context manager: it listens at ``url`` while the block lasts.
    """

    def __init__(self, bots: Sequence[Bot], address: TextAddress) -> None:
        self.url = ""
        self._bots = bots
        self._address = address
        self._clients: set[_Client] = set()
        self._wrong = Allowance(WRONG_TOKENS, WRONG_TOKENS_PER_S)
        for bot in bots:
            bot.on_message = self._hear(bot)
            bot.on_back = self._went_on(bot)
        app = web.Application(middlewares=[_in_our_form])
        app.router.add_get("/", self._serve)
        app.on_shutdown.append(self._say_goodbye)
        limits = SignalingConfig(max_connections=4 * MAX_CLIENTS)
        self._runner = create_runner(app, limits, SHUTDOWN_S)

    async def __aenter__(self) -> TextSocket:
        await self._runner.setup()
        host, port = self._address.host, self._address.port
        try:
            await web.TCPSite(self._runner, host, port).start()
        except OSError as error:
            await self._runner.cleanup()
            raise ConfigInvalid(f"cannot listen on {host}:{port}: {error.strerror}") from error
        self.url = f"ws://{_in_url(host)}:{self._runner.addresses[0][1]}/"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    # --- what the service says ------------------------------------------------------------------

    def _of(self, bot: Bot) -> list[_Client]:
        return [client for client in self._clients if client.bot is bot]

    def _hear(self, bot: Bot) -> Callable[[ServerMessage], None]:
        def hear(message: ServerMessage) -> None:
            for client in self._of(bot):
                if (told := client.feed.tell(message)) is not None:
                    client.tell(told)

        return hear

    def _went_on(self, bot: Bot) -> Callable[[Collection[str], Collection[str]], None]:
        def went_on(going_on: Collection[str], unsent: Collection[str]) -> None:
            for client in self._of(bot):
                for told in client.feed.went_on(going_on, unsent):
                    client.tell(told)

        return went_on

    # --- what clients say -----------------------------------------------------------------------

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        self._let_in(request)
        bot = self._asked_for(request.query.get("bot"))
        if len(self._clients) >= MAX_CLIENTS:
            headers = {"Retry-After": str(RETRY_S)}
            message = f"{MAX_CLIENTS} clients are connected already"
            raise ApiError(503, "at_capacity", message, headers=headers)
        socket = await open_socket(
            request,
            max_bytes=MAX_MESSAGE_BYTES,
            heartbeat_s=HEARTBEAT_S,
            close_timeout_s=SHUTDOWN_S,
            protocol=PROTOCOL,
        )
        transport = request.transport
        client = _Client(bot, socket, transport.abort if transport is not None else lambda: None)
        self._clients.add(client)
        writing = asyncio.create_task(_write(client), name="text socket")
        try:
            await self._read(client)
        finally:
            self._clients.discard(client)
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)
            _send(client, client.feed.leave())
        return socket

    async def _read(self, client: _Client) -> None:
        async for message in client.socket:
            if not client.allowance.take(time.monotonic()):
                refusal = Refusal(code="rate_limited", message="closing: too many messages")
                with contextlib.suppress(ConnectionError):
                    await client.socket.send_str(encode(refusal))
                await client.socket.close(code=WSCloseCode.POLICY_VIOLATION)
            elif message.type is WSMsgType.TEXT:
                self._take(client, message.data)
            elif message.type is WSMsgType.BINARY:
                client.tell(Refusal(code="bad_message", message="a message is text, not binary"))

    def _take(self, client: _Client, text: str) -> None:
        asked = client.feed.read(text)
        if isinstance(asked, Refusal):
            client.tell(asked)
        elif (refused := _send(client, asked)) is not None:
            client.tell(refused)

    # --- who may come in ------------------------------------------------------------------------

    def _let_in(self, request: web.Request) -> None:
        where = self._address
        if where.token is None and not host_allowed(request.headers.get(hdrs.HOST), where.origins):
            raise ApiError(421, "misdirected", "without a token this answers to localhost only")
        if not origin_allowed(request.headers.get(hdrs.ORIGIN), "", where.origins):
            raise ApiError(403, "origin_not_allowed", "pages of this origin may not connect")
        if where.token is not None and not _matches(where.token, _token_of(request)):
            if not self._wrong.take(time.monotonic()):
                headers = {"Retry-After": str(RETRY_S)}
                message = "too many wrong tokens: try again later"
                raise ApiError(429, "rate_limited", message, headers=headers)
            raise ApiError(401, "invalid_token", "send 'Authorization: Bearer …' with the token")

    def _asked_for(self, name: str | None) -> Bot:
        for bot in self._bots:
            if name is None or bot.name.casefold() == name.casefold():
                return bot
        raise ApiError(404, "not_found", "there is no bot of this name")

    async def _say_goodbye(self, _: web.Application) -> None:
        closing = [client.socket.close(code=WSCloseCode.GOING_AWAY) for client in self._clients]
        await asyncio.gather(*closing, return_exceptions=True)


async def take_text(bots: Sequence[Bot], address: TextAddress, tell: Tell) -> int:
    """Take text for bots until cancelled; gives nothing else than 0.

    Raises:
        ConfigInvalid: nothing can listen there.
    """
    async with TextSocket(bots, address) as socket:
        tell(Listening(socket.url))
        await asyncio.Event().wait()
    return 0


def _send(client: _Client, messages: Sequence[Given]) -> Refusal | None:
    """Hand messages on; why that was not possible."""
    try:
        for message in messages:
            client.bot.send(message)
    except VoicePeerError as error:
        return Refusal(code=error.code, message=str(error))
    return None


async def _write(client: _Client) -> None:
    try:
        while True:
            await client.socket.send_str(await client.unread.get())
    except ConnectionError:
        logger.debug("a client has gone while it was being told something")


@web.middleware
async def _in_our_form(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    try:
        return await handler(request)
    except web.HTTPException as error:
        raise in_our_form(error) from error


def _token_of(request: web.Request) -> str | None:
    """The token of a program's header, or of a page, which can only name subprotocols."""
    return bearer_token(request.headers.get(hdrs.AUTHORIZATION)) or offered_token(request)


def _matches(token: str, shown: str | None) -> bool:
    return shown is not None and hmac.compare_digest(
        token.encode("utf-8", "surrogateescape"), shown.encode("utf-8", "surrogateescape")
    )


def _in_url(host: str) -> str:
    try:
        return f"[{host}]" if ipaddress.ip_address(host).version == 6 else host
    except ValueError:
        return host

"""What serves the application's connections, and answers what is no request at all."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from aiohttp import hdrs, web
from aiohttp.http_exceptions import HttpProcessingError, LineTooLong
from aiohttp.web_protocol import RequestHandler

from signaling.address import UNKNOWN, Network, address_block, client_address, is_within, networks
from signaling.config import SignalingConfig
from signaling.crowd import SHARED, Crowd, Crowded, Guest
from signaling.gate import ApiError
from signaling.pages import SECURITY_HEADERS

logger = logging.getLogger(__name__)

LINGER_S = 2.0
"""How long the rest of a refused body is read: whoever is still sending would miss the answer."""


MAX_LINE_BYTES = 8_000
"""Of a request line: as much as RFC 9112 section 3 wants to be taken."""
MAX_FIELD_BYTES = 8_190
"""Of a header. By this and the other limit it is known which of them was too long."""
MAX_FIELDS = 128

RETRY_S = 5

_Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


def create_runner(
    app: web.Application, config: SignalingConfig, shutdown_timeout_s: float
) -> web.AppRunner:
    """What serves an application, and lets nobody hold a connection for nothing.

    aiohttp counts ``keepalive_timeout`` from the opening of a connection, and from the end of each
    answer, to the last header of the next request, so that it bounds slow headers as well. How many
    connections there may be is decided in ``crowd``.
    """
    runner = _Runner(
        app,
        access_log=None,
        shutdown_timeout=shutdown_timeout_s,
        keepalive_timeout=config.request_timeout_s,
        lingering_time=min(LINGER_S, config.body_timeout_s),
        auto_decompress=False,
        max_line_size=MAX_LINE_BYTES,
        max_field_size=MAX_FIELD_BYTES,
        max_headers=MAX_FIELDS,
        logger=logger,
    )
    runner.door = _Door(config)
    return runner


class _Door:
    """Lets connections in; one a service."""

    def __init__(self, config: SignalingConfig) -> None:
        self.crowd = Crowd(config.max_connections, config.max_connections_per_address)
        self._proxies: tuple[Network, ...] = networks(config.trusted_proxies)

    def guest(self, transport: asyncio.Transport) -> Guest:
        """Whoever has opened a connection."""
        peer = transport.get_extra_info("peername")
        remote = client_address(peer[0] if isinstance(peer, tuple) else None, (), ())
        # Behind a proxy there are many, and who they are is known with each request only.
        shared = remote == UNKNOWN or is_within(remote, self._proxies)
        return Guest(SHARED if shared else address_block(remote), transport.abort)


class _Connection(RequestHandler):
    """Answers in our own form what never becomes a request, and comes in only where there is room.

    aiohttp's answer quotes the line that is at fault, which may be the one with the key, and tells
    its own version; so does what it logs.
    """

    __slots__ = ("_body_awaited", "_door", "_guest")

    _door: _Door
    _guest: Guest | None
    _body_awaited: bool

    def through(self, door: _Door) -> _Connection:
        """The same, which comes in through ``door``."""
        self._door, self._guest, self._body_awaited = door, None, False
        return self

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        guest = self._door.guest(transport)
        try:
            self._door.crowd.enter(guest)
        except Crowded:
            transport.write(_CROWDED)
            transport.close()
            return
        self._guest = guest
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if self._guest is None:
            return
        if self._body_awaited:
            self._door.crowd.progress(self._guest)
        super().data_received(data)

    def eof_received(self) -> None:
        if self._guest is not None:
            super().eof_received()

    def connection_lost(self, exc: BaseException | None) -> None:
        if self._guest is not None:
            self._door.crowd.leave(self._guest)
        super().connection_lost(exc)

    async def serve(self, request: web.BaseRequest, handler: _Handler) -> web.StreamResponse:
        """Handle a request. The connection is in use as soon as that has come to its end.

        Before, anybody could hold a place by not sending the body that a request speaks of.
        """
        expected = request.headers.get(hdrs.EXPECT, "100-continue")
        if expected.lower() != "100-continue":
            return _closing(_UNEXPECTED)
        if self._guest is None:
            return await handler(request)
        self._body_awaited = True
        request.content.on_eof(self._use)
        try:
            return await handler(request)
        finally:
            self._body_awaited = False
            self._door.crowd.rest(self._guest)

    def _use(self) -> None:
        # A body may also come to its end when its request was answered long ago.
        if self._guest is not None and self._body_awaited:
            self._body_awaited = False
            self._door.crowd.use(self._guest)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        if isinstance(exc, HttpProcessingError) and request.writer.output_size == 0:
            return _closing(_unread(exc))
        answer = super().handle_error(request, status, exc, message)
        answer.headers.update(SECURITY_HEADERS)
        return answer


def _unread(error: HttpProcessingError) -> ApiError:
    """The answer to what is no request (RFC 9110 section 15.5.15, RFC 6585 section 5)."""
    if isinstance(error, LineTooLong) and error.args[1] == MAX_LINE_BYTES:
        return ApiError(
            414, "too_large", f"a request line may have {MAX_LINE_BYTES} bytes: send less in it"
        )
    if isinstance(error, LineTooLong) or error.message == "Too many headers received":
        return ApiError(
            431,
            "too_large",
            f"a request may have {MAX_FIELDS} headers, each of {MAX_FIELD_BYTES} bytes: send less",
        )
    return ApiError(
        400,
        "bad_request",
        "this is no request that can be read: its method, a header or the coding of its body is "
        "malformed",
    )


_UNEXPECTED = ApiError(
    417,
    "expectation_failed",
    "this is not done here: leave 'Expect' out, or send '100-continue' (RFC 9110 section 10.1.1)",
)

_FULL = ApiError(
    503,
    "at_capacity",
    "too many connections are open, of this address or in all: close some, or try again soon",
    headers={"Retry-After": str(RETRY_S)},
)


def _closing(told: ApiError) -> web.Response:
    """An error as the last answer of its connection; aiohttp wants its exceptions raised."""
    answer = web.Response(status=told.status, text=told.text, content_type=told.content_type)
    answer.headers.update(SECURITY_HEADERS)
    answer.force_close()
    return answer


def _raw(told: ApiError) -> bytes:
    """An error as it goes over a connection that nobody serves."""
    body = (told.text or "").encode()
    headers = dict(SECURITY_HEADERS) | {
        hdrs.CONTENT_TYPE: "application/json",
        hdrs.CONTENT_LENGTH: str(len(body)),
        hdrs.CONNECTION: "close",
        hdrs.RETRY_AFTER: told.headers[hdrs.RETRY_AFTER],
    }
    status = HTTPStatus(told.status)
    lines = [f"HTTP/1.1 {status} {status.phrase}", *(f"{k}: {v}" for k, v in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


_CROWDED = _raw(_FULL)


class _Server(web.Server):
    door: _Door

    def __call__(self) -> RequestHandler:
        return _Connection(self, loop=self._loop, **self._kwargs).through(self.door)


class _Runner(web.AppRunner):
    """Has its connections made by ``_Server``, for which aiohttp has no setting."""

    door: _Door

    async def _make_server(self) -> web.Server:
        made = await super()._make_server()
        handler = made.request_handler

        async def serve(request: web.BaseRequest) -> web.StreamResponse:
            assert isinstance(request.protocol, _Connection)
            return await request.protocol.serve(request, handler)

        server = _Server(serve, request_factory=made.request_factory, **made._kwargs)
        server.door = self.door
        return server

"""What serves the application's connections, and answers what is no request at all."""

from __future__ import annotations

import logging

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.web_protocol import RequestHandler

from signaling.config import SignalingConfig
from signaling.gate import ApiError
from signaling.pages import SECURITY_HEADERS

logger = logging.getLogger(__name__)

LINGER_S = 2.0
"""How long the rest of a refused body is read: whoever is still sending would miss the answer."""


def create_runner(
    app: web.Application, config: SignalingConfig, shutdown_timeout_s: float
) -> web.AppRunner:
    """What serves an application, and lets nobody hold a connection for nothing.

    aiohttp counts ``keepalive_timeout`` from the opening of a connection, and from the end of each
    answer, to the last header of the next request, so that it bounds slow headers as well.
    """
    return _Runner(
        app,
        access_log=None,
        shutdown_timeout=shutdown_timeout_s,
        keepalive_timeout=config.request_timeout_s,
        lingering_time=min(LINGER_S, config.body_timeout_s),
        auto_decompress=False,
        logger=logger,
    )


class _Connection(RequestHandler):
    """Answers in our own form what never becomes a request.

    aiohttp's answer quotes the line that is at fault, which may be the one with the key, and tells
    its own version; so does what it logs.
    """

    __slots__ = ()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        if isinstance(exc, HttpProcessingError) and request.writer.output_size == 0:
            told = ApiError(
                400,
                "bad_request",
                "this is no request that can be read: its method, a header or the coding of its "
                "body is malformed, or a header is too long",
            )
            # aiohttp wants its exceptions raised.
            answer: web.StreamResponse = web.Response(
                status=told.status, text=told.text, content_type=told.content_type
            )
            answer.force_close()
        else:
            answer = super().handle_error(request, status, exc, message)
        answer.headers.update(SECURITY_HEADERS)
        return answer


class _Server(web.Server):
    def __call__(self) -> RequestHandler:
        return _Connection(self, loop=self._loop, **self._kwargs)


class _Runner(web.AppRunner):
    """Has its connections made by ``_Server``, for which aiohttp has no setting."""

    async def _make_server(self) -> web.Server:
        made = await super()._make_server()
        return _Server(made.request_handler, request_factory=made.request_factory, **made._kwargs)

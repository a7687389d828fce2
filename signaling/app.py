"""The aiohttp application: ``/ws`` signaling, health, metrics and the demo page."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from aiohttp import WSCloseCode, web

from signaling import (
    admin_routes,
    call_routes,
    guard,
    health_routes,
    offer_routes,
    recording_routes,
    secret_routes,
    whip_routes,
)
from signaling.audio_api import add_audio_api
from signaling.audio_port import AudioService
from signaling.auth import origin_allowed
from signaling.config import Readiness, SignalingConfig
from signaling.conversation import Conversation
from signaling.gate import GATE, Gate, Visitor
from signaling.handshake import open_socket
from signaling.health_routes import Health
from signaling.http_calls import HTTP_CALLS, HttpCalls
from signaling.lobby import Lobby, Waiting
from signaling.messages import MAX_SIGNAL_BYTES
from signaling.openapi import Answer, operation
from signaling.openapi_routes import make_document, serve_document
from signaling.pages import INDEX, Page, load_pages
from signaling.recording_port import RecordingService
from signaling.registry import REGISTRY, SessionRegistry
from signaling.relays import RELAYS, Relays
from signaling.rooms import Rooms
from signaling.sessions import Admit, OpenSession, admit_all

__all__ = ["REGISTRY", "Readiness", "SignalingConfig", "create_app"]

logger = logging.getLogger(__name__)

CLOSE_TIMEOUT_S = 2.0
"""For a client to answer a closing handshake."""


@dataclass(slots=True)
class _Service:
    config: SignalingConfig
    registry: SessionRegistry
    readiness: Callable[[], Readiness]
    pages: dict[str, Page]
    lobby: Lobby
    sockets: set[web.WebSocketResponse] = field(default_factory=set)


_SERVICE = web.AppKey("_SERVICE", _Service)


def create_app(
    config: SignalingConfig,
    open_session: OpenSession,
    readiness: Callable[[], Readiness],
    metrics_text: Callable[[], bytes | Awaitable[bytes]],
    audio: AudioService | None = None,
    admit: Admit = admit_all,
    recordings: RecordingService | None = None,
) -> web.Application:
    """Build the service's application.

    ``open_session`` makes a peer for whoever joins; ``readiness`` says whether it could now;
    ``metrics_text`` gives the Prometheus exposition; ``audio`` is behind ``/v1/audio``;
    ``admit`` lets clients into rooms; ``recordings`` are behind ``/v1/recordings``. On shutdown
    every client is told and every session closed before the application's own clean-up goes on.
    Reads the demo page's files. Its start raises ``IceConfigInvalid`` where the database that it
    shares with coturn cannot be used.
    """
    gate = Gate.of(config)
    registry = SessionRegistry(
        open_session,
        Rooms(config.max_sessions, config.max_per_room),
        config.grace_s,
        config.max_sessions_per_key,
        tenants=len(gate.access.tenants),
        admit=admit,
    )
    app = web.Application(client_max_size=MAX_SIGNAL_BYTES)
    guard.install(app, config)
    app[REGISTRY] = registry
    app[GATE] = gate
    app[_SERVICE] = _Service(config, registry, readiness, load_pages(), Lobby(config.max_waiting))
    app.router.add_get("/ws", _ws)
    health = Health(registry, config.max_sessions, readiness, metrics_text)
    health_routes.add_routes(app, health)
    app[RELAYS] = relays = Relays(config.ice, len(gate.access.tenants))
    app[HTTP_CALLS] = HttpCalls(registry, config, readiness, relays)
    for routes in (call_routes, whip_routes, offer_routes, secret_routes, admin_routes):
        routes.add_routes(app)
    if audio is not None:
        add_audio_api(app, audio, config.max_speeches)
    if recordings is not None:
        recording_routes.add_routes(app, recordings)
    app.router.add_get("/openapi.json", serve_document)
    app.router.add_get("/", _page)
    app.router.add_get(r"/{name:\w+\.\w+}", _page)
    app.on_startup.append(make_document)
    app.on_shutdown.append(_close_sessions)
    app.cleanup_ctx.append(_relays)
    app.cleanup_ctx.append(_sessions)
    return app


async def _close_sessions(app: web.Application) -> None:
    await app[REGISTRY].close_all("shutting_down")
    # Those who have not joined have no session to tell them.
    closing = [socket.close(code=WSCloseCode.GOING_AWAY) for socket in app[_SERVICE].sockets]
    await asyncio.gather(*closing, return_exceptions=True)


async def _relays(app: web.Application) -> AsyncIterator[None]:
    async with app[RELAYS].running():
        yield


async def _sessions(app: web.Application) -> AsyncIterator[None]:
    yield
    # A socket may have joined between on_shutdown and the end of its connection.
    await app[REGISTRY].close_all("shutting_down")


@operation(
    "Open a session by WebSocket",
    tag="sessions",
    answers={101: Answer("The signaling socket; its messages are in docs/wire.md")},
    errors=(400, 403, 429),
    secured=False,
)
async def _ws(request: web.Request) -> web.StreamResponse:
    """For browsers: the key comes in the first message, for they can send no header here."""
    service = request.app[_SERVICE]
    config = service.config
    origin = request.headers.get("Origin")
    if not origin_allowed(origin, request.headers.get("Host", ""), config.allowed_origins):
        raise web.HTTPForbidden(text="Pages of this origin may not connect.\n")
    socket = await open_socket(
        request,
        max_bytes=MAX_SIGNAL_BYTES,
        heartbeat_s=config.heartbeat_s,
        close_timeout_s=CLOSE_TIMEOUT_S,
    )
    visitor = Visitor.of(request)
    waiting = Waiting(visitor.address_name, lambda: _abort(request))
    service.lobby.enter(waiting)
    service.sockets.add(socket)
    try:
        await Conversation(
            socket,
            service.registry,
            config,
            service.readiness(),
            request.app[RELAYS],
            visitor,
            let_in=lambda: service.lobby.leave(waiting),
            abort=lambda: _abort(request),
        ).run()
    finally:
        service.lobby.leave(waiting)
        service.sockets.discard(socket)
    return socket


def _abort(request: web.Request) -> None:
    if isinstance(request.transport, asyncio.Transport):
        request.transport.abort()


def _takes_gzip(request: web.Request) -> bool:
    """Whether a client names the encoding, and not to refuse it (RFC 9110 section 12.5.3)."""
    offers = request.headers.get("Accept-Encoding", "").lower().replace(" ", "").split(",")
    return any(re.fullmatch(r"gzip(;q=(1.*|0\.0*[1-9]\d*))?", one) for one in offers)


async def _page(request: web.Request) -> web.Response:
    name = request.match_info.get("name", INDEX)
    page = request.app[_SERVICE].pages.get(name)
    if page is None:
        raise web.HTTPNotFound(text="There is nothing here.\n")
    response = web.Response(body=page.body, content_type=page.content_type, charset="utf-8")
    response.etag = page.etag
    response.headers.update({"Cache-Control": "no-cache", "Vary": "Accept-Encoding"})
    if _takes_gzip(request):
        # Another encoding is another representation (RFC 9110 section 8.8.3.3).
        response.body, response.etag = page.packed, f"{page.etag}-gzip"
        response.headers["Content-Encoding"] = "gzip"
    if response.etag is not None and f'"{response.etag.value}"' in request.headers.get(
        "If-None-Match", ""
    ):
        response.set_status(304)
        response.body = None
    return response

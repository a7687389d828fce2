"""What stands before every endpoint: host, origin, size of a flood, and the form of what comes out.

Cross-origin rules are those of the Fetch standard (fetch.spec.whatwg.org, section 3.3). There are
no cookies, so that a page can do nothing for its user that it has no key for.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus

from aiohttp import hdrs, web

from signaling.auth import host_allowed, origin_allowed
from signaling.config import SignalingConfig
from signaling.connected import is_gone
from signaling.gate import ApiError, Visitor, refusal, too_much
from signaling.limits import LimitReached
from signaling.pages import CLIENT, CLIENT_HEADERS, SECURITY_HEADERS
from signaling.principal import AccessRefused
from signaling.sessions import RoomElsewhere

logger = logging.getLogger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

METHODS = "GET, HEAD, POST, PATCH, DELETE, OPTIONS"
EXPOSED = (
    "Location, ETag, Link, Accept-Patch, Retry-After, WWW-Authenticate, Content-Disposition, "
    "VoicePeer-Notes"
)
"""Headers that a page of another origin may read."""

PREFLIGHT_MAX_AGE_S = 7_200
"""What Chromium caches at most."""

API = ("/v1/", "/api/", "/sessions/", "/start", "/whip/", "/whep/", "/metrics", "/ws")
"""How paths begin that are counted, and answered in the form of the API."""

_SAFE = frozenset({hdrs.METH_GET, hdrs.METH_HEAD, hdrs.METH_OPTIONS})
_HEADER_NAMES = re.compile(r"[A-Za-z0-9_, -]{1,1000}")
_CODES = {
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    415: "unsupported_media_type",
}
_BEGUN = web.RequestKey("_BEGUN", bool)


def install(app: web.Application, config: SignalingConfig) -> None:
    """Put the guard before everything that ``app`` serves; it needs ``GATE`` in it."""
    app.middlewares.append(_middleware(config))
    app.on_response_prepare.append(_headers(config))


def _middleware(config: SignalingConfig) -> Callable[..., Awaitable[web.StreamResponse]]:
    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        named = request.headers.get(hdrs.HOST)
        if config.is_open and not host_allowed(named, config.allowed_origins):
            return web.Response(
                status=HTTPStatus.MISDIRECTED_REQUEST,
                text="This service answers to localhost only: set an API key or allowed origins.\n",
            )
        try:
            _check_origin(request, config)
            _count(request)
            if _is_preflight(request):
                return _preflight(request)
            return await _in_time(request, handler, config.body_timeout_s)
        except (AccessRefused, LimitReached, RoomElsewhere, web.HTTPException) as error:
            raise _told(request, error) from error
        except Exception as error:  # the edge of a request: one client's, not the service's end
            if isinstance(error, ConnectionError) and is_gone(request):
                logger.info("%s %s: the client has gone", request.method, _route(request))
                return web.Response(status=499, reason="Client Closed Request")
            if _BEGUN in request:
                raise
            logger.exception("%s %s failed", request.method, _route(request))
            raise _told(request, web.HTTPInternalServerError()) from error

    return guard


def _route(request: web.Request) -> str:
    """The path as it was registered: the real one may hold what is not for the log."""
    resource = request.match_info.route.resource
    return resource.canonical if resource is not None else "unknown path"


def _is_api(request: web.Request) -> bool:
    # Paths with too many slashes lead nowhere, but who sends them means the API.
    return f"/{request.path.lstrip('/')}".startswith(API)


def _host(request: web.Request) -> str:
    return request.headers.get(hdrs.HOST, "")


def _is_foreign(request: web.Request, config: SignalingConfig) -> bool:
    origin = request.headers.get(hdrs.ORIGIN)
    return not origin_allowed(origin, _host(request), config.allowed_origins)


def _check_origin(request: web.Request, config: SignalingConfig) -> None:
    """Let no page of elsewhere change anything; what it may only read, the browser hides from it.

    Raises:
        ApiError: 403 ``origin_not_allowed``.
    """
    if (request.method not in _SAFE or _is_preflight(request)) and _is_foreign(request, config):
        raise ApiError(
            403,
            "origin_not_allowed",
            "pages of this origin may not use this service: the operator can allow it "
            "(server.allowed_origins)",
        )


def _count(request: web.Request) -> None:
    if _is_api(request):
        visitor = Visitor.of(request)
        visitor.gate.spend("requests", (visitor.address_name,), 1)


# --- in ---------------------------------------------------------------------------------------


async def _in_time(
    request: web.Request, handler: Handler, body_timeout_s: float
) -> web.StreamResponse:
    """Handle a request whose body has to come in time; what is done with it then may take longer.

    Raises:
        ApiError: 408.
    """
    try:
        async with asyncio.timeout(body_timeout_s) as deadline:
            request.content.on_eof(lambda: _lift(deadline))
            return await handler(request)
    except TimeoutError:
        if not deadline.expired():
            raise
        raise ApiError(
            408,
            "timeout",
            f"the body did not come within {body_timeout_s:.0f} s: send it faster, or less of it",
            headers={hdrs.CONNECTION: "close"},
        ) from None


def _lift(deadline: asyncio.Timeout) -> None:
    # It may be over: an answer may come before the end of the body that it answers.
    with suppress(RuntimeError):
        deadline.reschedule(None)


# --- out --------------------------------------------------------------------------------------


def _told(request: web.Request, error: Exception) -> web.HTTPException:
    """What goes out for an error: under the paths of the API always in the form of the API."""
    match error:
        case AccessRefused():
            return refusal(error)
        case LimitReached():
            return too_much(error)
        case RoomElsewhere(url=url):
            # The method and the body stay as they are (RFC 9110 section 15.4.8).
            location = url.rstrip("/") + request.path_qs
            return ApiError(307, error.code, str(error), headers={hdrs.LOCATION: location})
        case web.HTTPException():
            return in_our_form(error) if _is_api(request) else error
        case _:
            raise error


def in_our_form(error: web.HTTPException) -> web.HTTPException:
    """What aiohttp answers by itself, in the form of the API."""
    status = error.status
    if status < 400 or isinstance(error, ApiError):
        return error
    headers = {
        name: value
        for name, value in error.headers.items()
        if name not in (hdrs.CONTENT_TYPE, hdrs.CONTENT_LENGTH)
    }
    code = _CODES.get(status, "internal" if status >= 500 else "bad_request")
    return ApiError(status, code, _MESSAGES.get(status, error.reason), headers=headers)


_MESSAGES = {
    404: "there is nothing here: check the path",
    405: "this path does not take that method: see the Allow header",
    413: "the body is too large",
    500: "a defect of the service, see its log",
}


def _headers(
    config: SignalingConfig,
) -> Callable[[web.Request, web.StreamResponse], Awaitable[None]]:
    async def add(request: web.Request, response: web.StreamResponse) -> None:
        request[_BEGUN] = True
        response.headers.update(SECURITY_HEADERS)
        if request.path == CLIENT:
            # The same for everybody, so that no cache has to keep one for each origin.
            response.headers.update(CLIENT_HEADERS)
            return
        origin = request.headers.get(hdrs.ORIGIN)
        if origin is None:
            return
        response.headers.add(hdrs.VARY, hdrs.ORIGIN)
        if not _is_foreign(request, config):
            response.headers[hdrs.ACCESS_CONTROL_ALLOW_ORIGIN] = origin
            response.headers[hdrs.ACCESS_CONTROL_EXPOSE_HEADERS] = EXPOSED

    return add


def _is_preflight(request: web.Request) -> bool:
    return (
        request.method == hdrs.METH_OPTIONS
        and hdrs.ORIGIN in request.headers
        and hdrs.ACCESS_CONTROL_REQUEST_METHOD in request.headers
    )


def _preflight(request: web.Request) -> web.Response:
    wanted = request.headers.get(hdrs.ACCESS_CONTROL_REQUEST_HEADERS, "")
    headers = {
        hdrs.ACCESS_CONTROL_ALLOW_METHODS: METHODS,
        hdrs.ACCESS_CONTROL_MAX_AGE: str(PREFLIGHT_MAX_AGE_S),
    }
    if _HEADER_NAMES.fullmatch(wanted):
        headers[hdrs.ACCESS_CONTROL_ALLOW_HEADERS] = wanted
    return web.Response(status=HTTPStatus.NO_CONTENT, headers=headers)

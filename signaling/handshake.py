"""How WebSockets are opened: answers are in our form, and the log has nothing of what was offered.

Pages can send no header with a handshake, so that some put their token among the subprotocols, also
where nobody takes it from there.
"""

from __future__ import annotations

import logging

from aiohttp import hdrs, web
from aiohttp.log import ws_logger

from signaling.gate import ApiError

BEARER = "bearer."
"""Before a token among the subprotocols."""

# Its only message quotes what was offered.
ws_logger.setLevel(logging.ERROR)


def offered_protocols(request: web.Request) -> list[str]:
    """The subprotocols that a client offers (RFC 6455 section 11.3.4), of all such headers."""
    lists = request.headers.getall(hdrs.SEC_WEBSOCKET_PROTOCOL, [])
    return [name for one in lists for part in one.split(",") if (name := part.strip())]


def offered_token(request: web.Request) -> str | None:
    """The first token among the subprotocols."""
    names = offered_protocols(request)
    return next((one.removeprefix(BEARER) for one in names if one.startswith(BEARER)), None)


async def open_socket(
    request: web.Request,
    *,
    max_bytes: int,
    heartbeat_s: float | None,
    close_timeout_s: float,
    protocol: str | None = None,
) -> web.WebSocketResponse:
    """Open the socket that a request asks for; ``protocol`` is the subprotocol that is spoken.

    Raises:
        ApiError: 400, it is no handshake, or offers a token and no subprotocol.
    """
    names = offered_protocols(request)
    if names and all(one.startswith(BEARER) for one in names):
        # A browser would end a connection of which none was chosen, and say nothing of why.
        advice = "send the token in the first message" if protocol is None else f"add {protocol!r}"
        raise ApiError(400, "bad_request", f"a token alone is no subprotocol: {advice}")
    # Twice the limit, so that a message somewhat too large gets an answer instead of a cut.
    socket = web.WebSocketResponse(
        timeout=close_timeout_s,
        heartbeat=heartbeat_s,
        protocols=() if protocol is None else (protocol,),
        max_msg_size=2 * max_bytes,
        compress=False,
    )
    try:
        await socket.prepare(request)
    except (ValueError, web.HTTPBadRequest) as error:
        # aiohttp decodes the key without a look at its characters, and quotes it.
        raise ApiError(400, "bad_request", "this is no WebSocket handshake") from error
    return socket

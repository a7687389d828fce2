"""WHIP (RFC 9725) to publish a microphone, WHEP (draft-ietf-wish-whep-03) to listen to a room.

Each is one-way: the answer to a publisher only receives, that to a listener only sends. ICE is
trickled, but not restarted.
"""

from __future__ import annotations

from dataclasses import replace

from aiohttp import web

from signaling.call_routes import CALLER, ERRORS, IF_MATCH, OPENED, TEXT
from signaling.gate import ApiError, principal_of, require, require_any
from signaling.http_calls import (
    HTTP_CALLS,
    SDP,
    HttpCall,
    created,
    read_sdp,
    take_fragment,
    wanted,
)
from signaling.links import add_links
from signaling.openapi import Answer, Content, Parameter, operation
from signaling.principal import Principal
from signaling.sdpfrag import MEDIA_TYPE as FRAGMENT
from signaling.sessions import RIGHTS, Purpose

TAG = "WHIP and WHEP"
CONSENT = Parameter(
    "consent",
    "query",
    {"type": "string", "maxLength": 500},  # a request line has at most 8 kB, encoded
    "The speaker's statement of consent; with it their voice is learned from what they say.",
)
CONSENT_ID = Parameter(
    "consent_id",
    "query",
    {"type": "string", "maxLength": 64},
    "The same by a consent of `/v1/audio/voice_consents`.",
)

_METHODS = {"endpoint": "OPTIONS, GET, HEAD, POST", "session": "OPTIONS, GET, HEAD, PATCH, DELETE"}


def add_routes(app: web.Application) -> None:
    """Serve both; the application has ``HTTP_CALLS``."""
    for endpoint, post in (("/whip/{room}", publish), ("/whep/{room}", listen)):
        session = f"{endpoint}/{{session_id}}"
        app.router.add_post(endpoint, post)
        app.router.add_get(endpoint, look_at_endpoint)
        app.router.add_options(endpoint, options_of_endpoint)
        app.router.add_patch(session, trickle)
        app.router.add_delete(session, end)
        app.router.add_get(session, look_at_session)
        app.router.add_options(session, options_of_session)


@operation(
    "Publish a microphone (WHIP)",
    tag=TAG,
    answers={201: OPENED},
    body=(Content(SDP, TEXT),),
    parameters=(CALLER, CONSENT, CONSENT_ID),
    errors=ERRORS,
)
async def publish(request: web.Request) -> web.Response:
    """Send an offer with one `sendonly` audio section; the answer is `recvonly`.

    406 tells of more or other sections, because an answer that took a part of them would mislead.
    """
    require(request, "enrol")
    return await _open(request)


@operation(
    "Listen to a room (WHEP)",
    tag=TAG,
    answers={201: OPENED},
    body=(Content(SDP, TEXT),),
    parameters=(CALLER,),
    errors=ERRORS,
)
async def listen(request: web.Request) -> web.Response:
    """Send an offer with a `recvonly` audio section; the answer is `sendonly`.

    What all sessions of the room say is heard at once, also of those that come later; until then
    there is silence. Other sections are rejected one by one.
    """
    require(request, "listen")
    return await _open(request)


async def _open(request: web.Request) -> web.Response:
    calls, query = request.app[HTTP_CALLS], request.query
    asked = replace(
        await wanted(request, request.match_info["room"], query.get("name", "")),
        purpose=_purpose(request),
        consent=query.get("consent"),
        consent_id=query.get("consent_id"),
    )
    call, answer = await calls.open(asked, await read_sdp(request))
    location = f"{request.path}/{call.call_id}"
    return created(call, answer, location, await calls.ice_servers_of(call))


@operation(
    "Add ICE candidates",
    tag=TAG,
    answers={204: Answer("They were taken.")},
    body=(Content(FRAGMENT, TEXT),),
    parameters=(IF_MATCH,),
    errors=(400, 404, 412, 413, 415, 422, 428),
)
async def trickle(request: web.Request) -> web.Response:
    """If-Match has the ETag of the session; with `*`, an ICE restart, it is refused with 422."""
    call = request.app[HTTP_CALLS].find_to_change(*_asked(request))
    return await take_fragment(request, _here(request, call), needs_tag=True)


@operation("End a session", tag=TAG, answers={200: Answer("It has ended.")}, errors=(404,))
async def end(request: web.Request) -> web.Response:
    """An If-Match is ignored: there is only one ICE session to end."""
    calls = request.app[HTTP_CALLS]
    await calls.hang_up(_here(request, calls.find_to_end(*_asked(request))))
    return web.Response()


@operation(
    "See that there is an endpoint", tag=TAG, answers={204: Answer("There is nothing to show.")}
)
async def look_at_endpoint(request: web.Request) -> web.Response:
    """An endpoint has no representation; this is for those who probe for one."""
    principal_of(request)
    return web.Response(status=204)


@operation("See that a session lives", tag=TAG, answers={204: Answer("It does.")}, errors=(404,))
async def look_at_session(request: web.Request) -> web.Response:
    """A session has no representation here; `/v1/realtime/calls/{call_id}` has one."""
    _here(request, request.app[HTTP_CALLS].find(*_asked(request)))
    return web.Response(status=204)


async def options_of_endpoint(request: web.Request) -> web.Response:
    """What can be done, and to those with a key also the ICE servers (RFC 9725 section 4.6)."""
    response = _options("endpoint")
    response.headers["Accept-Post"] = SDP
    if "Authorization" in request.headers:
        principal = require_any(request, RIGHTS[_purpose(request)])
        servers = await request.app[HTTP_CALLS].relays.for_principal(principal)
        add_links(response.headers, servers)
    return response


async def options_of_session(_request: web.Request) -> web.Response:
    """What can be done with any session; says nothing of whether there is one."""
    response = _options("session")
    response.headers["Accept-Patch"] = FRAGMENT
    return response


def _options(of: str) -> web.Response:
    # Clients take PATCH in the second of these as a sign that candidates may be trickled. Sessions
    # take it, so it stands there for endpoints, too.
    methods = "OPTIONS, GET, HEAD, POST, PATCH, DELETE"
    return web.Response(headers={"Allow": _METHODS[of], "Access-Control-Allow-Methods": methods})


def _purpose(request: web.Request) -> Purpose:
    return "publish" if request.path.startswith("/whip/") else "listen"


def _asked(request: web.Request) -> tuple[Principal, str, Purpose]:
    return principal_of(request), request.match_info["session_id"], _purpose(request)


def _here(request: web.Request, found: HttpCall) -> HttpCall:
    if found.live.participant.room != request.match_info["room"]:
        raise ApiError(404, "not_found", "there is no such session in this room")
    return found

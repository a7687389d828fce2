"""``/v1/realtime/calls``: calls in the form of OpenAI's Realtime API, and the ICE servers for them.

An offer comes as ``application/sdp``, or in a form with ``sdp`` and ``session``; the call is then
steered over its data channel, and ended here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import msgspec
from aiohttp import web
from msgspec import Meta

from signaling.answers import json_answer
from signaling.bodies import checked, media_type, missing, read_form
from signaling.gate import principal_of, require_any
from signaling.http_calls import (
    HTTP_CALLS,
    SDP,
    as_text,
    created,
    going_on,
    read_sdp,
    take_fragment,
    wanted,
)
from signaling.links import add_links
from signaling.messages import MAX_SDP_CHARS
from signaling.openapi import Answer, Content, Parameter, json_content, operation
from signaling.principal import Principal
from signaling.rooms import MAX_NAME_CHARS
from signaling.sdpfrag import MEDIA_TYPE as FRAGMENT
from signaling.sessions import RIGHTS

TAG = "calls"
ROOT = "/v1/realtime/calls"
ERRORS = (307, 400, 404, 406, 409, 413, 415, 503)

NAME = {"type": "string", "maxLength": MAX_NAME_CHARS}
ROOM = Parameter("room", "query", NAME, "The room that the call is in; `default` where not given.")
CALLER = Parameter("name", "query", NAME, "What the caller is called, for people.")
RESUME = Parameter(
    "resume",
    "query",
    {"type": "string", "maxLength": 64},
    "An earlier call of the same owner, to go on where it is or was: in its room, with its voice, "
    "its settings and what it had to say.",
)
OPENED_HEADERS = {
    "Location": "Address of this session, for PATCH and DELETE.",
    "ETag": "Names the ICE session, for If-Match.",
    "Accept-Patch": FRAGMENT,
    "Link": 'One for each STUN or TURN server: rel="ice-server", with credentials.',
}
TEXT = {"type": "string"}
OPENED = Answer("The answer to the offer.", (Content(SDP, TEXT),), OPENED_HEADERS)
IF_MATCH = Parameter("If-Match", "header", {"type": "string"}, "The ETag of the session.")


class CallOutput(msgspec.Struct, frozen=True):
    """How the call's voice speaks."""

    voice: str | dict[str, str] | None = None
    """Its name or id, or an object with its ``id``."""
    speed: Annotated[float, Meta(ge=0.25, le=4.0)] | None = None


class CallAudio(msgspec.Struct, frozen=True):
    """Audio settings of a call; only those of the output mean anything here."""

    output: CallOutput = CallOutput()


class CallSession(msgspec.Struct, frozen=True):
    """OpenAI's session object, as far as it applies: there is no model that answers by itself.

    What is not named here, such as ``instructions``, is ignored.
    """

    type: str = "realtime"
    audio: CallAudio = CallAudio()
    voice: str | None = None

    @property
    def voice_id(self) -> str | None:
        """The voice that is asked for."""
        voice = self.audio.output.voice or self.voice
        return voice.get("id") if isinstance(voice, dict) else voice


class CallState(msgspec.Struct, frozen=True):
    """What is known of a call."""

    id: str
    room: str
    purpose: str
    connected: bool
    voice_id: str | None = None
    """The voice it speaks with, for example the one that its microphone has become."""
    object: str = "realtime.call"


class IceServers(msgspec.Struct, frozen=True):
    """What a client may connect through, in the form of ``RTCConfiguration.iceServers``."""

    ice_servers: list[dict[str, str | list[str]]]


def add_routes(app: web.Application) -> None:
    """Serve calls; the application has ``HTTP_CALLS``."""
    app.router.add_get("/v1/realtime/ice-servers", ice_servers)
    app.router.add_post(ROOT, create_call)
    app.router.add_get(f"{ROOT}/{{call_id}}", get_call)
    app.router.add_patch(f"{ROOT}/{{call_id}}", trickle_call)
    app.router.add_delete(f"{ROOT}/{{call_id}}", end_call)
    app.router.add_post(f"{ROOT}/{{call_id}}/hangup", hang_up_call)


@operation(
    "Open a call",
    tag=TAG,
    answers={201: OPENED},
    body=(
        Content(SDP, TEXT),
        Content(
            "multipart/form-data",
            {
                "type": "object",
                "required": ["sdp"],
                "properties": {"sdp": TEXT, "session": {"type": "string"}},
            },
        ),
    ),
    parameters=(ROOM, CALLER, RESUME),
    errors=ERRORS,
)
async def create_call(request: web.Request) -> web.Response:
    """Send an offer with a data channel and, to speak and be heard, one audio section.

    In a form, `session` is JSON like OpenAI's session object; its voice and speed are used.
    """
    calls = request.app[HTTP_CALLS]
    past = calls.past(principal_of(request), request.query.get("resume", ""))
    if past is None:
        asked = await wanted(request, request.query.get("room"), request.query.get("name", ""))
    else:
        asked = await going_on(request, past)
    offer, session = await _read_offer(request)
    asked = replace(asked, voice=session.voice_id, speed=session.audio.output.speed)
    call, answer = await calls.open(asked, offer)
    return created(call, answer, f"{ROOT}/{call.call_id}", await calls.ice_servers_of(call))


async def _read_offer(request: web.Request) -> tuple[str, CallSession]:
    if media_type(request) != "multipart/form-data":
        return await read_sdp(request), CallSession()
    form = await read_form(request, 4 * MAX_SDP_CHARS, max_field_bytes=4 * MAX_SDP_CHARS)
    fields = {name: as_text(file.data) for name, file in form.files.items()} | dict(form.fields)
    if not fields.get("sdp"):
        raise missing("sdp")
    session = fields.get("session")
    return fields["sdp"], checked(session.encode(), CallSession) if session else CallSession()


@operation(
    "Tell how a call is", tag=TAG, answers={200: Answer("", json_content(CallState))}, errors=(404,)
)
async def get_call(request: web.Request) -> web.Response:
    """Also for sessions that were opened by WHIP, WHEP or `/api/offer`."""
    call = request.app[HTTP_CALLS].find(*_asked(request))
    live = call.live
    state = CallState(
        call.call_id,
        live.participant.room,
        call.purpose,
        live.handle.connected,
        live.handle.voice_id,
    )
    return json_answer(state)


@operation(
    "Add ICE candidates",
    tag=TAG,
    answers={204: Answer("They were taken.")},
    body=(Content(FRAGMENT, TEXT),),
    parameters=(IF_MATCH,),
    errors=(400, 404, 412, 413, 415, 422),
)
async def trickle_call(request: web.Request) -> web.Response:
    """Trickle candidates as an SDP fragment (RFC 8840)."""
    call = request.app[HTTP_CALLS].find_to_change(*_asked(request))
    return await take_fragment(request, call, needs_tag=False)


@operation("End a call", tag=TAG, answers={200: Answer("It has ended.")}, errors=(404,))
async def end_call(request: web.Request) -> web.Response:
    """Frees everything of it; its client sees the connection close."""
    calls = request.app[HTTP_CALLS]
    await calls.hang_up(calls.find_to_end(*_asked(request)))
    return web.Response()


@operation("Hang up", tag=TAG, answers={200: Answer("It has ended.")}, errors=(404,))
async def hang_up_call(request: web.Request) -> web.Response:
    """The same as DELETE, as OpenAI's clients do it."""
    calls = request.app[HTTP_CALLS]
    await calls.hang_up(calls.find_to_end(*_asked(request)))
    return web.Response()


@operation(
    "Get ICE servers",
    tag=TAG,
    answers={
        200: Answer("", json_content(IceServers), {"Link": "The same, as of RFC 9725."}),
    },
)
async def ice_servers(request: web.Request) -> web.Response:
    """STUN and TURN servers with credentials that are good for a while."""
    principal = require_any(request, RIGHTS["call"])
    servers = await request.app[HTTP_CALLS].relays.for_principal(principal)
    response = json_answer(IceServers(servers))
    add_links(response.headers, servers)
    response.headers["Cache-Control"] = "no-store"
    return response


def _asked(request: web.Request) -> tuple[Principal, str]:
    return principal_of(request), request.match_info["call_id"]

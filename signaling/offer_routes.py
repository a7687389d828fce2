"""``/api/offer`` and ``/start``: how clients of Pipecat's SmallWebRTC transport connect.

Offers and candidates are JSON. A client that has lost its connection sends an offer of a new one
with the old one's ``pc_id``: that is a new session here, which goes on where the old one was.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Any

import msgspec
from aiohttp import web

from signaling.answers import json_answer
from signaling.bodies import converted, read_json
from signaling.call_routes import ERRORS
from signaling.gate import ApiError, principal_of, require_any
from signaling.http_calls import HTTP_CALLS, HttpCall, Past, going_on, wanted
from signaling.openapi import Answer, json_content, operation
from signaling.sdpfrag import MAX_CANDIDATES, Trickled
from signaling.sessions import RIGHTS, SessionRequest

TAG = "SmallWebRTC"


class RequestData(msgspec.Struct, frozen=True):
    """What an application may add to its offer; other fields are ignored."""

    room: str | None = None
    name: str = ""
    voice: str | None = None


class SmallOffer(msgspec.Struct, frozen=True):
    """An offer, for a new connection or for the one of ``pc_id``."""

    sdp: str
    type: str
    pc_id: str | None = None
    restart_pc: bool | None = None
    """The client has made a new connection, in place of the one of ``pc_id``."""
    request_data: Any = None
    requestData: Any = None  # noqa: N815 - both spellings are in use

    @property
    def data(self) -> object:
        """The application's own data."""
        return self.request_data if self.request_data is not None else self.requestData


class SmallAnswer(msgspec.Struct, frozen=True):
    """The answer to an offer."""

    sdp: str
    pc_id: str
    type: str = "answer"


class SmallCandidate(msgspec.Struct, frozen=True):
    """One candidate, with its fields in either spelling; an empty one ends them."""

    candidate: str | None = None
    sdp_mid: str | None = None
    sdp_mline_index: int | None = None
    sdpMid: str | None = None  # noqa: N815 - RTCIceCandidate.toJSON() has these
    sdpMLineIndex: int | None = None  # noqa: N815

    @property
    def trickled(self) -> Trickled:
        """The same in our form."""
        mid = self.sdp_mid if self.sdp_mid is not None else self.sdpMid
        index = self.sdp_mline_index if self.sdp_mline_index is not None else self.sdpMLineIndex
        return Trickled(self.candidate or "", mid, index)


class SmallCandidates(msgspec.Struct, frozen=True):
    """Candidates of one connection."""

    pc_id: str
    candidates: list[SmallCandidate]


class Done(msgspec.Struct, frozen=True):
    """It was done."""

    status: str = "success"


class Started(msgspec.Struct, frozen=True):
    """Where to send the offer, and what to connect through."""

    session_id: str = msgspec.field(name="sessionId")
    ice_config: dict[str, list[dict[str, str | list[str]]]] = msgspec.field(name="iceConfig")


def add_routes(app: web.Application) -> None:
    """Serve them; the application has ``HTTP_CALLS``."""
    app.router.add_post("/start", start)
    app.router.add_post("/api/offer", offer)
    app.router.add_patch("/api/offer", trickle)
    app.router.add_post("/sessions/{session_id}/api/offer", offer)
    app.router.add_patch("/sessions/{session_id}/api/offer", trickle)


@operation(
    "Get ready for a call",
    tag=TAG,
    answers={200: Answer("", json_content(Started))},
)
async def start(request: web.Request) -> web.Response:
    """Nothing is started yet: the call begins with the offer. The body is ignored."""
    principal = require_any(request, RIGHTS["call"])
    servers = await request.app[HTTP_CALLS].relays.for_principal(principal)
    return json_answer(Started(secrets.token_hex(16), {"iceServers": servers}))


@operation(
    "Offer a connection",
    tag=TAG,
    answers={200: Answer("", json_content(SmallAnswer))},
    body=json_content(SmallOffer),
    errors=ERRORS,
)
async def offer(request: web.Request) -> web.Response:
    """With the `pc_id` of a call this is a later offer of it, or else a new call."""
    calls = request.app[HTTP_CALLS]
    principal = principal_of(request)
    offered = await read_json(request, SmallOffer)
    if offered.type != "offer":
        raise ApiError(400, "bad_sdp", "this is no offer, but only offers are answered")
    past = calls.past(principal, offered.pc_id) if offered.pc_id else None
    if past is not None and not offered.restart_pc:
        try:
            earlier = calls.find_to_change(principal, offered.pc_id or "", "call")
            return _answered(earlier, await calls.answer(earlier, offered.sdp))
        except ApiError as error:
            if error.code not in ("new_connection", "not_found"):
                raise
    call, answer = await calls.open(await _wanted(request, offered, past), offered.sdp)
    return _answered(call, answer)


async def _wanted(request: web.Request, offered: SmallOffer, past: Past | None) -> SessionRequest:
    given = offered.data if isinstance(offered.data, dict) else {}
    data = converted(given, RequestData)
    if past is None:
        return replace(await wanted(request, data.room, data.name), voice=data.voice)
    # The voice that is in use by now, rather than the one that the application began with.
    return replace(await going_on(request, past), first_voice=data.voice)


def _answered(call: HttpCall, answer: str) -> web.Response:
    return json_answer(SmallAnswer(answer, call.call_id))


@operation(
    "Trickle candidates",
    tag=TAG,
    answers={200: Answer("They were taken.", json_content(Done))},
    body=json_content(SmallCandidates),
    errors=(400, 404, 413, 415),
)
async def trickle(request: web.Request) -> web.Response:
    """Candidates of the call of `pc_id`."""
    calls = request.app[HTTP_CALLS]
    principal = principal_of(request)
    given = await read_json(request, SmallCandidates)
    call = calls.find_to_change(principal, given.pc_id, "call")
    await calls.trickle(call, [one.trickled for one in given.candidates[:MAX_CANDIDATES]])
    return json_answer(Done())

"""``/v1/admin``: what is going on now, for whoever has the right to manage."""

from __future__ import annotations

import msgspec
from aiohttp import web

from signaling.answers import json_answer
from signaling.gate import ApiError, require
from signaling.health_routes import HEALTH
from signaling.openapi import Answer, Parameter, json_content, operation
from signaling.principal import Principal
from signaling.registry import REGISTRY, LiveSession

PATH = "/v1/admin/sessions"
LOAD_PATH = "/v1/admin/degradation"
ENDED = "ended_by_operator"


class AdminSession(msgspec.Struct, frozen=True):
    """A live session; nothing of what is said or heard in it."""

    id: str
    room: str
    name: str
    """As its client calls itself."""
    key_id: str
    subject: str
    purpose: str
    connected: bool
    created_at: int
    """Unix time."""
    voice_id: str | None = None
    object: str = "admin.session"


class AdminSessions(msgspec.Struct, frozen=True):
    """All of them that you may see, the oldest first."""

    data: list[AdminSession]
    object: str = "list"


class AdminDegradation(msgspec.Struct, frozen=True):
    """What the service does with less at present, because there is too much to do."""

    step: int
    """How many steps are in effect; 0 is none."""
    steps: list[str]
    severities: dict[str, float]
    """By cause: 1 is at its limit."""
    baseline_ms: float
    """First audible latency of one utterance alone, as measured at start; 0 is not known."""
    refuses_sessions: bool
    object: str = "admin.degradation"


def add_routes(app: web.Application) -> None:
    """Serve the view; the application has ``REGISTRY``, ``GATE`` and ``HEALTH``."""
    app.router.add_get(LOAD_PATH, show_degradation)
    app.router.add_get(PATH, list_sessions)
    app.router.add_delete(f"{PATH}/{{session_id}}", end_session)


@operation(
    "How much the service makes do with less",
    tag="admin",
    answers={200: Answer("", json_content(AdminDegradation))},
)
async def show_degradation(request: web.Request) -> web.Response:
    """Of the whole service, whoever asks. A token that is bound to a room is refused."""
    require(request, "manage").need_everything()
    load = request.app[HEALTH].readiness().load
    return json_answer(
        AdminDegradation(
            len(load.steps), [*load.steps], {**load.severities}, load.baseline_ms, load.refuses
        )
    )


@operation(
    "List live sessions",
    tag="admin",
    answers={200: Answer("", json_content(AdminSessions))},
    parameters=(Parameter("room", "query", {"type": "string"}, "Only those in this room."),),
)
async def list_sessions(request: web.Request) -> web.Response:
    """Those of your key, however they were opened: sessions of other keys are not to be seen."""
    principal, room = require(request, "manage"), request.query.get("room")
    seen = [
        _shown(live)
        for live in _own(request, principal)
        if room is None or live.participant.room == room
    ]
    return json_answer(AdminSessions(seen))


@operation(
    "End a live session",
    tag="admin",
    answers={204: Answer("It has ended.")},
    errors=(404,),
)
async def end_session(request: web.Request) -> web.Response:
    """Its client is told `ended_by_operator`; nothing of it goes over into another session."""
    principal, wanted = require(request, "manage"), request.match_info["session_id"]
    for live in _own(request, principal):
        if live.handle.session_id == wanted:
            await request.app[REGISTRY].close(live, ENDED)
            return web.Response(status=204)
    raise ApiError(404, "not_found", "there is no such session: it has ended, or never was")


def _own(request: web.Request, principal: Principal) -> list[LiveSession]:
    return [
        live
        for live in request.app[REGISTRY].sessions
        if principal.sees(live.participant.owner, live.participant.room)
    ]


def _shown(live: LiveSession) -> AdminSession:
    asked = live.request
    return AdminSession(
        live.handle.session_id,
        asked.room,
        asked.name,
        asked.principal.key_id,
        asked.principal.subject,
        asked.purpose,
        live.handle.connected,
        int(live.opened_s),
        live.handle.voice_id,
    )

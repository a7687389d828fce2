"""How the service is: alive, ready for sessions, and its figures."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import msgspec
from aiohttp import web

from signaling.answers import json_answer
from signaling.config import Readiness
from signaling.gate import require
from signaling.openapi import Answer, Content, json_content, operation
from signaling.registry import SessionRegistry

METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Alive(msgspec.Struct, frozen=True):
    """The process answers."""

    status: str = "ok"


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions can be opened."""

    sessions: int
    max_sessions: int
    degraded: list[str] = []
    """What is done with less, because there is too much to do."""
    notes: list[str] = []
    """What else does not work at present, for a person."""
    status: str = "ready"


class Unready(msgspec.Struct, frozen=True):
    """Not now; ``status`` is a code, ``reason`` for a person."""

    status: str
    reason: str


@dataclass(frozen=True, slots=True)
class Health:
    """Where the answers come from."""

    registry: SessionRegistry
    max_sessions: int
    readiness: Callable[[], Readiness]
    metrics_text: Callable[[], bytes | Awaitable[bytes]]


HEALTH = web.AppKey("HEALTH", Health)


def add_routes(app: web.Application, health: Health) -> None:
    """Serve health and figures."""
    app[HEALTH] = health
    app.router.add_get("/healthz", healthz)
    app.router.add_get("/readyz", readyz)
    app.router.add_get("/metrics", metrics)


@operation(
    "Whether the process answers",
    tag="service",
    answers={200: Answer("It does", json_content(Alive))},
    secured=False,
)
async def healthz(request: web.Request) -> web.Response:
    """For whoever restarts what hangs."""
    return json_answer(Alive())


@operation(
    "Whether sessions can be opened",
    tag="service",
    answers={
        200: Answer("They can", json_content(Ready)),
        503: Answer("Not now", json_content(Unready), {"Retry-After": "seconds"}),
    },
    secured=False,
)
async def readyz(request: web.Request) -> web.Response:
    """For load balancers: not ready while models load, when full, when shutting down, and when
    there is so much to do that new sessions are refused."""
    health = request.app[HEALTH]
    state = health.readiness()
    if not state.ready:
        return _unready(state.code, state.reason, state.retry_after_s)
    if len(health.registry) >= health.max_sessions:
        return _unready("at_capacity", "all places are taken", state.retry_after_s)
    if state.load.refuses:
        return _unready("at_capacity", "there is too much to do", state.retry_after_s)
    return json_answer(
        Ready(
            sessions=len(health.registry),
            max_sessions=health.max_sessions,
            degraded=[*state.load.steps],
            notes=[*state.notes],
        )
    )


def _unready(code: str, reason: str, retry_after_s: int) -> web.Response:
    answer = json_answer(Unready(code, reason), 503)
    answer.headers["Retry-After"] = str(retry_after_s)
    return answer


@operation(
    "Figures",
    tag="service",
    answers={200: Answer("Prometheus text", (Content("text/plain", {"type": "string"}),))},
)
async def metrics(request: web.Request) -> web.Response:
    """Prometheus exposition format 0.0.4, of all keys together.

    A token that is bound to a room is refused.
    """
    require(request, "manage").need_everything()
    text = request.app[HEALTH].metrics_text()
    body = await text if inspect.isawaitable(text) else text
    return web.Response(body=body, headers={"Content-Type": METRICS_CONTENT_TYPE})

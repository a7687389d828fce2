"""``/v1/realtime/client_secrets``: what a server asks for so that its users' browsers may call."""

from __future__ import annotations

import secrets
import time
from typing import Annotated, Any, Literal

import msgspec
from aiohttp import web
from msgspec import Meta

from signaling.answers import json_answer
from signaling.bodies import MAX_JSON_BYTES, checked, read_body
from signaling.call_routes import CallSession
from signaling.client_secrets import DEFAULT_LIFE_S, MAX_LIFE_S, MIN_LIFE_S
from signaling.gate import GATE, allow, refusal, require
from signaling.openapi import Answer, json_content, operation
from signaling.principal import AccessRefused, Right
from signaling.rooms import MAX_NAME_CHARS
from signaling.tokens import MAX_SUBJECT_CHARS

PATH = "/v1/realtime/client_secrets"


class ExpiresAfter(msgspec.Struct, frozen=True):
    """How long a secret opens calls; one that is open goes on."""

    anchor: Literal["created_at"] = "created_at"
    seconds: Annotated[int, Meta(ge=MIN_LIFE_S, le=MAX_LIFE_S)] = DEFAULT_LIFE_S


class ClientSecretRequest(msgspec.Struct, frozen=True):
    """What the bearer may do. ``rights``, ``room`` and ``subject`` are our own additions."""

    expires_after: ExpiresAfter = ExpiresAfter()
    session: dict[str, Any] = {}
    """Comes back as it is; its voice is what the bearer's calls begin with."""
    rights: list[Right] | None = None
    """Those of a participant where not given: speak, listen and enrol, if you have them."""
    room: Annotated[str, Meta(max_length=MAX_NAME_CHARS)] | None = None
    subject: Annotated[str, Meta(max_length=MAX_SUBJECT_CHARS)] = ""
    """Who it is for: with the same subject they find the same voices again."""


class ClientSecret(msgspec.Struct, frozen=True):
    """A secret; who sends it as a bearer token is whom it was made for."""

    value: str
    expires_at: int
    """Unix time."""
    session: dict[str, Any]


def add_routes(app: web.Application) -> None:
    """Serve client secrets; the application has ``GATE``."""
    app.router.add_post(PATH, create_client_secret)


@operation(
    "Mint a client secret",
    tag="auth",
    answers={200: Answer("", json_content(ClientSecret))},
    body=json_content(ClientSecretRequest),
    body_required=False,
    errors=(400, 413),
)
async def create_client_secret(request: web.Request) -> web.Response:
    """Needs the right to manage. A secret has no right that its minter does not have."""
    minter = require(request, "manage")
    allow(request, minter, "sessions")
    raw = await read_body(request, MAX_JSON_BYTES)
    wanted = checked(raw, ClientSecretRequest) if raw else ClientSecretRequest()
    session = checked(msgspec.json.encode(wanted.session), CallSession)
    try:
        value, principal = request.app[GATE].access.client_secrets.mint(
            minter,
            time.time(),
            wanted.expires_after.seconds,
            wanted.rights,
            wanted.room,
            wanted.subject,
            session.voice_id,
        )
    except AccessRefused as error:
        raise refusal(error) from error
    shown = {"type": "realtime", **wanted.session} | {
        "object": "realtime.session",
        "id": f"sess_{secrets.token_hex(16)}",
    }
    return json_answer(ClientSecret(value, int(principal.expires_at_s or 0), shown))

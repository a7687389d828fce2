"""``/v1/audio/voice_consents``: who agreed to be cloned, in writing or in their own voice."""

from __future__ import annotations

from typing import Any

import msgspec
from aiohttp import web

from signaling.answers import json_answer
from signaling.audio_answers import (
    AUDIO,
    MAX_UPLOAD_BYTES,
    PAGING,
    answered,
    page,
)
from signaling.audio_messages import (
    NAME_SCHEMA,
    ConsentDeleted,
    ConsentList,
    ConsentObject,
    ConsentStatement,
    ConsentUpdate,
    LanguageTag,
)
from signaling.bodies import converted, media_type, read_form, read_json
from signaling.gate import allow, require
from signaling.openapi import BINARY, JSON, Answer, Content, json_content, operation
from signaling.places import UPLOADS
from signaling.voice_routes import checked_name

_FORM: dict[str, Any] = {
    "type": "object",
    "required": ["name", "recording", "language"],
    "properties": {
        "name": NAME_SCHEMA,
        "recording": {**BINARY, "description": "The speaker says the consent phrase"},
        "language": {"type": "string", "description": "BCP 47 tag of the phrase, as en-US"},
    },
}


class _Language(msgspec.Struct, frozen=True):
    language: LanguageTag


@operation(
    "Record a consent",
    tag="consents",
    body=(Content("multipart/form-data", _FORM), Content(JSON, ConsentStatement)),
    answers={200: Answer("The consent", json_content(ConsentObject))},
    errors=(400, 408, 413, 415, 422, 503),
)
async def create_voice_consent(request: web.Request) -> web.Response:
    """What has to be there before a voice is cloned: a statement, or a recording of the phrase.

    Of a recording, the voice is compared with what is cloned under it later.
    """
    principal = require(request, "clone")
    allow(request, principal, "clones")
    audio = request.app[AUDIO]
    if media_type(request) == JSON:
        statement = await read_json(request, ConsentStatement)
        return json_answer(await answered(audio.record_consent(principal, statement)))
    with request.app[UPLOADS].place(principal):
        form = await read_form(request, MAX_UPLOAD_BYTES)
        name = checked_name(form.text("name"))
        language = converted({"language": form.text("language")}, _Language).language
        work = audio.record_spoken_consent(principal, name, language, form.file("recording"))
        return json_answer(await answered(work))


@operation(
    "List consents",
    tag="consents",
    answers={200: Answer("A page of consents", json_content(ConsentList))},
    parameters=PAGING,
    errors=(400, 404, 503),
)
async def list_voice_consents(request: web.Request) -> web.Response:
    """Your own, the newest first."""
    principal = require(request, "clone")
    consents = await answered(request.app[AUDIO].consents(principal))
    return json_answer(ConsentList(**page(request, consents)))


@operation(
    "Show a consent",
    tag="consents",
    answers={200: Answer("The consent", json_content(ConsentObject))},
    errors=(404, 503),
)
async def retrieve_voice_consent(request: web.Request) -> web.Response:
    """Those of others are not found."""
    principal = require(request, "clone")
    return json_answer(await answered(request.app[AUDIO].consent(principal, _id(request))))


@operation(
    "Rename a consent",
    tag="consents",
    body=json_content(ConsentUpdate),
    answers={200: Answer("The consent", json_content(ConsentObject))},
    errors=(400, 404, 408, 413, 415, 503),
)
async def update_voice_consent(request: web.Request) -> web.Response:
    """The label only: what was agreed to stays as it was."""
    principal = require(request, "clone")
    update = await read_json(request, ConsentUpdate)
    work = request.app[AUDIO].rename_consent(principal, _id(request), update.name)
    return json_answer(await answered(work))


@operation(
    "Withdraw a consent",
    tag="consents",
    answers={200: Answer("It is withdrawn", json_content(ConsentDeleted))},
    errors=(404, 503),
)
async def delete_voice_consent(request: web.Request) -> web.Response:
    """Every voice that was made under it is deleted, too."""
    principal = require(request, "clone")
    return json_answer(await answered(request.app[AUDIO].delete_consent(principal, _id(request))))


def _id(request: web.Request) -> str:
    return request.match_info["consent_id"]

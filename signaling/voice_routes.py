"""``/v1/audio/voices``: voices cloned from recordings, listed, carried away and deleted."""

from __future__ import annotations

from typing import Annotated, Any

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
    Name,
    VoiceDeleted,
    VoiceList,
    VoiceObject,
    VoiceUpdate,
)
from signaling.bodies import converted, media_type, read_body, read_form, read_json
from signaling.connected import ClientGone, while_connected
from signaling.gate import ApiError, allow, require
from signaling.openapi import BINARY, Answer, Content, json_content, operation
from signaling.places import UPLOADS

VOICE_FILE = "application/octet-stream"
MAX_VOICE_FILE_BYTES = 16 * 1024 * 1024
MAX_TTL_S = 366 * 24 * 3600

_FORM: dict[str, Any] = {
    "type": "object",
    "required": ["name", "audio_sample", "consent"],
    "properties": {
        "name": NAME_SCHEMA,
        "audio_sample": {
            **BINARY,
            "description": "At least 3 s of one speaker: WAV, MP3, FLAC, OGG, M4A or WebM. "
            "May be called 'file'.",
        },
        "consent": {"type": "string", "description": "Id of the speaker's consent"},
        "ttl_s": {
            "type": "number",
            "minimum": 1,
            "maximum": MAX_TTL_S,
            "description": "Ours: after so long the voice is deleted. Without it is kept.",
        },
        "match_channel": {
            "type": "boolean",
            "description": "Ours: whether the voice sounds like the recording, its line and "
            "microphone included. Without it, as the service is set up.",
        },
    },
}


class _Named(msgspec.Struct, frozen=True):
    name: Name


class _Wishes(msgspec.Struct, frozen=True):
    ttl_s: Annotated[float, msgspec.Meta(ge=1, le=MAX_TTL_S)] | None = None
    match_channel: bool | None = None


@operation(
    "Clone a voice",
    tag="voices",
    body=(Content("multipart/form-data", _FORM),),
    answers={200: Answer("The voice", json_content(VoiceObject))},
    errors=(400, 404, 408, 413, 415, 422, 503),
)
async def create_voice(request: web.Request) -> web.Response:
    """A voice from a recording of its speaker, who has agreed to that before.

    The recording is not kept. With a spoken consent, its speaker must be that of the recording.
    """
    principal = require(request, "clone")
    allow(request, principal, "clones")
    with request.app[UPLOADS].place(principal):
        form = await read_form(request, MAX_UPLOAD_BYTES)
        name, consent = checked_name(form.text("name")), form.text("consent")
        wishes = converted(form.fields, _Wishes)
        sample = form.file("audio_sample", "file")
        work = request.app[AUDIO].create_voice(
            principal, name, sample, consent, wishes.ttl_s, wishes.match_channel
        )
        try:
            return json_answer(await while_connected(request, answered(work)))
        except ClientGone:
            return web.Response(status=499, reason="Client Closed Request")


def checked_name(name: str) -> Name:
    """A name of a form.

    Raises:
        ApiError: 400 ``invalid_value``: it is too long, or cannot be printed.
    """
    return converted({"name": name}, _Named).name


@operation(
    "List voices",
    tag="voices",
    answers={200: Answer("A page of voices", json_content(VoiceList))},
    parameters=PAGING,
    errors=(400, 404, 503),
)
async def list_voices(request: web.Request) -> web.Response:
    """Your own voices, the newest first, then those that come with the engine."""
    principal = require(request, "speak")
    voices = await answered(request.app[AUDIO].voices(principal))
    return json_answer(VoiceList(**page(request, voices)))


@operation(
    "Show a voice",
    tag="voices",
    answers={200: Answer("The voice", json_content(VoiceObject))},
    errors=(404, 409, 503),
)
async def retrieve_voice(request: web.Request) -> web.Response:
    """By its id or name. Voices of others are not found."""
    principal = require(request, "speak")
    return json_answer(await answered(request.app[AUDIO].voice(principal, _key(request))))


@operation(
    "Rename a voice",
    tag="voices",
    body=json_content(VoiceUpdate),
    answers={200: Answer("The voice", json_content(VoiceObject))},
    errors=(400, 403, 404, 408, 409, 413, 415, 503),
)
async def update_voice(request: web.Request) -> web.Response:
    """Ours, in the way of consents. Several voices may have one name."""
    principal = require(request, "clone")
    update = await read_json(request, VoiceUpdate)
    work = request.app[AUDIO].rename_voice(principal, _key(request), update.name)
    return json_answer(await answered(work))


@operation(
    "Delete a voice",
    tag="voices",
    answers={200: Answer("It is gone", json_content(VoiceDeleted))},
    errors=(403, 404, 409, 503),
)
async def delete_voice(request: web.Request) -> web.Response:
    """At once and everywhere: calls that speak with it fall silent."""
    principal = require(request, "clone")
    deleted = await answered(request.app[AUDIO].delete_voice(principal, _key(request)))
    return json_answer(VoiceDeleted(id=deleted))


@operation(
    "Export a voice",
    tag="voices",
    answers={
        200: Answer(
            "The voice with its consent",
            (Content(VOICE_FILE, BINARY),),
            {"Content-Disposition": "A file name"},
        )
    },
    errors=(403, 404, 409, 503),
)
async def export_voice(request: web.Request) -> web.Response:
    """A file for `voicepeer voices import` or for another service. Keep it like a secret."""
    principal = require(request, "clone")
    data = await answered(request.app[AUDIO].export_voice(principal, _key(request)))
    response = web.Response(body=data, content_type=VOICE_FILE)
    response.headers["Content-Disposition"] = 'attachment; filename="exported.voice"'
    return response


@operation(
    "Import a voice",
    tag="voices",
    body=(Content(VOICE_FILE, BINARY),),
    answers={200: Answer("The voice, under a new id", json_content(VoiceObject))},
    errors=(400, 404, 408, 409, 413, 415, 503),
)
async def import_voice(request: web.Request) -> web.Response:
    """Take in a file that was exported; its consent comes with it, unless withdrawn here (409)."""
    principal = require(request, "clone")
    allow(request, principal, "clones")
    if media_type(request) != VOICE_FILE:
        raise ApiError(415, "unsupported_media_type", f"send the file as {VOICE_FILE}")
    with request.app[UPLOADS].place(principal):
        data = await read_body(request, MAX_VOICE_FILE_BYTES)
        return json_answer(await answered(request.app[AUDIO].import_voice(principal, data)))


def _key(request: web.Request) -> str:
    return request.match_info["voice_id"]

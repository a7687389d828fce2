"""``/v1/recordings``: to find what was recorded of oneself in a room, and to have it deleted."""

from __future__ import annotations

from aiohttp import web

from signaling.answers import json_answer
from signaling.audio_answers import PAGING, answered, page
from signaling.gate import principal_of
from signaling.openapi import Answer, json_content, operation
from signaling.recording_port import RecordingList, RecordingService, RecordingWithdrawn

TAG = "recordings"
ROOT = "/v1/recordings"

_SERVICE = web.AppKey("_SERVICE", RecordingService)


def add_routes(app: web.Application, recordings: RecordingService) -> None:
    """Serve them."""
    app[_SERVICE] = recordings
    app.router.add_get(ROOT, list_recordings)
    app.router.add_delete(f"{ROOT}/{{recording_id}}/participants/{{participant_id}}", withdraw)


@operation(
    "List recordings",
    tag=TAG,
    answers={200: Answer("A page of recordings", json_content(RecordingList))},
    parameters=PAGING,
    errors=(400, 404, 503),
)
async def list_recordings(request: web.Request) -> web.Response:
    """Those of rooms in which you were recorded, by the subject of your token.

    Whoever manages, and has no subject, sees all of their key. No right is needed for one's own.
    """
    found = await answered(request.app[_SERVICE].recordings(principal_of(request)))
    return json_answer(RecordingList(**page(request, found)))


@operation(
    "Withdraw from a recording",
    tag=TAG,
    answers={200: Answer("It is deleted", json_content(RecordingWithdrawn))},
    errors=(404, 409, 503),
)
async def withdraw(request: web.Request) -> web.Response:
    """Delete what was recorded of a participant, and all that was mixed of it, for good.

    That is all of the same person, whoever else they were in the room. While the recording goes on
    the room is the place for that, and this is refused with 409.
    """
    asked = request.match_info
    work = request.app[_SERVICE].withdraw(
        principal_of(request), asked["recording_id"], asked["participant_id"]
    )
    return json_answer(await answered(work))

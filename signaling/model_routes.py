"""``/v1/models``: what can be asked for as ``model``."""

from __future__ import annotations

from aiohttp import web

from signaling.answers import json_answer
from signaling.audio_answers import AUDIO, answered
from signaling.audio_messages import ModelList, ModelObject
from signaling.gate import ApiError, principal_of
from signaling.openapi import Answer, json_content, operation


@operation(
    "List models",
    tag="models",
    answers={200: Answer("All models", json_content(ModelList))},
    errors=(503,),
)
async def list_models(request: web.Request) -> web.Response:
    """The engine by its own name, and names that clients of OpenAI's API ask for by default."""
    return json_answer(ModelList(data=await _models(request)))


@operation(
    "Show a model",
    tag="models",
    answers={200: Answer("The model", json_content(ModelObject))},
    errors=(404, 503),
)
async def retrieve_model(request: web.Request) -> web.Response:
    """One of those that are listed."""
    wanted = request.match_info["model"]
    found = next((one for one in await _models(request) if one.id == wanted), None)
    if found is None:
        raise ApiError(
            404, "model_not_found", "there is no such model: see /v1/models", param="model"
        )
    return json_answer(found)


async def _models(request: web.Request) -> list[ModelObject]:
    principal_of(request)
    return await answered(request.app[AUDIO].models())

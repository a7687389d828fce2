"""``/openapi.json``: the document of this service, made once from its own routes."""

from __future__ import annotations

import importlib.metadata

import msgspec
from aiohttp import web

from signaling.openapi import Answer, document, json_content, operation

_DOCUMENT = web.AppKey("_DOCUMENT", bytes)


@operation(
    "Describe this service",
    tag="service",
    answers={200: Answer("OpenAPI 3.1", json_content({"type": "object"}))},
    secured=False,
)
async def serve_document(request: web.Request) -> web.Response:
    """This document."""
    return web.Response(body=request.app[_DOCUMENT], content_type="application/json")


async def make_document(app: web.Application) -> None:
    """Make the document once all routes are there; for ``Application.on_startup``."""
    app[_DOCUMENT] = msgspec.json.encode(document(app, importlib.metadata.version("voicepeer")))

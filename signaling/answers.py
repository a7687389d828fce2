"""Answers that endpoints of every kind give."""

from __future__ import annotations

import msgspec
from aiohttp import web


def json_answer(body: object, status: int = 200) -> web.Response:
    """A msgspec struct as JSON."""
    return web.Response(
        status=status, body=msgspec.json.encode(body), content_type="application/json"
    )

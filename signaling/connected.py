"""Work that ends when the client who asked for it has gone."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from aiohttp import web

T = TypeVar("T")

POLL_S = 0.05
"""How late a client that has gone may be noticed; aiohttp has no event for it."""


class ClientGone(Exception):
    """Nobody is there any more to take the answer."""


async def while_connected(request: web.Request, work: Coroutine[Any, Any, T]) -> T:
    """Do some work, and cancel it as soon as the client has closed the connection.

    Raises:
        ClientGone: it has.
    """
    working = asyncio.ensure_future(work)
    try:
        while not working.done():
            await asyncio.wait([working], timeout=POLL_S)
            if not working.done() and is_gone(request):
                raise ClientGone
        return working.result()
    finally:
        if not working.done():
            working.cancel()
            await asyncio.wait([working])


def is_gone(request: web.Request) -> bool:
    """Whether the client has closed the connection."""
    transport = request.transport
    return transport is None or transport.is_closing()

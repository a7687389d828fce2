"""Work for a client ends with its connection, and only then."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import ClientSession, web

from signaling.connected import ClientGone, while_connected

pytestmark = pytest.mark.peer

Work = Callable[[], Awaitable[str]]


@asynccontextmanager
async def served(work: Work, ends: list[str]) -> AsyncIterator[str]:
    """A service that does some work for each request, and notes how it ended."""

    async def noted() -> str:
        try:
            return await work()
        except asyncio.CancelledError:
            ends.append("cancelled")
            raise

    async def handle(request: web.Request) -> web.Response:
        try:
            return web.Response(text=await while_connected(request, noted()))
        except ClientGone:
            ends.append("gone")
            return web.Response()
        except ValueError as error:
            return web.Response(status=500, text=str(error))

    app = web.Application()
    app.router.add_get("/", handle)
    runner = web.AppRunner(app, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()


async def test_a_client_that_waits_gets_the_result() -> None:
    async def work() -> str:
        await asyncio.sleep(0.2)
        return "done"

    ends: list[str] = []
    async with served(work, ends) as url, ClientSession() as http, http.get(url) as answer:
        assert await answer.text() == "done"
    assert ends == []


async def test_what_the_work_raises_is_raised() -> None:
    async def work() -> str:
        raise ValueError("planted")

    async with served(work, []) as url, ClientSession() as http, http.get(url) as answer:
        assert (answer.status, await answer.text()) == (500, "planted")


async def test_the_work_is_cancelled_when_the_client_goes_away() -> None:
    begun = asyncio.Event()

    async def work() -> str:
        begun.set()
        await asyncio.Event().wait()
        return "never"

    ends: list[str] = []
    async with served(work, ends) as url, ClientSession() as http:
        asking = asyncio.create_task(http.get(url))
        await begun.wait()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        async with asyncio.timeout(30):
            while ends != ["cancelled", "gone"]:  # noqa: ASYNC110 - in the service
                await asyncio.sleep(0.01)

"""Pipecat's JavaScript client with its small-webrtc transport, unchanged, in a real browser."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer
from playwright.async_api import Page

from tests.e2e.chromium import PROGRAMS, until, untouched_page
from tests.e2e.service import Served, serve
from tests.node import run_program
from voicepeer import __version__
from voicepeer.core.envelope import RTVI_VERSION

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.needs(*PROGRAMS),
    pytest.mark.needs("node"),
]

PAGE = "<!doctype html><title>An application</title><script src=/bundle.js></script>"
LONG = "Nobody waits for the end of this text, and that is what it is here for."


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client and its page as one script."""
    target = tmp_path_factory.mktemp("bundle") / "bundle.js"
    run_program("esbuild", "pipecat_page.js", "--bundle", "--format=iife", f"--outfile={target}")
    return target


@asynccontextmanager
async def application(bundle: Path) -> AsyncIterator[str]:
    """A web server of somebody else with the page on it; its origin."""
    app = web.Application()

    async def page(_request: web.Request) -> web.Response:
        return web.Response(text=PAGE, content_type="text/html")

    async def script(_request: web.Request) -> web.FileResponse:
        return web.FileResponse(bundle)

    app.router.add_get("/", page)
    app.router.add_get("/bundle.js", script)
    async with TestServer(app) as server:
        yield str(server.make_url("")).rstrip("/")


@asynccontextmanager
async def opened(tmp_path: Path, bundle: Path) -> AsyncIterator[tuple[Served, Page]]:
    """A service, and the page of another origin that it lets in."""
    async with (
        application(bundle) as origin,
        serve(tmp_path, "--set", f"server.allowed_origins={origin}") as service,
        untouched_page() as page,
    ):
        await ready(service)
        await page.goto(origin)
        yield service, page


async def ready(service: Served) -> None:
    """Wait until calls are taken."""
    async with asyncio.timeout(30), ClientSession() as http:
        while (await http.get(f"{service.url}/readyz")).status != 200:  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def sessions(service: Served) -> int:
    """How many calls there are."""
    async with ClientSession() as http, http.get(f"{service.url}/readyz") as answer:
        return int((await answer.json())["sessions"])


async def told(page: Page, name: str) -> list[Any]:
    """What the client told an application by one of its callbacks."""
    found: list[Any] = await page.evaluate(f"all({json.dumps(name)})")
    return found


async def test_an_application_for_pipecat_works_as_it_is(tmp_path: Path, bundle: Path) -> None:
    async with opened(tmp_path, bundle) as (service, page):
        offer = json.dumps(f"{service.url}/api/offer")
        bot = await page.evaluate(f"connect({offer}, {{voice: 'mid'}})")
        assert bot["version"] == RTVI_VERSION
        assert bot["about"] == {"library": "voicepeer", "library_version": __version__}
        assert await page.evaluate("client.state") == "ready"
        await asyncio.sleep(0.5)
        assert await page.evaluate("takeLevel()") < 0.001, "nothing was said yet"

        await page.evaluate("client.sendText('Hello there, my friend. It is me.')")
        await until(page, "count('onBotStoppedSpeaking') === 1", 20)
        assert await page.evaluate("takeLevel()") > 0.05, "it was heard"
        words = [data["text"] for data in await told(page, "onBotTtsText")]
        assert " ".join(words) == "Hello there, my friend. It is me."
        outputs = await told(page, "onBotOutput")
        assert [one["spoken_status"] for one in outputs if one["segment_id"] == 1] == [
            "new", "in-progress", "in-progress", "in-progress", "completed",
        ]  # fmt: skip
        assert outputs[-1]["spoken_progress"] == {
            "accumulated_text": "It is me.", "remaining_text": "",
        }  # fmt: skip
        metrics = await told(page, "onMetrics")
        assert 0 < metrics[0]["ttfb"][0]["value"] < 10

        stats = await page.evaluate("ask('stats.get', {})")
        assert stats["utterances"] == 1
        refused = await page.evaluate("ask('voice.use', {voice_id: 'nobody'})")
        assert refused["refused"]["code"] == "voice_not_found"

        await page.evaluate(f"client.sendText({json.dumps(LONG)})")
        await until(page, "count('onBotStartedSpeaking') === 2", 20)
        await page.evaluate("client.sendText('Stop.')")
        await until(page, "count('onBotStoppedSpeaking') === 3", 20)
        finished = [
            one["text"]
            for one in await told(page, "onBotOutput")
            if one["spoken_status"] == "completed"
        ]
        assert finished[-1] == "Stop."
        assert not any("here for" in text for text in finished)

        await page.evaluate("client.disconnect()")
        assert await page.evaluate("client.state") == "disconnected"
        async with asyncio.timeout(30):
            while await sessions(service):  # noqa: ASYNC110 - lies in the service
                await asyncio.sleep(0.1)
        assert await told(page, "onError") == []
        assert len(await told(page, "onMessageError")) == 1


async def test_a_lost_connection_is_made_anew_and_one_that_the_service_ends_is_over(
    tmp_path: Path, bundle: Path
) -> None:
    async with opened(tmp_path, bundle) as (service, page):
        await page.evaluate(f"start({json.dumps(f'{service.url}/start')})")
        await page.evaluate("ask('voice.use', {voice_id: 'mid'})")
        await page.evaluate(f"client.sendText({json.dumps(LONG)})")
        await until(page, "count('onBotTtsText') === 3", 20)
        await page.evaluate("loseConnection()")
        await until(page, "count('onBotStartedSpeaking') === 2", 20)
        await until(page, "count('onBotStoppedSpeaking') === 1", 20)
        outputs = await told(page, "onBotOutput")
        assert outputs[-1]["spoken_status"] == "completed"
        assert outputs[-1]["text"].endswith("here for.")
        assert await page.evaluate("client.state") == "ready"
        assert await told(page, "onBotDisconnected") == []
        assert await sessions(service) == 1

        service.process.send_signal(signal.SIGTERM)
        await until(page, "client.state === 'disconnected'", 20)
        assert len(await told(page, "onBotDisconnected")) >= 1
        assert "connecting" not in (await told(page, "onTransportStateChanged"))[-2:]

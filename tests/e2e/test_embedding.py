"""The example of docs/embedding.md in a real browser: a conference hears the cloned voice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from aiohttp import web

from tests.e2e.chromium import PROGRAMS, Visitor, chromium, speaker_microphone, visitor
from tests.e2e.ears import Heard
from tests.e2e.service import Served, serve
from tests.node import run_program

pytestmark = [pytest.mark.e2e, pytest.mark.needs(*PROGRAMS), pytest.mark.needs("node")]

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[1] / "web" / "sdk" / "examples" / "plain.ts"
KEY = "a-key-of-these-tests-only"

SAY = """
async (text) => {
    const sentMs = performance.timeOrigin + performance.now();
    const utterance = peer.speak(text);
    const audible = await utterance.audible;
    const { how, playedMs, error } = await utterance.finished;
    return { sentMs, how, playedMs, latencyMs: audible?.latencyMs ?? null, error: String(error) };
}
"""


@dataclass
class Said:
    """What was said, and what the others heard of it."""

    heard: Heard
    sent_ms: float
    played_ms: float

    @property
    def delay_ms(self) -> float:
        """From the sending of the text to the first sound that the others hear."""
        audible = self.heard.audible_ms()
        assert audible is not None, "the others heard nothing"
        return audible[0] - self.sent_ms

    @property
    def length_ms(self) -> float:
        """How long they heard something."""
        audible = self.heard.audible_ms()
        assert audible is not None
        return audible[1] - audible[0]


@asynccontextmanager
async def conference_site(folder: Path) -> AsyncIterator[tuple[str, dict[str, str]]]:
    """A web site of another origin than the service, and what ``SERVICE`` means in its files."""
    run_program(
        "esbuild", EXAMPLE, "--format=esm", "--log-level=error", f"--outfile={folder / 'plain.js'}"
    )
    words: dict[str, str] = {}

    async def file(request: web.Request) -> web.Response:
        name = request.match_info["name"]
        source = folder / name if name == "plain.js" else HERE / name
        text = source.read_text()
        for word, meaning in words.items():
            text = text.replace(word, meaning)
        kind = "text/html" if name.endswith(".html") else "text/javascript"
        return web.Response(text=text, content_type=kind)

    app = web.Application()
    app.router.add_get(r"/{name:conference\.html|conference\.js|plain\.js}", file)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        host, port = runner.addresses[0][:2]
        yield f"http://{host}:{port}", words
    finally:
        await runner.cleanup()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("embedding")


@asynccontextmanager
async def conference(folder: Path) -> AsyncIterator[tuple[Visitor, Served]]:
    """A visitor of a conference whose page embeds the client of a service."""
    async with AsyncExitStack() as stack:
        origin, words = await stack.enter_async_context(conference_site(folder))
        flags = ("--set", f"server.api_keys={KEY}", "--set", f"server.allowed_origins={origin}")
        service = await stack.enter_async_context(serve(folder, *flags, ready=True))
        words |= {"SERVICE": service.url.rstrip("/"), "TOKEN": KEY}
        browser = await stack.enter_async_context(chromium(speaker_microphone(folder)))
        visiting = await stack.enter_async_context(visitor(browser))
        await visiting.page.goto(f"{origin}/conference.html")
        yield visiting, service


async def _say(visiting: Visitor, text: str) -> Said:
    told = await visiting.page.evaluate(SAY, text)
    assert told["how"] == "done", told["error"]
    heard = await visiting.ears.until_silent(told["sentMs"], 400, within_s=20)
    return Said(heard, told["sentMs"], told["playedMs"])


async def test_a_conference_hears_the_cloned_voice_also_after_a_reconnection(folder: Path) -> None:
    async with conference(folder) as (visiting, _):
        page = visiting.page
        await page.click("#speak-for-me")
        await page.wait_for_function("window.peer || window.failed")
        assert await page.evaluate("window.failed") is None
        assert await page.evaluate("sender.track === peer.speech.track")
        assert any("heard" in one for one in await page.evaluate("told"))
        # The microphone is not heard any more, although its speaker goes on.
        quiet_from = time.time() * 1000 + 500
        await asyncio.sleep(1.5)
        quiet = (await visiting.ears.until_heard(quiet_from + 800)).between(
            quiet_from, quiet_from + 800
        )
        assert float(np.max(np.abs(quiet.pcm), initial=0.0)) < 0.003

        first = await _say(visiting, "The others hear this in my voice.")
        assert first.length_ms == pytest.approx(first.played_ms, abs=400)
        assert 0 < first.delay_ms < 3_000

        await page.evaluate("channel.close()")
        await page.wait_for_function("peer.state === 'interrupted'")
        await page.wait_for_function("peer.state === 'connected'")
        assert await page.evaluate("sender.track === peer.speech.track")
        second = await _say(visiting, "And they hear it again.")
        assert second.length_ms == pytest.approx(second.played_ms, abs=400)

        await page.evaluate("peer.close()")
        await page.wait_for_function("sender.track !== peer.speech.track")
        assert await page.evaluate("sender.track.label !== '' && sender.track.readyState") == "live"
        assert visiting.complaints == []

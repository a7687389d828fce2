"""The demo page in a real browser against a real service that speaks with the fake engine."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.clips import clip
from tests.e2e.browser import Browser, browser
from tests.e2e.service import relay, serve
from voicepeer.audio import write_wav

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.needs("chromium", "chromium-browser"),
]

SCREENSHOTS = os.environ.get("PAGE_SCREENSHOTS")
"""Folder for pictures of the page at each stage; none are taken without it."""

KEY = "a-key-of-this-test-only"


@pytest.fixture
def microphone(tmp_path: Path) -> Path:
    """A real speaker's clip as Chromium's fake microphone takes it."""
    path = tmp_path / "mic.wav"
    write_wav(path, clip("en_jennifer", 48_000), 48_000)
    return path


async def start(page: Browser) -> None:
    """Consent and start, as a user does."""
    assert await page.evaluate("document.querySelector('#start').disabled")
    await page.click("#consent")
    await page.click("#start")


async def picture(page: Browser, name: str) -> None:
    """Take a picture of the page, where pictures are wanted."""
    if SCREENSHOTS:
        await page.screenshot(Path(SCREENSHOTS) / f"{name}.png")


async def said(page: Browser, text: str) -> None:
    """Type a text and send it with the keyboard."""
    await page.evaluate("document.querySelector('#text').focus()")
    await page.type(text)
    await page.press("Enter", 13, ctrl=True)


async def test_a_visitor_is_heard_and_hears_their_text(tmp_path: Path, microphone: Path) -> None:
    async with (
        serve(tmp_path) as service,
        browser(tmp_path / "profile", microphone) as page,
    ):
        await page.open(service.url)
        await picture(page, "1-consent")
        await start(page)
        await page.until("!document.querySelector('#learning').hidden", 20)
        await page.until("!document.querySelector('#send').disabled", 20)
        await picture(page, "2-usable")
        await page.until("document.querySelector('#status').textContent.includes('is ready')", 20)
        assert await page.evaluate("document.querySelector('#ring').ariaValueNow") == "100"
        assert await page.evaluate("document.activeElement.id") == "text"
        assert (await page.text("#engine")).startswith("fake")

        await said(page, "Good morning 😀, this is me.")
        await page.until("document.querySelector('#said .now')?.textContent === 'this'", 10)
        assert await page.text("#said .heard") == "Good morning 😀, "
        await picture(page, "3-speaking")
        await page.until("document.querySelector('#said li').dataset.state === 'done'", 10)
        assert await page.text("#said .heard") == "Good morning 😀, this is me."
        assert "heard after" in await page.text("#latency")
        assert await page.evaluate("document.querySelector('#interrupt').disabled")

        await said(page, "A long story that nobody wants to hear to its end. " * 20)
        await page.until("document.querySelector('#said li').dataset.state === 'playing'", 10)
        await page.press("Escape", 27)
        await page.until("document.querySelector('#said li').dataset.state === 'cancelled'", 5)
        assert "interrupted after" in await page.text("#said small")

        await said(page, "One of twenty thousand words. " * 1_000)
        await page.until("document.querySelector('#said li').dataset.state === 'playing'", 10)
        # What was still on its way of the text before must not count as this one's first sound.
        shown = await page.text("#latency")
        assert shown == "" or int(shown.split()[2]) > 30
        await page.click("#interrupt")
        await page.until("document.querySelector('#said li').dataset.state === 'cancelled'", 5)
        await picture(page, "4-interrupted")

        assert page.complaints == []
        assert {urlsplit(url).netloc for url in page.requests} == {urlsplit(service.url).netloc}

        service.process.kill()
        await page.until("!document.querySelector('#after').hidden", 20)
        assert "has ended" in await page.text("#alert")
        assert await page.evaluate("document.activeElement.id") == "restart"
        await picture(page, "5-lost")


async def test_hanging_up_ends_the_session_and_a_new_call_can_begin(
    tmp_path: Path, microphone: Path
) -> None:
    sessions = "fetch('readyz').then((answer) => answer.json()).then((state) => state.sessions)"
    async with (
        serve(tmp_path) as service,
        browser(tmp_path / "profile", microphone) as page,
    ):
        await page.open(service.url)
        await start(page)
        for _ in range(2):
            await page.until("!document.querySelector('#hangup').hidden", 20)
            assert await page.evaluate(sessions) == 1
            await page.click("#hangup")
            await page.until(f"{sessions}.then((open) => open === 0)", 10)
            await page.click("#restart")
            await page.click("#start")
        await page.until("!document.querySelector('#hangup').hidden", 20)
        assert page.complaints == []


async def test_a_call_outlives_its_signaling_connection(tmp_path: Path, microphone: Path) -> None:
    async with (
        serve(tmp_path) as service,
        relay(service.url) as between,
        browser(tmp_path / "profile", microphone) as page,
    ):
        await page.open(f"http://127.0.0.1:{between.port}")
        await start(page)
        await page.until("!document.querySelector('#send').disabled", 20)
        between.cut()
        await asyncio.sleep(7.0)  # longer than the service keeps a session without signaling
        assert len([url for url in page.requests if url.startswith("ws")]) == 2
        await said(page, "Still here.")
        await page.until("document.querySelector('#said li').dataset.state === 'done'", 10)
        assert await page.evaluate("document.querySelector('#alert').hidden")


KEEP_CONNECTIONS = """
    window.connections = [];
    window.RTCPeerConnection = class extends RTCPeerConnection {
        constructor(...options) { super(...options); window.connections.push(this); }
    };
"""


async def test_a_lost_connection_is_made_anew_and_the_text_goes_on(
    tmp_path: Path, microphone: Path
) -> None:
    async with (
        serve(tmp_path) as service,
        browser(tmp_path / "profile", microphone) as page,
    ):
        await page.command("Page.addScriptToEvaluateOnNewDocument", source=KEEP_CONNECTIONS)
        await page.open(service.url)
        await start(page)
        await page.until("!document.querySelector('#send').disabled", 20)
        await said(page, "One two three four five six seven eight nine ten eleven twelve thirteen.")
        await page.until("document.querySelector('#said .now')?.textContent === 'three'", 10)
        await page.evaluate("connections[0].close()")
        await page.until("connections.length === 2", 20)
        await page.until("connections[1].connectionState === 'connected'", 20)
        await page.until("document.querySelector('#said li').dataset.state === 'done'", 20)
        assert (await page.text("#said .heard")).endswith("twelve thirteen.")
        assert await page.evaluate("document.querySelector('#alert').hidden")
        await said(page, "The voice is still here.")
        await page.until("document.querySelector('#said li').dataset.state === 'done'", 10)
        assert page.complaints == []


async def test_a_forbidden_microphone_is_explained(tmp_path: Path) -> None:
    async with (
        serve(tmp_path) as service,
        browser(tmp_path / "profile", may_listen=False) as page,
    ):
        await page.open(service.url)
        await start(page)
        await page.until("!document.querySelector('#alert').hidden", 20)
        assert "microphone was not allowed" in await page.text("#alert")
        assert not await page.evaluate("document.querySelector('#start').disabled")
        assert await page.evaluate("document.querySelector('#learning').hidden")
        await picture(page, "6-denied")


async def test_the_page_waits_for_the_models_and_asks_for_the_key(
    tmp_path: Path, microphone: Path
) -> None:
    slow = "engine.options=fake.load_delay_ms=6000"
    async with (
        serve(tmp_path, "--set", slow, "--set", f"server.api_keys={KEY}") as service,
        browser(tmp_path / "profile", microphone) as page,
    ):
        await page.open(service.url)
        await start(page)
        await page.until("document.querySelector('#start-hint').innerText.includes('ready')", 10)
        await page.until("!document.querySelector('#key-field').hidden", 30)
        assert "access key" in await page.text("#alert")
        assert await page.evaluate("document.activeElement.id") == "key"
        await picture(page, "7-key")
        await page.type(KEY)
        await page.click("#start")
        await page.until("!document.querySelector('#learning').hidden", 20)
        assert await page.evaluate("document.querySelector('#alert').hidden")

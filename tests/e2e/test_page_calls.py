"""Calls that are broken off: the page goes on where it was, or says why it cannot."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.e2e.chromium import PROGRAMS, WAIT_MS
from tests.e2e.demo_page import DemoPage, demo_page
from tests.e2e.service import PATIENT, Served, relay, serve
from tests.e2e.test_page_controls import spoken, tone_hz

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.needs(*PROGRAMS),
    pytest.mark.asyncio(loop_scope="package"),
]

SIGNALING_GRACE_S = 6.0
"""Longer than the service keeps a call without signaling."""

SESSIONS = "fetch('readyz').then((answer) => answer.json()).then((state) => state.sessions)"


async def test_a_reloaded_page_goes_on_with_the_same_voice(demo: DemoPage) -> None:
    await demo.clone(ready=True)
    own_hz = tone_hz(await spoken(demo))
    sessions = await demo.page.evaluate(SESSIONS)
    await demo.page.reload()
    await demo.state("speaking")
    await expect(demo.main).to_have_attribute("data-connection", "connected", timeout=WAIT_MS)
    await demo.visitor.picture("resumed")
    assert tone_hz(await spoken(demo)) == pytest.approx(own_hz, abs=3)
    assert await demo.page.evaluate(SESSIONS) == sessions, "the same session goes on"
    assert demo.visitor.complaints == []


async def test_a_second_tab_takes_the_call_over(demo: DemoPage) -> None:
    await demo.skip()
    async with demo.page.expect_popup() as popup:
        await demo.page.evaluate("void window.open(location.href)")
    second = DemoPage(demo.visitor, demo.url)
    second.page = await popup.value
    second.main = second.page.locator("main")
    await second.state("speaking")
    await demo.state("ended")
    await expect(demo.part("ending")).to_contain_text("another tab")
    await demo.visitor.picture("second-tab")
    await second.hear("Here I am.")


async def test_hanging_up_ends_the_session_and_a_new_call_can_begin(demo: DemoPage) -> None:
    await demo.skip()
    during = await demo.page.evaluate(SESSIONS)
    await demo.part("hangup").click()
    await demo.state("ended")
    async with asyncio.timeout(WAIT_MS / 1000):
        while await demo.page.evaluate(SESSIONS) >= during:  # noqa: ASYNC110 - lies in the page
            await asyncio.sleep(0.1)
    await demo.part("restart").click()
    await demo.state("welcome", "starting", "learning")
    if await demo.main.get_attribute("data-state") == "welcome":
        await demo.part("start").click()
    await demo.state("speaking")
    await demo.hear("Once more.")
    assert demo.visitor.complaints == []


async def test_a_lost_connection_is_made_anew_and_the_text_goes_on(demo: DemoPage) -> None:
    await demo.skip()
    text = "One two three four five six seven eight nine ten eleven twelve thirteen."
    said = await demo.say(text)
    await demo.ends(said, "playing")
    await demo.page.evaluate("ears.peers.at(-1).close()")
    await demo.ends(said, "done")
    await expect(said.locator(".heard")).to_have_text(text)
    assert await demo.page.evaluate("ears.peers.length") == 2
    await demo.hear("The voice is still here.")
    assert demo.visitor.complaints == []


async def test_a_call_outlives_its_signaling_connection(browser: Browser, service: Served) -> None:
    async with (
        relay(service.url) as between,
        demo_page(browser, f"http://127.0.0.1:{between.port}") as demo,
    ):
        await demo.skip()
        between.cut()
        await asyncio.sleep(SIGNALING_GRACE_S)
        assert len([url for url in demo.visitor.requests if url.startswith("ws")]) == 2
        await demo.hear("Still here.")
        await expect(demo.part("alert")).to_be_hidden()


async def test_a_restarted_service_is_called_again(browser: Browser, tmp_path: Path) -> None:
    async with (
        serve(tmp_path, *PATIENT, ready=True) as first,
        demo_page(browser, first.url) as demo,
    ):
        await demo.clone(ready=True)
        await demo.hear("Before the restart.")
        first.process.terminate()
        await first.process.wait()
        await demo.shows("data-connection", "interrupted")
        await demo.visitor.picture("service-gone")
        async with serve(tmp_path, *PATIENT, port=first.port, ready=True):
            await expect(demo.main).to_have_attribute(
                "data-connection", "connected", timeout=WAIT_MS
            )
            # What was not saved is gone with the service; it is learned again at once.
            await demo.state("speaking")
            await demo.hear("After the restart.")
            await demo.visitor.picture("restarted")

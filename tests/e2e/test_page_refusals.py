"""A visitor who cannot start as planned is told why and what to do, and can often go on."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.e2e.chromium import PROGRAMS, WAIT_MS, chromium, silent_microphone
from tests.e2e.demo_page import demo_page
from tests.e2e.service import Served, serve

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.needs(*PROGRAMS),
    pytest.mark.asyncio(loop_scope="package"),
]

KEY = "a-key-of-this-page-only"


async def test_without_a_microphone_one_can_still_listen(service: Served) -> None:
    async with (
        chromium(None, may_listen=False) as browser,
        demo_page(browser, service.url) as demo,
    ):
        await demo.open()
        await demo.start()
        await demo.state("speaking")
        await demo.shows("data-mic", "none")
        await expect(demo.part("alert")).to_have_attribute("data-code", "microphone.denied")
        await demo.hear("A stock voice can speak for me.")
        await demo.visitor.picture("listen-only")
        entered_ms = await demo.visitor.pressed_ms("Enter")
        heard = await demo.visitor.ears.until_silent(entered_ms, quiet_ms=300, within_s=20)
        assert heard.audible_ms() is not None


async def test_a_microphone_without_any_sound_is_noticed(service: Served, tmp_path: Path) -> None:
    async with (
        chromium(silent_microphone(tmp_path)) as browser,
        demo_page(browser, service.url) as demo,
    ):
        await demo.open()
        await demo.start()
        await demo.state("learning")
        await demo.shows("data-mic", "silent")
        await expect(demo.part("alert")).to_have_attribute("data-code", "microphone.silent")
        await demo.visitor.picture("silent-microphone")


async def test_the_page_waits_for_the_models_and_asks_for_the_key(
    browser: Browser, tmp_path: Path
) -> None:
    slow = "engine.options=fake.load_delay_ms=4000"
    async with (
        serve(tmp_path, "--set", slow, "--set", f"server.api_keys={KEY}") as locked,
        demo_page(browser, locked.url) as demo,
    ):
        await demo.open()
        await demo.start()
        await demo.state("starting")
        await expect(demo.part("start-status")).not_to_be_empty(timeout=WAIT_MS)
        await demo.visitor.picture("starting")
        await demo.state("error")
        await expect(demo.part("alert")).to_have_attribute("data-code", "unauthorized")
        await expect(demo.part("key")).to_be_focused()
        await demo.visitor.picture("key")
        await demo.part("key").fill(KEY)
        await demo.part("start").click()
        await demo.state("learning", "speaking")
        await expect(demo.part("alert")).to_be_hidden()


async def test_a_service_without_room_says_so(browser: Browser, tmp_path: Path) -> None:
    async with (
        serve(tmp_path, "--set", "server.max_sessions=1", ready=True) as small,
        demo_page(browser, small.url) as first,
        demo_page(browser, small.url) as second,
    ):
        await first.open()
        await first.start()
        await first.state("learning", "speaking")
        await second.open()
        await second.start()
        await second.state("error")
        await expect(second.part("alert")).to_have_attribute("data-code", "at_capacity")
        await second.visitor.picture("at-capacity")
        await first.part("hangup").click()
        await first.state("ended")
        await second.part("start").click()
        await second.state("learning", "speaking")

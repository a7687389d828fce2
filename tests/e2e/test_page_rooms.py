"""Rooms on the page: others are invited by a link, seen, heard, muted and put out."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from playwright.async_api import Browser, expect

from tests.e2e import axe
from tests.e2e.chromium import PHONE, PROGRAMS, WAIT_MS
from tests.e2e.demo_page import DemoPage, demo_page
from tests.e2e.service import PATIENT, Served, serve
from tests.e2e.test_page_looks import OVERFLOW_PX, english

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.needs(*PROGRAMS),
    pytest.mark.asyncio(loop_scope="package"),
]

KEY = "a-secret-that-no-link-may-show"
SIGNING_KEY = "a-key-of-32-bytes-for-these-tests"


@asynccontextmanager
async def host(browser: Browser, service: Served) -> AsyncIterator[tuple[DemoPage, str]]:
    """A visitor who has invited others, and the link that they were given."""
    permissions = ["clipboard-read", "clipboard-write"]
    async with demo_page(
        browser, f"{service.url}/#key={KEY}", permissions=["microphone", *permissions]
    ) as page:
        await page.skip()
        await expect(page.part("room")).to_be_hidden()
        await page.part("invite").click()
        await expect(page.part("room")).to_be_visible(timeout=WAIT_MS)
        await expect(page.part("alert")).to_have_attribute("data-code", "link-copied")
        yield page, await page.page.evaluate("navigator.clipboard.readText()")


async def join(page: DemoPage, name: str) -> None:
    """Come in by the link, with nothing but the microphone."""
    await page.open()
    await page.part("name").fill(name)
    await page.part("join-only").click()
    await page.state("speaking")
    await sees(page, f"{name} (you)")


async def sees(page: DemoPage, name: str) -> None:
    """Wait until somebody is shown to be in the room."""
    shown = page.part("person").filter(has_text=name)
    await expect(shown).to_be_visible(timeout=WAIT_MS)


async def test_others_come_by_a_link_and_hear_what_is_typed(
    browser: Browser, service: Served
) -> None:
    async with host(browser, service) as (ada, link):
        room = parse_qs(urlsplit(link).query)["room"][0]
        assert re.fullmatch(r"[a-z0-9]{16}", room)
        assert KEY not in link
        assert urlsplit(ada.page.url).query == f"room={room}"
        await ada.part("room-name").fill("Ada")
        await ada.part("room-name").press("Enter")
        await sees(ada, "Ada (you)")
        async with demo_page(browser, link) as bob:
            await bob.page.goto(link)
            await expect(bob.part("invited")).to_be_visible()
            await bob.visitor.picture("invited")
            assert await axe.serious(bob.page) == []
            await join(bob, "Bob")
            await sees(ada, "Bob")
            await sees(bob, "Ada")
            # Bob's microphone is a speaker who never stops for long.
            speaking = ada.page.locator("[data-testid=person][data-speaking=true]")
            await expect(speaking.filter(has_text="Bob")).to_be_visible(timeout=WAIT_MS)

            now_ms = await bob.page.evaluate("performance.timeOrigin + performance.now()")
            await ada.hear("This is heard by everybody in the room.")
            heard = await bob.visitor.ears.until_silent(now_ms, quiet_ms=500, within_s=30)
            audible = heard.audible_ms()
            assert audible is not None
            assert audible[1] - audible[0] > 1_000
            await ada.visitor.picture("room-desktop")
            assert await axe.serious(ada.page) == []

            await bob.part("mute").click()
            await expect(ada.part("person").filter(has_text="Bob")).to_contain_text("muted")
            await bob.page.reload()
            await bob.state("speaking")
            await sees(bob, "Bob (you)")
            await expect(bob.part("mute")).to_have_attribute("aria-pressed", "true")
            await ada.page.get_by_role("button", name="Put Bob out").click()
            await expect(bob.part("alert")).to_have_attribute("data-code", "kicked")
            await expect(bob.part("room")).to_be_hidden()
            await expect(ada.part("person")).to_have_count(1)
            await bob.hear("The call goes on.")
            assert bob.visitor.complaints == []
        await ada.part("leave-room").click()
        await expect(ada.part("room")).to_be_hidden()
        await expect(ada.part("invite")).to_have_text("Join the room")
        assert ada.visitor.complaints == []


async def test_a_key_that_is_for_one_room_leads_there(browser: Browser, tmp_path: Path) -> None:
    claims = {"aud": "voicepeer", "exp": time.time() + 600, "room": "blue"}
    token = jwt.encode(claims, SIGNING_KEY, "HS256", headers={"kid": "site"})
    keys = ("--set", f"auth.token_keys=site=HS256:{SIGNING_KEY}")
    async with (
        serve(tmp_path, *PATIENT, *keys, ready=True) as service,
        demo_page(browser, f"{service.url}/#key={token}") as page,
    ):
        await page.skip()
        await page.part("invite").click()
        await sees(page, "Guest (you)")
        assert urlsplit(page.page.url).query == "room=default"
        # Neither mutes nor puts out others, for which the key has no right.
        await expect(page.part("end-room")).to_be_hidden()


async def test_a_room_on_a_phone_in_chinese_by_keyboard(browser: Browser, service: Served) -> None:
    async with host(browser, service) as (ada, link):
        options = {"locale": "zh-CN", "color_scheme": "dark", **PHONE}
        async with demo_page(browser, link, **options) as bob:
            await join_in_chinese(bob)
            await sees(ada, "小明")
            await bob.visitor.picture("room-phone", whole=True)
            assert await axe.serious(bob.page) == []
            assert await bob.page.evaluate(OVERFLOW_PX) <= 0
            assert [words for words in await english(bob) if "Guest" not in words] == []
            await bob.page.locator("input[name=publish][value=mic]").focus()
            await bob.page.keyboard.press("ArrowRight")
            await expect(ada.part("person").filter(has_text="小明")).to_contain_text("listens")
            await bob.part("leave-room").focus()
            await bob.page.keyboard.press("Enter")
            await expect(ada.part("person")).to_have_count(1)
            assert bob.visitor.complaints == []


async def join_in_chinese(page: DemoPage) -> None:
    """Come in by the link without touching the mouse."""
    await page.open()
    assert await english(page) == []
    await page.part("name").focus()
    await page.page.keyboard.insert_text("小明")
    await page.part("join-only").focus()
    await page.page.keyboard.press("Enter")
    await page.state("speaking")
    await sees(page, "小明（您）")

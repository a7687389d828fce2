"""The page for everybody: phones, dark rooms, Chinese readers, and whoever reads by ear."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Browser, expect

from tests.e2e import axe
from tests.e2e.chromium import PHONE, PROGRAMS
from tests.e2e.demo_page import DemoPage, demo_page
from tests.e2e.service import Served

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.needs(*PROGRAMS),
    pytest.mark.asyncio(loop_scope="package"),
]

OVERFLOW_PX = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
BRIGHTNESS = """() => {
    const [red, green, blue] = getComputedStyle(document.body).backgroundColor.match(/\\d+/g);
    return (Number(red) + Number(green) + Number(blue)) / 765;
}"""
VISIBLE_TEXT = "document.querySelector('main').innerText"
ENGLISH = re.compile(r"[A-Za-z]{2,}(?: [A-Za-z]{2,}){2,}")


async def english(demo: DemoPage) -> list[str]:
    """English words in a row that are visible.

    The system's names of devices are, and what the fake engine can say, which knows no Chinese.
    """
    found: list[str] = ENGLISH.findall(await demo.page.evaluate(VISIBLE_TEXT))
    suggested = " ".join(await demo.part("suggestion").all_inner_texts())
    return [words for words in found if words not in suggested and not words.startswith("Fake")]


async def each_state(demo: DemoPage, name: str, *, learn: bool = False) -> None:
    """Go through the states of a call, and look at each."""

    async def look(state: str) -> None:
        await demo.visitor.picture(f"{name}-{state}")
        assert await axe.serious(demo.page) == [], state
        assert await demo.page.evaluate(OVERFLOW_PX) <= 0, state

    await demo.open()
    await look("welcome")
    await demo.start()
    await demo.state("learning")
    await look("learning")
    if learn:
        await demo.shows("data-voice", "ready")
    else:
        await demo.part("skip").click()
    await demo.state("speaking")
    await demo.open_library()
    said = await demo.say("Everybody shall be able to use this page, and so it is looked at.")
    await demo.ends(said, "playing")
    await look("speaking")
    await demo.ends(said, "done")
    await demo.part("hangup").click()
    await demo.state("ended")
    await look("ended")
    assert demo.visitor.complaints == []


@pytest.mark.parametrize("colors", ["light", "dark"])
async def test_axe_finds_nothing_serious_on_a_desktop(
    browser: Browser, service: Served, colors: str
) -> None:
    async with demo_page(browser, service.url, color_scheme=colors) as demo:
        await each_state(demo, f"desktop-{colors}", learn=colors == "light")
        brightness = await demo.page.evaluate(BRIGHTNESS)
        assert (brightness < 0.3) if colors == "dark" else (brightness > 0.7)


async def test_a_phone_shows_all_of_it(browser: Browser, service: Served) -> None:
    async with demo_page(browser, service.url, color_scheme="dark", **PHONE) as demo:
        await each_state(demo, "phone")


async def test_the_theme_can_be_switched_and_is_remembered(demo: DemoPage) -> None:
    await demo.open()
    shades = set()
    for _ in range(3):
        await demo.part("theme").click()
        shades.add(await demo.page.evaluate(BRIGHTNESS) > 0.5)
    assert shades == {True, False}
    theme = await demo.page.locator("html").get_attribute("data-theme")
    assert theme is not None
    await demo.page.reload()
    await expect(demo.page.locator("html")).to_have_attribute("data-theme", theme)


async def test_chinese_visitors_read_chinese(browser: Browser, service: Served) -> None:
    async with demo_page(browser, service.url, locale="zh-CN") as demo:
        await demo.open()
        await expect(demo.page.locator("html")).to_have_attribute("lang", "zh-CN")
        await demo.visitor.picture("chinese-welcome")
        assert await english(demo) == []
        await demo.start()
        await demo.state("learning")
        assert await english(demo) == []
        await demo.state("speaking")
        await demo.visitor.picture("chinese-speaking")
        assert await english(demo) == []
        assert await axe.serious(demo.page) == []


async def test_the_language_can_be_switched_and_is_remembered(demo: DemoPage) -> None:
    await demo.open()
    await demo.part("language").click()
    await expect(demo.page.locator("html")).to_have_attribute("lang", "zh-CN")
    await demo.page.reload()
    await expect(demo.page.locator("html")).to_have_attribute("lang", "zh-CN")
    await demo.part("language").click()
    await expect(demo.page.locator("html")).to_have_attribute("lang", "en")

"""A visitor's first minute on the page, in a real browser: consent, speak, type and hear."""

from __future__ import annotations

import re
from statistics import median
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Response, expect

from tests.e2e.chromium import PROGRAMS
from tests.e2e.demo_page import DemoPage, demo_page
from tests.e2e.service import Served

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.needs(*PROGRAMS),
    pytest.mark.asyncio(loop_scope="package"),
]

CLICKS_MAX = 3
PERMISSION_CLICKS = 1
"""In the browser's own window, which it answers by itself here."""

SPEAKING_MAX_S = 10.0
PAGE_MAX_BYTES = 300_000
NUMBER = re.compile(r"^\d+(\.\d+)?$")

WATCH_WORDS = """() => {
    window.lit = [];
    const note = () => {
        const word = document.querySelector("[data-testid=said] > :last-child .now")?.textContent;
        if (word && word !== window.lit.at(-1)?.word) {
            window.lit.push({ word, atMs: performance.timeOrigin + performance.now() });
        }
    };
    new MutationObserver(note).observe(document.querySelector("[data-testid=said]"),
        { subtree: true, childList: true, characterData: true });
}"""


async def test_three_clicks_and_ten_seconds_to_the_first_cloned_sentence(demo: DemoPage) -> None:
    visitor = demo.visitor
    await demo.open()
    await visitor.picture("welcome")
    await demo.start()
    await demo.state("learning")
    await visitor.picture("learning")
    await demo.state("speaking")
    await expect(demo.part("text")).to_be_focused()
    said = await demo.hear("Good morning, this is me.")
    await expect(said.locator(".heard")).to_have_text("Good morning, this is me.")

    clicks = await visitor.page.evaluate(
        "ears.presses.filter(({ kind }) => kind === 'pointerdown').length"
    )
    assert clicks + PERMISSION_CLICKS <= CLICKS_MAX
    usable = (await visitor.messages("voice.usable"))[0]
    assert usable["heard_s"] <= SPEAKING_MAX_S
    # On a machine that is busy the models hear it later than it was said.
    assert usable["elapsed_ms"] <= 3_000 * SPEAKING_MAX_S
    entered_ms = await visitor.pressed_ms("Enter")
    heard = await visitor.ears.until_silent(entered_ms, quiet_ms=300, within_s=20)
    audible = heard.audible_ms()
    assert audible is not None
    await expect(demo.part("latency")).to_have_attribute("data-ms", NUMBER)
    shown_ms = float(await demo.part("latency").get_attribute("data-ms") or "nan")
    # The page measures on its own, and this machine may be busy.
    assert shown_ms == pytest.approx(audible[0] - entered_ms, abs=200)

    await demo.shows("data-voice", "ready")
    assert await demo.part("ring").get_attribute("aria-valuenow") == "100"
    await visitor.picture("ready")
    assert visitor.complaints == []


async def test_words_light_up_in_step_with_what_is_heard(cloned: DemoPage) -> None:
    await cloned.page.evaluate(WATCH_WORDS)
    text = "Remarkable gentlemen whispered extraordinary compliments."
    await cloned.hear(text)
    entered_ms = await cloned.visitor.pressed_ms("Enter")
    heard = await cloned.visitor.ears.until_silent(entered_ms, quiet_ms=300, within_s=20)
    audible = heard.audible_ms()
    assert audible is not None
    lit = await cloned.page.evaluate("lit")
    words = (await cloned.visitor.messages("utterance.word"))[-len(text.split()) :]
    assert [one["word"].strip() for one in lit] == text.split()
    late_ms = [
        one["atMs"] - (audible[0] + word["start_ms"]) for one, word in zip(lit, words, strict=True)
    ]
    assert abs(median(late_ms)) < 250


async def test_escape_and_the_button_silence_what_is_said(cloned: DemoPage) -> None:
    story = "A long story that nobody wants to hear to its end. " * 20
    said = await cloned.say(story)
    await cloned.ends(said, "playing")
    await cloned.visitor.picture("speaking")
    await cloned.page.wait_for_timeout(700)
    await cloned.page.keyboard.press("Escape")
    await cloned.ends(said, "cancelled")
    pressed_ms = await cloned.visitor.pressed_ms("Escape")
    heard = await cloned.visitor.ears.until_silent(pressed_ms - 500, quiet_ms=500, within_s=20)
    audible = heard.audible_ms()
    assert audible is not None
    assert audible[1] - pressed_ms < 1_000

    said = await cloned.say(story)
    await cloned.ends(said, "playing")
    await cloned.part("interrupt").click()
    await cloned.ends(said, "cancelled")
    await cloned.visitor.picture("interrupted")
    await expect(cloned.part("interrupt")).to_be_disabled()


async def test_texts_wait_for_each_other(cloned: DemoPage) -> None:
    first = await cloned.say("The first of two texts is said.")
    second = await cloned.say("The second one waits for it.")
    await cloned.ends(first, "playing")
    await cloned.ends(second, "waiting")
    await cloned.ends(second, "playing")
    await cloned.ends(first, "done")
    await cloned.ends(second, "done")


async def test_shift_and_enter_make_a_new_line(cloned: DemoPage) -> None:
    before = await cloned.part("utterance").count()
    await cloned.part("text").fill("One")
    await cloned.part("text").press("Shift+Enter")
    await cloned.page.keyboard.type("two")
    await expect(cloned.part("text")).to_have_value("One\ntwo")
    await expect(cloned.part("utterance")).to_have_count(before)
    await cloned.part("text").fill("")


async def test_the_whole_first_visit_needs_no_mouse(demo: DemoPage) -> None:
    keyboard = demo.page.keyboard
    await demo.open()

    async def tab_to(name: str) -> None:
        for _ in range(30):
            await keyboard.press("Tab")
            if await demo.page.evaluate("document.activeElement.dataset.testid") == name:
                return
        pytest.fail(f"the Tab key does not lead to {name}")

    await tab_to("consent")
    await keyboard.press("Space")
    await tab_to("start")
    await keyboard.press("Enter")
    await demo.state("speaking")
    await expect(demo.part("text")).to_be_focused()
    await keyboard.insert_text("All of this by keyboard, and it is not short at all. " * 10)
    await keyboard.press("Enter")
    said = demo.part("utterance").first
    await demo.ends(said, "playing")
    await keyboard.press("Escape")
    await demo.ends(said, "cancelled")
    await tab_to("hangup")
    await keyboard.press("Enter")
    await demo.state("ended")
    await expect(demo.part("restart")).to_be_focused()
    presses = await demo.page.evaluate("ears.presses.map(({ kind }) => kind)")
    assert "pointerdown" not in presses
    assert demo.visitor.complaints == []


async def test_the_page_is_small_and_asks_nobody_else_for_anything(
    browser: Browser, service: Served
) -> None:
    sizes: dict[str, int] = {}

    async def weigh(response: Response) -> None:
        if response.request.method == "GET" and response.ok:
            sizes[urlsplit(response.url).path] = len(await response.body())

    async with demo_page(browser, service.url, deaf=True) as demo:
        demo.page.on("response", weigh)
        await demo.skip()
        await demo.hear("A sentence under the rules of the page itself.")
        assert await demo.visitor.violations() == []
        assert demo.visitor.complaints == []
        netlocs = {urlsplit(url).netloc for url in demo.visitor.requests if "blob:" not in url}
        assert netlocs == {urlsplit(service.url).netloc}
    assert "/" in sizes
    assert sum(sizes.values()) < PAGE_MAX_BYTES, sizes


async def test_a_voice_can_be_learned_again(cloned: DemoPage) -> None:
    learned = len(await cloned.visitor.messages("voice.ready"))
    await cloned.part("again").click()
    await cloned.shows("data-learning", "on")
    await cloned.shows("data-learning", "off")
    assert len(await cloned.visitor.messages("voice.ready")) == learned + 1
    await cloned.hear("Learned again.")

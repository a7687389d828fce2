"""The demo page as a visitor uses it: by what it shows, by mouse and by keyboard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Browser, Locator, expect

from tests.e2e.chromium import WAIT_MS, Visitor, visitor


class DemoPage:
    """A visitor on the page."""

    def __init__(self, visiting: Visitor, url: str) -> None:
        self.visitor = visiting
        self.page = visiting.page
        self.url = url
        self.main = self.page.locator("main")

    def part(self, name: str) -> Locator:
        """The element with a test id."""
        return self.page.get_by_test_id(name)

    async def open(self) -> None:
        """Come to the page."""
        await self.page.goto(self.url)
        await self.state("welcome")

    async def state(self, *states: str) -> None:
        """Wait until the page is in one of some states."""
        await self.shows("data-state", *states)

    async def shows(self, attribute: str, *values: str) -> None:
        """Wait until ``main`` has one of some values in an attribute."""
        wanted = ",".join(f'main[{attribute}="{value}"]' for value in values)
        await expect(self.page.locator(wanted)).to_be_visible(timeout=WAIT_MS)

    async def start(self) -> None:
        """Consent, and give the microphone."""
        await self.part("consent").click()
        await self.part("start").click()

    async def clone(self, *, ready: bool = False) -> None:
        """Come to the page and speak until the voice can be used, or until it is ready."""
        await self.open()
        await self.start()
        await self.state("speaking")
        if ready:
            await self.shows("data-voice", "ready")

    async def skip(self) -> None:
        """Come to the page and speak with a voice that is there, without learning one."""
        await self.open()
        await self.start()
        await self.part("skip").click()
        await self.state("speaking")

    async def open_library(self) -> None:
        """Show the voices, which are folded away at first."""
        if await self.part("library").get_attribute("open") is None:
            await self.part("library").locator("summary").click()

    async def use_own_voice(self) -> None:
        """Speak with the voice that was learned in this call."""
        own = self.page.locator("[data-testid=voice][data-kind=call]")
        await own.get_by_test_id("voice-use").click()
        await expect(own).to_have_attribute("aria-current", "true", timeout=WAIT_MS)

    async def say(self, text: str) -> Locator:
        """Type a text and press Enter; the text's place in the transcript."""
        before = await self.part("utterance").count()
        await self.part("text").fill(text)
        await self.part("text").press("Enter")
        said = self.part("utterance").nth(before)
        await expect(said).to_be_visible(timeout=WAIT_MS)
        return said

    async def hear(self, text: str) -> Locator:
        """Say a text and wait until all of it was said."""
        said = await self.say(text)
        await self.ends(said, "done")
        return said

    async def ends(self, said: Locator, state: str) -> None:
        """Wait until a text in the transcript is in a state."""
        await expect(said).to_have_attribute("data-state", state, timeout=WAIT_MS)


@asynccontextmanager
async def demo_page(
    browser: Browser,
    url: str,
    **options: Any,  # noqa: ANN401
) -> AsyncIterator[DemoPage]:
    """A visitor for a service's page; ``options`` are those of ``chromium.visitor``."""
    async with visitor(browser, **options) as visiting:
        yield DemoPage(visiting, url)

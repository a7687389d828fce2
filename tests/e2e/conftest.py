"""What the tests of the page share: one service that speaks in tones, and one browser."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from tests.e2e.chromium import chromium, speaker_microphone
from tests.e2e.demo_page import DemoPage, demo_page
from tests.e2e.service import PATIENT, Served, serve

PLACES = 64
"""For visitors who left without a goodbye, whose sessions stay for a minute."""


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    """A service with the fake engine, ready."""
    folder = tmp_path_factory.mktemp("service")
    places = f"server.max_sessions={PLACES}"
    per_room = f"server.max_per_room={PLACES}"
    flags = (*PATIENT, "--set", places, "--set", per_room)
    async with serve(folder, *flags, ready=True) as served:
        yield served


@pytest.fixture(scope="package")
def microphone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real speaker, over and over again."""
    return speaker_microphone(tmp_path_factory.mktemp("microphone"))


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def browser(microphone: Path) -> AsyncIterator[Browser]:
    """A browser with that microphone."""
    async with chromium(microphone) as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="package")
async def demo(browser: Browser, service: Served) -> AsyncIterator[DemoPage]:
    """A new visitor, who has not opened the page yet."""
    async with demo_page(browser, service.url) as page:
        yield page


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def caller(browser: Browser, service: Served) -> AsyncIterator[DemoPage]:
    """A visitor whose voice is ready, for all tests that leave the call as they found it."""
    async with demo_page(browser, service.url) as page:
        await page.clone(ready=True)
        await page.open_library()
        yield page


@pytest_asyncio.fixture(loop_scope="package")
async def cloned(caller: DemoPage) -> DemoPage:
    """That visitor, with nothing being said, their own voice and plain delivery."""
    await caller.state("speaking")
    await caller.page.keyboard.press("Escape")
    await expect(caller.part("interrupt")).to_be_disabled()
    await caller.part("delivery-reset").click()
    await caller.use_own_voice()
    return caller

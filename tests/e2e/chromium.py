"""Debian's Chromium, driven by Playwright: a visitor with a microphone who hears what is played."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from playwright.async_api import Browser, ConsoleMessage, Page, async_playwright

from tests.clips import clip
from tests.e2e import ears as recording
from tests.e2e.ears import Ears
from voicepeer.audio import write_wav
from voicepeer.core.pcm import WIRE_RATE_HZ

PROGRAMS = ("chromium", "chromium-browser")
CHROMIUM = next(filter(None, map(shutil.which, PROGRAMS)), "")

PICTURES = os.environ.get("PAGE_SCREENSHOTS")
"""Folder for pictures of the page in each state; none are taken without it."""

WAIT_MS = 45_000.0
"""For anything that a page has to come to, on a machine that has much else to do."""

POLL_S = 0.05

DESKTOP: Mapping[str, Any] = {"viewport": {"width": 1280, "height": 900}}
PHONE: Mapping[str, Any] = {
    "viewport": {"width": 360, "height": 740},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}


SPEAKER = "en_jennifer"
SPEAKER_PAUSE_S = 0.6


def speaker_microphone(folder: Path, name: str = SPEAKER, pause_s: float = SPEAKER_PAUSE_S) -> Path:
    """A real speaker's clip with a pause after it, as Chromium's fake microphone takes it."""
    path = folder / f"{name}.wav"
    pause = np.zeros(round(pause_s * WIRE_RATE_HZ), np.float32)
    write_wav(path, np.concatenate([clip(name, WIRE_RATE_HZ), pause]), WIRE_RATE_HZ)
    return path


def silent_microphone(folder: Path) -> Path:
    """A microphone that gives nothing but zeros, as a muted one does."""
    path = folder / "silence.wav"
    write_wav(path, np.zeros(WIRE_RATE_HZ, np.float32), WIRE_RATE_HZ)
    return path


UNTOUCHED = (
    "--autoplay-policy=no-user-gesture-required",
    # Without this a page that may not use the microphone has only .local addresses.
    "--disable-features=WebRtcHideLocalIpsWithMdns",
)
"""Flags for pages that no user is at: they may play sound all the same, and use this machine's
addresses."""


@asynccontextmanager
async def chromium(
    microphone: Path | None, *more_flags: str, may_listen: bool = True
) -> AsyncIterator[Browser]:
    """A browser whose microphone plays a 48 kHz WAV file in a loop, or hums without one.

    Sound needs a user's gesture here, as it does for everybody, unless ``more_flags`` are
    ``UNTOUCHED``.
    """
    permission = "--use-fake-ui-for-media-stream" if may_listen else "--deny-permission-prompts"
    flags = ["--use-fake-device-for-media-stream", "--disable-dev-shm-usage", permission]
    flags += more_flags
    if microphone is not None:
        flags.append(f"--use-file-for-fake-audio-capture={microphone}")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        try:
            yield browser
        finally:
            await browser.close()


async def until(page: Page, condition: str, within_s: float = WAIT_MS / 1000) -> None:
    """Wait until an expression in a page is true.

    Raises:
        AssertionError: it did not come to that.
    """
    try:
        async with asyncio.timeout(within_s):
            # Playwright's own waiting takes eval, which the policy of our page forbids.
            while not await page.evaluate(condition):  # noqa: ASYNC110 - lies in the page
                await asyncio.sleep(POLL_S)
    except TimeoutError:
        raise AssertionError(f"never true: {condition}") from None


@asynccontextmanager
async def untouched_page(microphone: Path | None = None) -> AsyncIterator[Page]:
    """A page that no user is at, in a browser of its own."""
    async with chromium(microphone, *UNTOUCHED) as browser, await browser.new_page() as page:
        yield page


@dataclass
class Visitor:
    """One page in a profile of its own, and what came of it."""

    page: Page
    ears: Ears = field(default_factory=Ears)
    complaints: list[str] = field(default_factory=list)
    """What the page wrote to the console as an error, and exceptions nobody caught."""
    requests: list[str] = field(default_factory=list)
    """Addresses that the page asked for."""

    async def violations(self) -> list[str]:
        """What the Content-Security-Policy has forbidden the page since it was loaded."""
        told: list[str] = await self.page.evaluate("ears.violations")
        return told

    async def messages(self, name: str) -> list[dict[str, Any]]:
        """Fields of the service's messages with a name, each with ``atMs``."""
        told: list[dict[str, Any]] = await self.page.evaluate(
            """(name) => ears.messages.filter((one) => one.name === name)
                .map(({ fields, atMs }) => ({ ...fields, atMs }))""",
            name,
        )
        return told

    async def pressed_ms(self, key: str) -> float:
        """When a key was last pressed, by the page's clock."""
        at_ms: float = await self.page.evaluate(
            "(key) => ears.presses.findLast((one) => one.key === key).atMs", key
        )
        return at_ms

    async def picture(self, name: str, *, whole: bool = True) -> None:
        """Take a picture of the whole page, or of the window, where pictures are wanted."""
        if PICTURES:
            await self.page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=whole)

    def _complain(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(f"{message.text} ({message.location})")

    async def _listen(self, deaf: bool) -> None:
        page = self.page
        page.on("console", self._complain)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("websocket", lambda socket: self.requests.append(socket.url))
        await page.expose_binding(recording.BINDING, lambda _, chunk: self.ears.hear(chunk))
        await page.add_init_script(recording.SCRIPT + ("" if deaf else recording.RECORDER))


@asynccontextmanager
async def visitor(
    browser: Browser,
    *,
    deaf: bool = False,
    **options: Any,  # noqa: ANN401
) -> AsyncIterator[Visitor]:
    """A new visitor; ``options`` are Playwright's of a browser context, such as ``locale``.

    One who is deaf records nothing, and has the page's Content-Security-Policy in force. For the
    others it is off: it would forbid the recorder's worklet, which Chromium loads past all
    interception.
    """
    context = await browser.new_context(
        **{"locale": "en-US", "bypass_csp": not deaf, **DESKTOP, **options}
    )
    context.set_default_timeout(WAIT_MS)
    try:
        visiting = Visitor(await context.new_page())
        await visiting._listen(deaf)
        yield visiting
    finally:
        await context.close()

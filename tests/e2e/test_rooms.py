"""Participants of a room in a real Chromium, against a real service."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.browser import Browser, browser
from tests.e2e.service import serve

pytestmark = [pytest.mark.e2e, pytest.mark.needs("chromium", "chromium-browser")]

SCRIPT = (Path(__file__).parent / "room_page.js").read_text()

TONES_HZ = (440, 660, 880)
BIN_HZ = 48_000 / 4_096
"""Of the spectrum in the page, and so how exactly a tone is read off it."""

HEARS = "Math.abs(people[{at}].heardHz(people[{of}].participant) - {hz}) < 2 * {bin_hz}"
TALK_S = 5.0


@asynccontextmanager
async def hall(folder: Path) -> AsyncIterator[Browser]:
    """A page of a running service, in which participants can be made."""
    async with (
        serve(folder, ready=True) as service,
        browser(folder / "profile") as page,
    ):
        await page.open(service.url)
        await page.evaluate(SCRIPT)
        yield page


async def enter(page: Browser, name: str, **options: Any) -> None:  # noqa: ANN401
    """Let somebody come into the room."""
    fields = ", ".join(f"{key}: {value!r}" for key, value in {"name": name, **options}.items())
    await page.evaluate(f"enter({{ {fields} }})")


async def hears(page: Browser, at: int, of: int) -> None:
    """Wait until one hears the tone of another."""
    wanted = HEARS.format(at=at, of=of, hz=TONES_HZ[of], bin_hz=BIN_HZ)
    await page.until(f"people[{at}].participant && ({wanted})", 15)


async def test_three_hear_each_other_and_whoever_comes_back(tmp_path: Path) -> None:
    async with hall(tmp_path) as page:
        for name, hz in zip("ABC", TONES_HZ, strict=True):
            await enter(page, name, hz=hz)
        for at, of in ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)):
            await hears(page, at, of)
        await page.until("people.every((one) => one.speaking.length === 3)")

        before = await page.evaluate("people[0].received()")
        await page.evaluate(f"new Promise((resolve) => setTimeout(resolve, {TALK_S * 1000}))")
        after = await page.evaluate("people[0].received()")
        assert after["lost"] == before["lost"] == 0
        # A busy machine makes Chromium send fewer; of those that it sends none may be lost.
        assert after["packets"] - before["packets"] > 0.3 * 2 * 50 * TALK_S

        await page.evaluate("people.pop().close()")
        await page.until("people.every((one) => one.roster.size === 2)")
        await page.until("people[0].slots.filter((slot) => slot.participant).length === 1")
        await enter(page, "C", hz=TONES_HZ[2])
        for at, of in ((0, 2), (1, 2), (2, 0), (0, 1)):
            await hears(page, at, of)
        assert page.complaints == []


async def test_a_later_offer_adds_sections_to_the_same_connection(tmp_path: Path) -> None:
    async with hall(tmp_path) as page:
        await enter(page, "A", hz=TONES_HZ[0], voices=1)
        await enter(page, "B", hz=TONES_HZ[1], voices=1)
        await hears(page, 0, 1)
        await enter(page, "C", hz=TONES_HZ[2], voices=1)
        await page.evaluate("people[0].hearMore(2)")
        await page.until("people[0].slots.length === 3")
        await hears(page, 0, 1)
        await hears(page, 0, 2)
        assert await page.evaluate("people[0].ears.connectionState") == "connected"


async def test_what_is_muted_and_who_is_put_out_is_heard_no_more(tmp_path: Path) -> None:
    async with hall(tmp_path) as page:
        await enter(page, "A", hz=TONES_HZ[0])
        await enter(page, "B", hz=TONES_HZ[1])
        await hears(page, 0, 1)
        await page.evaluate("people[1].send('room.mute', { muted: true })")
        await page.until("people[0].slots.every((slot) => slot.participant === null)")
        await page.evaluate("people[1].send('room.mute', { muted: false })")
        await hears(page, 0, 1)
        target = "people[1].participant"
        await page.evaluate(f"people[0].send('room.kick', {{ participant: {target} }})")
        await page.until("people[1].events.some((event) => event.reason === 'kicked')")
        await page.until("people[0].roster.size === 1")


async def test_nobody_is_silent_after_many_have_come_and_gone(tmp_path: Path) -> None:
    async with hall(tmp_path) as page:
        await enter(page, "A", hz=TONES_HZ[0])
        for _ in range(5):
            await enter(page, "B", hz=TONES_HZ[1])
            await hears(page, 0, 1)
            await hears(page, 1, 0)
            await page.evaluate("people.pop().close()")
            await page.until("people[0].roster.size === 1")
        health = await page.evaluate("fetch('readyz').then((answer) => answer.json())")
        assert health["sessions"] == 1

"""Participants of a room in real Chromium pages, with the service's own client."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Browser, Page

from tests.e2e.chromium import Visitor, until, visitor

SCRIPT: Final = (Path(__file__).parent / "attendee.js").read_text()

TONES_HZ: Final[Mapping[str, int]] = {"Ada": 400, "Bob": 700, "Cat": 1100}
"""Whole periods of each last 10 ms, so that in blocks of that length none is heard as another."""

BIN_HZ = 48_000 / 4_096
"""Of the spectrum in the page, and so how exactly a tone is read off it."""

ROOM = "hall"


@dataclass
class Attendee:
    """Somebody with a page of their own."""

    name: str
    visitor: Visitor

    @property
    def page(self) -> Page:
        """Their page."""
        return self.visitor.page

    async def call(self, **options: Any) -> None:  # noqa: ANN401
        """Open a session, which is in no room yet; its microphone is the tone of their name."""
        # Sound needs a gesture.
        await self.page.mouse.click(2, 2)
        asked = {"hz": TONES_HZ[self.name], "name": self.name, "room": ROOM, **options}
        await self.page.evaluate(SCRIPT, asked)

    async def join(self, publish: str = "mic", **options: Any) -> None:  # noqa: ANN401
        """Enter the room."""
        await self.page.evaluate(
            "(options) => peer.room.join(options)", {"publish": publish, **options}
        )

    async def run(self, script: str) -> Any:  # noqa: ANN401 - any JSON
        """The value of an expression in their page."""
        return await self.page.evaluate(script)

    async def until(self, condition: str) -> None:
        """Wait until an expression in their page is true.

        Raises:
            AssertionError: it did not come to that.
        """
        try:
            await until(self.page, condition)
        except AssertionError as error:
            told = await self.run("JSON.stringify([window.told, window.peer?.room.view])")
            raise AssertionError(f"{self.name}: {error}; {told}") from None

    async def hears(self, other: str) -> None:
        """Wait until they hear the tone of another."""
        await self.until(f"Math.abs(heardHz('{other}') - {TONES_HZ[other]}) < {2 * BIN_HZ}")

    async def sees(self, *names: str) -> None:
        """Wait until just these are in the room with them."""
        wanted = sorted([*names, self.name])
        script = "peer.room.view.participants.map(({ name }) => name).sort()"
        await self.until(f"JSON.stringify({script}) === JSON.stringify({wanted})")

    async def reload(self) -> None:
        """Leave the page as a reload does, and go on with the session in it."""
        resume = await self.run("(peer.detach(), JSON.parse(sessionStorage.getItem('resume')))")
        await self.page.reload()
        await self.call(resume=resume)


async def hear_each_other(people: Sequence[Attendee]) -> None:
    """Wait until each of them hears each of the others."""
    for listener in people:
        for other in people:
            if other is not listener:
                await listener.hears(other.name)


@asynccontextmanager
async def attendees(
    browser: Browser,
    url: str,
    *names: str,
    publish: str | None = "mic",
    deaf: bool = True,
    **options: Any,  # noqa: ANN401
) -> AsyncIterator[list[Attendee]]:
    """People in a room, unless ``publish`` is ``None``; ``options`` are those of ``room.join``.

    What those hear who are not deaf is recorded.
    """
    async with AsyncExitStack() as stack:
        people = []
        for name in names:
            visiting = await stack.enter_async_context(visitor(browser, deaf=deaf))
            await visiting.page.goto(url)
            people.append(Attendee(name, visiting))
        for one in people:
            await one.call()
            if publish is not None:
                await one.join(publish, **options)
        yield people
        for one in people:
            assert one.visitor.complaints == [], one.name
            await one.run("peer.close()")

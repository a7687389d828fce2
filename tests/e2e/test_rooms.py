"""Participants of a room in real Chromium pages, against a real service."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.e2e.attendees import attendees, hear_each_other
from tests.e2e.chromium import PROGRAMS, chromium
from tests.node import WEB, run_program
from tests.peers.service import LocalService, running

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.needs(*PROGRAMS),
    pytest.mark.asyncio(loop_scope="module"),
]

EXAMPLE = WEB / "sdk" / "examples" / "room.ts"

ENTER = """(async () => {
    const { enterRoom } = await import("/example.js");
    Object.assign(window, { shown: [], heard: [], reasons: [] });
    window.leave = await enterRoom(peer, "Ada Lovelace", {
        show: (people) => { window.shown = people; },
        hear: (track, from) => heard.push(from),
        left: (reason) => reasons.push(reason),
    });
})()"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def quiet() -> AsyncIterator[Browser]:
    """A browser whose pages bring their own microphones."""
    async with chromium(None) as opened:
        yield opened


async def test_what_is_muted_and_who_is_put_out_is_heard_no_more(quiet: Browser) -> None:
    async with (
        running(LocalService()) as service,
        attendees(quiet, service.url, "Ada", "Bob") as (ada, bob),
    ):
        await hear_each_other([ada, bob])
        await bob.run("peer.room.mute(true)")
        await ada.until("find('Bob').muted && find('Bob').track === null")
        await bob.run("peer.room.mute(false)")
        await ada.hears("Bob")
        await bob.run("peer.room.publish('nothing')")
        await ada.until("find('Bob').track === null")
        await ada.run("peer.room.kick(find('Bob').id)")
        await bob.until("told.includes('left: kicked') && !peer.room.view.joined")
        await ada.sees()
        again = "peer.room.join().catch(({ code }) => code)"
        assert await bob.run(again) == "kept_out"
        assert await bob.run("peer.state") == "connected"


async def test_later_more_can_be_heard_over_the_same_connection(quiet: Browser) -> None:
    async with (
        running(LocalService()) as service,
        attendees(quiet, service.url, "Ada", "Bob", "Cat", voices=1) as (ada, _, _),
    ):
        await ada.until("peer.room.view.participants.filter(({ track }) => track).length === 1")
        peers = await ada.run("ears.peers.length")
        await ada.run("peer.room.join({ voices: 2 })")
        await ada.hears("Bob")
        await ada.hears("Cat")
        assert await ada.run("ears.peers.length") == peers


async def test_the_example_of_the_document_enters_a_room(quiet: Browser, tmp_path: Path) -> None:
    script = tmp_path / "room.js"
    run_program("esbuild", EXAMPLE, "--format=esm", "--log-level=error", f"--outfile={script}")
    async with (
        running(LocalService()) as service,
        attendees(quiet, service.url, "Ada", "Bob", publish=None) as (ada, bob),
    ):
        # From the service's own address, as the page's policy wants it.
        await ada.page.route("**/example.js", lambda route: route.fulfill(path=script))
        await ada.run(ENTER)
        await bob.join()
        await ada.until("shown.some(({ name, speaking }) => name === 'Bob' && speaking)")
        await ada.until("heard.length === 1 && heard[0].name === 'Bob'")
        await ada.hears("Bob")
        assert await ada.run("peer.room.me.name") == "Ada Lovelace"
        assert await ada.run("peer.room.me.publish") == "voice"
        await ada.run("leave()")
        await ada.until("reasons.length === 1 && reasons[0] === 'left'")
        await bob.sees()

"""Participants of a room in real Chromium pages, against a real service."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.e2e.attendees import attendees, hear_each_other
from tests.e2e.chromium import PROGRAMS, chromium
from tests.peers.service import LocalService, running

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.needs(*PROGRAMS),
    pytest.mark.asyncio(loop_scope="module"),
]


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
        assert await bob.run(again) == "forbidden"
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

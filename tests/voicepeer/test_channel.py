"""A data channel between two real peers: bounded both ways, whatever the other side does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiortc import RTCDataChannel, RTCSessionDescription

from tests.peers.clock import unhurried
from tests.peers.pair import opened
from voicepeer import rtc
from voicepeer.channel import INBOX_MESSAGES, OUTBOX_BYTES, MessageChannel
from voicepeer.core.envelope import MAX_MESSAGE_BYTES

pytestmark = pytest.mark.peer


class Owner:
    """Whoever has a channel, and a client on its other end."""

    def __init__(self) -> None:
        self.read: list[str | bytes] = []
        self.flood: list[str | bytes] = []
        self.lost: list[str] = []
        self.may_read = asyncio.Event()
        self.channel = MessageChannel(self._read, self._flooded, self.lost.append)

    async def _read(self, data: str | bytes) -> None:
        await self.may_read.wait()
        self.read.append(data)

    def _flooded(self, data: str | bytes) -> None:
        self.flood.append(data)


@asynccontextmanager
async def owned() -> AsyncIterator[tuple[Owner, RTCDataChannel]]:
    """A channel that runs, and the client's end of it."""
    rtc.install_patches()
    client, service = rtc.new_peer(), rtc.new_peer()
    owner = Owner()
    service.on("datachannel", owner.channel.adopt)
    theirs = client.createDataChannel("any")
    running = asyncio.create_task(owner.channel.run())
    try:
        await client.setLocalDescription(await client.createOffer())
        await service.setRemoteDescription(client.localDescription)
        await service.setLocalDescription(await service.createAnswer())
        answer = service.localDescription
        await client.setRemoteDescription(RTCSessionDescription(answer.sdp, answer.type))
        await opened(theirs)
        yield owner, theirs
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await asyncio.gather(rtc.close_peer(client), rtc.close_peer(service))


async def until_equal(counted: list[str | bytes], size: int) -> None:
    async with asyncio.timeout(10):
        while len(counted) < size:  # noqa: ASYNC110 - a list of the test's own
            await asyncio.sleep(0.02)


@unhurried
async def test_messages_are_read_in_order_and_those_that_are_too_many_are_told_of() -> None:
    async with owned() as (owner, theirs):
        sent = [f"message {number}" for number in range(INBOX_MESSAGES + 40)]
        for text in sent:
            theirs.send(text)
        async with asyncio.timeout(10):
            while len(owner.flood) < 39:  # noqa: ASYNC110 - one message is being read
                await asyncio.sleep(0.02)
        owner.may_read.set()
        await until_equal(owner.read, INBOX_MESSAGES + 1)
        assert owner.read == sent[: INBOX_MESSAGES + 1]
        theirs.send("after the flood")
        await until_equal(owner.read, INBOX_MESSAGES + 2)
        assert (len(owner.flood), owner.lost) == (39, [])


@unhurried
async def test_a_client_that_takes_nothing_is_given_up_before_memory_is() -> None:
    async with owned() as (owner, _):
        text = "x" * MAX_MESSAGE_BYTES
        for _ in range(2 * OUTBOX_BYTES // MAX_MESSAGE_BYTES):
            owner.channel.send(text)  # nothing leaves while this loop has the process
        assert set(owner.lost) == {"client_reads_nothing"}


@unhurried
async def test_what_fits_is_sent_and_nothing_after_the_end() -> None:
    async with owned() as (owner, theirs):
        got: list[str | bytes] = []
        theirs.on("message", got.append)
        for number in range(20):
            owner.channel.send(f"event {number}")
        owner.channel.close()
        owner.channel.send("too late")
        await until_equal(got, 20)
        await asyncio.sleep(0.2)
        assert got == [f"event {number}" for number in range(20)]
        assert owner.lost == []


@unhurried
async def test_without_a_channel_nothing_is_sent() -> None:
    owner = Owner()
    owner.channel.send("into the void")
    assert owner.lost == []

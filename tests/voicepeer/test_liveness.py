"""A busy machine is no vanished peer: what else comes makes up for an answer that does not."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from typing import cast

import aioice.ice
import pytest
from aioice.stun import Class, Message, Method, TransactionTimeout

from tests.peers.clock import unhurried
from voicepeer import liveness

pytestmark = pytest.mark.peer

ONCE_S = 0.5
"""How long aioice waits for the answer to what it asks once."""


class Receiver:
    """Takes what comes to a protocol."""

    def data_received(self, data: bytes, component: int) -> None:
        pass

    def protocol_lost(self, protocol: object) -> None:
        pass

    def request_received(self, message: Message, addr: tuple[str, int], protocol: object) -> None:
        pass


class Protocol(aioice.ice.StunProtocol):
    """aioice's, made forgiving without touching that of others."""

    datagram_received = liveness.counting(  # type: ignore[assignment]
        aioice.ice.StunProtocol.datagram_received
    )
    request = liveness.forgiving(aioice.ice.StunProtocol.request)


class Deaf(asyncio.DatagramProtocol):
    """The other side, which answers no question but sends packets."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.DatagramTransport, transport)


@contextlib.asynccontextmanager
async def between() -> AsyncIterator[tuple[Protocol, Deaf, tuple[str, int]]]:
    loop = asyncio.get_running_loop()
    local = ("127.0.0.1", 0)
    _, ours = await loop.create_datagram_endpoint(
        lambda: Protocol(Receiver()),  # type: ignore[arg-type]
        local,
    )
    _, theirs = await loop.create_datagram_endpoint(Deaf, local)
    host, port = ours.transport.get_extra_info("sockname")
    ours.local_candidate = aioice.Candidate("1", 1, "udp", 1, host, port, "host")
    try:
        yield ours, theirs, (host, port)
    finally:
        theirs.transport.close()
        await ours.close()


async def ask(ours: Protocol, theirs: Deaf, times: int | None = 0) -> None:
    question = Message(Method.BINDING, Class.REQUEST)
    await ours.request(question, theirs.transport.get_extra_info("sockname"), None, times)


async def send_soon(theirs: Deaf, addr: tuple[str, int]) -> None:
    await asyncio.sleep(ONCE_S / 5)
    theirs.transport.sendto(b"\x80 a packet of sound", addr)


@unhurried
async def test_who_sends_packets_is_there_although_it_does_not_answer() -> None:
    async with between() as (ours, theirs, addr):
        setattr(ours, liveness._ANSWERED_S, time.monotonic())
        await asyncio.gather(ask(ours, theirs), send_soon(theirs, addr))


@unhurried
async def test_who_sends_nothing_is_not() -> None:
    async with between() as (ours, theirs, addr):
        setattr(ours, liveness._ANSWERED_S, time.monotonic())
        await send_soon(theirs, addr)
        await asyncio.sleep(0.1)
        with pytest.raises(TransactionTimeout):
            await ask(ours, theirs)


@unhurried
async def test_packets_are_no_consent_where_there_was_none() -> None:
    async with between() as (ours, theirs, addr):
        with pytest.raises(TransactionTimeout):
            await asyncio.gather(ask(ours, theirs), send_soon(theirs, addr))


@unhurried
async def test_a_consent_ends_after_half_a_minute_whatever_comes() -> None:
    async with between() as (ours, theirs, addr):
        setattr(ours, liveness._ANSWERED_S, time.monotonic() - liveness.CONSENT_LASTS_S)
        with pytest.raises(TransactionTimeout):
            await asyncio.gather(ask(ours, theirs), send_soon(theirs, addr))


@unhurried
async def test_other_questions_need_an_answer() -> None:
    async with between() as (ours, theirs, addr):
        setattr(ours, liveness._ANSWERED_S, time.monotonic())
        with pytest.raises(TransactionTimeout):
            await asyncio.gather(ask(ours, theirs, times=1), send_soon(theirs, addr))

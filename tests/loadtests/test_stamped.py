"""UDP sockets whose packets have the kernel's times."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from loadtests.arrivals import Arrivals
from loadtests.stamped import StampedSocket, StampingLoop, packets_for
from tests.loadtests.test_arrivals import header

pytestmark = pytest.mark.peer

ResultT = TypeVar("ResultT")
PAYLOAD = bytes(40)


class Inbox(asyncio.DatagramProtocol):
    """Keeps what comes."""

    def __init__(self) -> None:
        self.received: list[bytes] = []
        self.changed = asyncio.Event()

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        self.received.append(data)
        self.changed.set()

    async def until(self, count: int) -> None:
        async with asyncio.timeout(10):
            while len(self.received) < count:
                self.changed.clear()
                await self.changed.wait()


def in_stamping_loop(work: Callable[[], Awaitable[ResultT]]) -> ResultT:
    async def run() -> ResultT:
        return await work()

    with asyncio.Runner(loop_factory=StampingLoop) as runner:
        return runner.run(run())


async def opened(
    arrivals: Arrivals | None,
) -> tuple[asyncio.DatagramTransport, Inbox, tuple[str, int]]:
    loop = asyncio.get_running_loop()
    with packets_for(arrivals):
        transport, inbox = await loop.create_datagram_endpoint(Inbox, local_addr=("127.0.0.1", 0))
    return transport, inbox, transport.get_extra_info("sockname")


def test_a_late_reader_does_not_change_the_times() -> None:
    async def work() -> list[float]:
        arrivals = Arrivals()
        transport, inbox, address = await opened(arrivals)
        sender, _, _ = await opened(None)
        for sequence in range(3):
            sender.sendto(header(sequence) + PAYLOAD, address)
            time.sleep(0.03)  # noqa: ASYNC251 - the reader is held up, that is the point
        await inbox.until(3)
        transport.close()
        sender.close()
        return arrivals.drain()

    first_ms, second_ms = in_stamping_loop(work)
    # All three are read at once, and yet there is as much between them as there was.
    assert first_ms >= 29.0
    assert second_ms >= 29.0


def test_only_media_is_looked_at_and_all_is_passed_on() -> None:
    async def work() -> tuple[list[bytes], list[float]]:
        arrivals = Arrivals()
        transport, inbox, address = await opened(arrivals)
        sender, _, _ = await opened(None)
        sent = [b"\x00\x01" + bytes(20), header(1) + PAYLOAD, b"\x80\xc8" + bytes(30)]
        for datagram in (*sent, header(2) + PAYLOAD):
            sender.sendto(datagram, address)
        await inbox.until(4)
        transport.close()
        sender.close()
        return inbox.received, arrivals.drain()

    received, gaps_ms = in_stamping_loop(work)
    assert len(received) == 4
    assert len(gaps_ms) == 1


def test_what_is_to_be_lost_does_not_come() -> None:
    async def work() -> list[bytes]:
        transport, inbox, address = await opened(Arrivals(loss=1.0))
        sender, _, _ = await opened(None)
        sender.sendto(header(1) + PAYLOAD, address)
        sender.sendto(b"\x00\x01" + bytes(20), address)
        await inbox.until(1)
        transport.close()
        sender.close()
        return inbox.received

    (only,) = in_stamping_loop(work)
    assert only.startswith(b"\x00\x01")


def test_nobody_asks_and_sockets_are_as_they_always_are() -> None:
    async def work() -> None:
        transport, _, _ = await opened(None)
        assert not isinstance(transport.get_extra_info("socket")._sock, StampedSocket)
        transport.close()

    in_stamping_loop(work)


def test_an_address_that_is_not_here_is_refused_and_nothing_stays_open() -> None:
    async def work() -> None:
        loop = asyncio.get_running_loop()
        with packets_for(Arrivals()), pytest.raises(OSError, match="assign"):
            await loop.create_datagram_endpoint(Inbox, local_addr=("192.0.2.1", 0))

    in_stamping_loop(work)

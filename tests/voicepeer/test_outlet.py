"""Packets out through aiortc's sender, over a real connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiortc import RTCPeerConnection, RTCRtpReceiver, RTCRtpSender, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError
from aiortc.rtcdtlstransport import RTCDtlsTransport

from tests.peers.clock import unhurried
from tests.peers.leaks import nothing_left_behind
from tests.peers.room import until
from voicepeer import rtc
from voicepeer.forwarding import MediaPacket
from voicepeer.negotiation import Negotiation
from voicepeer.outlet import (
    Outlet,
    ParkedTrack,
    ReceivedPacket,
    missing,
    pass_on_loss,
    received,
)
from voicepeer.rtc import SendDatagram, UnsupportedAiortc

pytestmark = pytest.mark.peer


@dataclass
class Sink:
    """A receive buffer that keeps what comes, and in how long a header."""

    capacity: int = 64
    packets: list[MediaPacket] = field(default_factory=list)
    mids: list[str | None] = field(default_factory=list)

    def add(self, packet: Any) -> tuple[bool, None]:  # noqa: ANN401 - aiortc's own
        one: ReceivedPacket = packet
        self.packets.append(received(one))
        self.mids.append(packet.extensions.mid)
        return False, None


@dataclass
class Link:
    """A listener's connection with its outlets, and what has come of them."""

    negotiation: Negotiation
    client: RTCPeerConnection
    outlets: list[Outlet]
    sinks: list[Sink]


@asynccontextmanager
async def listening(
    sections: int = 1, munge: Callable[[str], str] = lambda sdp: sdp, connect: bool = True
) -> AsyncIterator[Link]:
    """Somebody who hears so many streams."""
    rtc.install_patches()
    outlets: list[Outlet] = []
    negotiation = Negotiation(
        (), None, lambda peer: None, lambda section: outlets.append(Outlet(section)), "room"
    )
    client = rtc.new_peer()
    try:
        for _ in range(sections):
            client.addTransceiver("audio", direction="recvonly")
        await client.setLocalDescription(await client.createOffer())
        answer = await negotiation.answer(munge(client.localDescription.sdp))
        sinks = [Sink() for _ in range(sections)]
        for receiver, sink in zip(client.getReceivers(), sinks, strict=True):
            rtc.install_receive_buffer(receiver, sink)
        if connect:
            await client.setRemoteDescription(RTCSessionDescription(answer, "answer"))
            peer = negotiation.peer
            assert peer is not None
            await until(lambda: peer.connectionState == "connected")
        yield Link(negotiation, client, outlets, sinks)
    finally:
        await rtc.close_peer(client)
        await negotiation.close()
        for outlet in outlets:
            await outlet.close()


@unhurried
async def test_a_packet_arrives_as_it_was_sent() -> None:
    async with nothing_left_behind(), listening(2) as link:
        assert link.outlets[1].send(1_000, 4_000_000_000, True, b"\x08opus", 0x80 | 33)
        assert link.outlets[0].send(7, 0, False, b"\x08", None)
        await until(lambda: all(sink.packets for sink in link.sinks))
    [first], [second] = link.sinks[0].packets, link.sinks[1].packets
    assert (first.sequence, first.timestamp, first.payload) == (7, 0, b"\x08")
    assert (first.marker, first.level) == (False, None)
    assert (second.sequence, second.timestamp) == (1_000, 4_000_000_000)
    assert (second.payload, second.marker, second.level) == (b"\x08opus", True, 0x80 | 33)
    assert first.ssrc != second.ssrc
    assert [sink.mids for sink in link.sinks] == [["0"], ["1"]]


@unhurried
async def test_extensions_that_were_not_agreed_on_are_left_out() -> None:
    def without_extensions(sdp: str) -> str:
        lines = sdp.splitlines(keepends=True)
        return "".join(line for line in lines if not line.startswith("a=extmap:"))

    async with listening(munge=without_extensions) as link:
        link.outlets[0].send(1, 1, False, b"\x08opus", 30)
        await until(lambda: bool(link.sinks[0].packets))
    [packet] = link.sinks[0].packets
    assert (packet.payload, packet.level, link.sinks[0].mids) == (b"\x08opus", None, [None])


@unhurried
async def test_losses_and_order_are_those_of_the_numbers() -> None:
    async with listening() as link:
        for sequence in (65_534, 65_535, 1, 0, 2):
            assert link.outlets[0].send(sequence, sequence * 960 % (1 << 32), False, b"\x08", None)
        await until(lambda: len(link.sinks[0].packets) == 5)
    assert [one.sequence for one in link.sinks[0].packets] == [65_534, 65_535, 1, 0, 2]


@unhurried
async def test_nothing_leaves_before_the_connection_stands_nor_after_it() -> None:
    async with listening(connect=False) as link:
        assert not link.outlets[0].send(1, 1, False, b"\x08", None)
    assert not link.outlets[0].send(2, 2, False, b"\x08", None)


@unhurried
async def test_what_is_too_old_to_be_encrypted_does_not_leave() -> None:
    """A sender, too, has a window of numbers (RFC 3711 section 3.3.2)."""
    async with listening() as link:
        assert link.outlets[0].send(5_000, 1, False, b"\x08", None)
        assert link.outlets[0].send(4_999, 1, False, b"\x08", None)
        assert not link.outlets[0].send(1, 1, False, b"\x08", None)


@unhurried
async def test_reports_come_and_go() -> None:
    async with listening() as link:
        [outlet] = link.outlets
        sequences = iter(range(10_000))

        async def report() -> float | None:
            sequence = next(sequences)
            if sequence % 5:
                outlet.send(sequence, sequence * 960, False, b"\x08", None)
            await asyncio.sleep(0.005)
            told = await rtc.receiver_report(outlet.sender)
            return None if told is None or not told.fraction_lost else told.round_trip_s

        async with asyncio.timeout(8):
            while (round_trip_s := await report()) is None:
                continue
        assert 0 <= round_trip_s < 1
        told = await rtc.receiver_report(outlet.sender)
        assert told is not None
        assert told.fraction_lost == pytest.approx(0.2, abs=0.1)


@unhurried
async def test_a_connection_that_lets_packets_wait_gets_them_all() -> None:
    """As a TURN client does while it binds a channel."""
    bound = asyncio.Event()

    def waiting(send: SendDatagram) -> SendDatagram:
        async def send_once_bound(datagram: bytes) -> None:
            await bound.wait()
            await asyncio.sleep(0)
            await send(datagram)

        return send_once_bound

    async with nothing_left_behind(), listening() as link:
        peer = link.negotiation.peer
        assert peer is not None
        rtc.wrap_sending(peer, waiting)
        for sequence in range(3):
            assert link.outlets[0].send(sequence, 0, False, b"\x08", None)
        await asyncio.sleep(0.05)
        assert link.sinks[0].packets == []
        bound.set()
        await until(lambda: len(link.sinks[0].packets) == 3)
        bound.clear()
        assert link.outlets[0].send(3, 0, False, b"\x08", None)
        bound.set()


@unhurried
async def test_a_relay_that_fails_costs_the_packet_only(caplog: pytest.LogCaptureFixture) -> None:
    fails = True

    def failing(send: SendDatagram) -> SendDatagram:
        async def send_or_fail(datagram: bytes) -> None:
            await asyncio.sleep(0)
            if fails:
                raise TimeoutError("no channel")
            await send(datagram)

        return send_or_fail

    async with listening() as link:
        peer = link.negotiation.peer
        assert peer is not None
        caplog.set_level("INFO", "voicepeer.outlet")
        rtc.wrap_sending(peer, failing)
        link.outlets[0].send(0, 0, False, b"\x08", None)
        await until(lambda: "TimeoutError" in caplog.text)
        fails = False
        link.outlets[0].send(1, 0, False, b"\x08", None)
        await until(lambda: len(link.sinks[0].packets) == 1)


@unhurried
async def test_a_parked_track_gives_nothing_until_it_is_stopped() -> None:
    track = ParkedTrack()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await track.recv()
    track.stop()
    with pytest.raises(MediaStreamError):
        await track.recv()


@unhurried
async def test_loss_further_on_is_reported_to_the_sender() -> None:
    """A publisher without any loss of its own is told of that of its listeners."""
    rtc.install_patches()
    passed_on = 0.25
    receivers: list[RTCRtpReceiver] = []
    publishing = Negotiation(
        (), None, lambda peer: None, lambda section: receivers.append(section.receiver), "publish"
    )
    client = rtc.new_peer()
    sender = client.addTransceiver("audio", direction="sendonly")
    await client.setLocalDescription(await client.createOffer())
    answer = await publishing.answer(client.localDescription.sdp)
    pass_on_loss(receivers[0], lambda: passed_on)
    try:
        await client.setRemoteDescription(RTCSessionDescription(answer, "answer"))
        outlet = Outlet(sender)
        await until(lambda: client.connectionState == "connected")
        reports = []
        for sequence in range(400):
            outlet.send(sequence, sequence * 960, False, b"\x08", None)
            await asyncio.sleep(0.01)
            report = await rtc.receiver_report(outlet.sender)
            if report is not None:
                reports.append(report.fraction_lost)
                passed_on = 0.0
            if reports and reports[-1] == 0.0:
                break
        assert reports[0] == pytest.approx(0.25, abs=0.01)
        assert reports[-1] == 0.0
    finally:
        await outlet.close()
        await rtc.close_peer(client)
        await publishing.close()


def test_the_installed_aiortc_has_all_that_is_used() -> None:
    assert missing() is None


async def _other(self: object, *arguments: object) -> None:
    """Stands for what another version does."""


@pytest.mark.parametrize(
    ("owner", "name", "part"),
    [
        (RTCRtpSender, "__init__", "counts in another way"),
        (RTCDtlsTransport, "_send_rtp", "sends RTP in another way"),
        (RTCRtpReceiver, "_run_rtcp", "reports in another way"),
    ],
)
def test_another_aiortc_is_refused(
    monkeypatch: pytest.MonkeyPatch, owner: type, name: str, part: str
) -> None:
    monkeypatch.setattr(owner, name, _other)
    with pytest.raises(UnsupportedAiortc, match=part):
        rtc.self_test()

"""The aiortc adapter: the self-test, the patches, SDP and candidates."""

from __future__ import annotations

import asyncio
import gc
import random

import aioice.ice
import aiortc
import aiortc.codecs
import aiortc.rtp
import pytest
from aiortc import RTCRtpReceiver, RTCRtpSender
from aiortc.mediastreams import AudioStreamTrack

from tests.peers.clock import ScriptedClock, scripted
from tests.peers.leaks import nothing_left_behind
from tests.peers.pair import connected, opened
from voicepeer import rtc
from voicepeer.benches.network import Impairment, impair
from voicepeer.core.sdp import BadDescription
from voicepeer.core.speaking.pacer import Pacer
from voicepeer.jitter import AudioReceiver
from voicepeer.level import audio_level_dbov
from voicepeer.rtc import UnsupportedAiortc
from voicepeer.tracks import SpeechTrack

pytestmark = pytest.mark.peer

HOST = "candidate:1 1 udp 2130706431 192.0.2.7 50000 typ host"


async def offer(*kinds: str) -> str:
    """The offer of a peer that wants audio, data or both."""
    peer = rtc.new_peer()
    if "audio" in kinds:
        peer.addTrack(AudioStreamTrack())
    if "data" in kinds:
        peer.createDataChannel("control")
    await peer.setLocalDescription(await peer.createOffer())
    sdp = str(peer.localDescription.sdp)
    await rtc.close_peer(peer)
    return sdp


async def refusal(sdp: str) -> str | None:
    """Why an offer is refused, or ``None`` if it is answered; nothing may be left behind."""
    async with nothing_left_behind():
        peer = rtc.new_peer()
        try:
            await rtc.apply_offer(peer, sdp)
            await rtc.make_answer(peer)
        except BadDescription as error:
            return str(error)
        finally:
            await rtc.close_peer(peer)
    return None


@pytest.fixture(autouse=True)
def patched() -> None:
    rtc.install_patches()


def test_the_installed_version_passes_the_self_test() -> None:
    rtc.self_test()


@pytest.mark.parametrize("version", ["1.15.0", "2.0.0", "1.160.0"])
def test_another_version_is_refused(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(aiortc, "__version__", version)
    with pytest.raises(UnsupportedAiortc, match=r"pip install 'aiortc==1\.16"):
        rtc.self_test()


def test_a_receiver_without_the_jitter_buffer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    async def handle(self: object, packet: object, arrival_time_ms: int) -> None: ...

    monkeypatch.setattr(RTCRtpReceiver, "_handle_rtp_packet", handle)
    with pytest.raises(UnsupportedAiortc, match="jitter buffer"):
        rtc.self_test()


def test_another_codec_table_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(aiortc.codecs.HEADER_EXTENSIONS, "audio", [])
    with pytest.raises(UnsupportedAiortc, match="table"):
        rtc.self_test()


def test_patches_are_installed_once() -> None:
    before = aioice.ice.Connection.query_consent
    rtc.install_patches()
    assert aioice.ice.Connection.query_consent is before
    assert (aioice.ice.CONSENT_INTERVAL, aioice.ice.CONSENT_FAILURES) == (1, 3)


def test_a_receiver_without_the_private_name_is_refused() -> None:
    with pytest.raises(UnsupportedAiortc):
        rtc.install_receive_buffer(object(), object())  # type: ignore[arg-type]


async def test_offers_use_the_numbers_of_chromium() -> None:
    sdp = await offer("audio", "data")
    assert "a=rtpmap:111 opus/48000/2" in sdp
    assert "a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid" in sdp
    assert "a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level" in sdp


async def test_no_ice_server_is_asked_unless_given() -> None:
    servers = rtc.new_peer()._RTCPeerConnection__configuration.iceServers  # type: ignore[attr-defined]
    assert servers == []
    peer = rtc.new_peer([{"urls": ["turn:turn.example:3478"], "username": "u", "credential": "c"}])
    assert [s.credential for s in peer._RTCPeerConnection__configuration.iceServers] == ["c"]  # type: ignore[attr-defined]


async def test_answers_ask_for_opus_with_fec_once() -> None:
    async with nothing_left_behind():
        peer = rtc.new_peer()
        await rtc.apply_offer(peer, await offer("audio"))
        answer = await rtc.make_answer(peer)
        assert answer.count("useinbandfec=1") == 1
        assert f"a=fmtp:111 {rtc.OPUS_PARAMETERS}" in answer
        assert rtc.with_opus_parameters(answer) == answer
        await rtc.close_peer(peer)


@pytest.mark.parametrize("sdp", ["", "v=0", "nonsense\r\n", "v=0\r\nm=audio x y\r\n", "\x00" * 99])
async def test_a_malformed_offer_is_refused(sdp: str) -> None:
    assert await refusal(sdp)


async def test_a_mangled_offer_is_refused_or_answered_but_never_breaks() -> None:
    whole, chance = await offer("audio", "data"), random.Random(11)
    refusals = []
    for _ in range(60):
        lines = whole.splitlines(keepends=True)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(lines))
            lines[at] = chance.choice(["", lines[at][::-1], lines[at][: len(lines[at]) // 2]])
        refusals.append(await refusal("".join(lines)))
    assert any(refusals)
    assert not all(refusals)


@pytest.mark.parametrize("text", ["", "candidate:", "x", HOST.replace("50000", "port")])
async def test_a_malformed_candidate_is_refused(text: str) -> None:
    peer = rtc.new_peer()
    await rtc.apply_offer(peer, await offer("audio"))
    with pytest.raises(BadDescription):
        await rtc.add_candidate(peer, text, 0)
    await rtc.close_peer(peer)


async def test_closing_at_any_moment_of_connecting_leaves_no_task() -> None:
    async def once(pause_s: float) -> None:
        one, other = rtc.new_peer(), rtc.new_peer()
        one.createDataChannel("control")
        one.addTrack(AudioStreamTrack())
        other.addTrack(AudioStreamTrack())
        await one.setLocalDescription(await one.createOffer())
        await rtc.apply_offer(other, one.localDescription.sdp)
        answer = await rtc.make_answer(other)
        await one.setRemoteDescription(aiortc.RTCSessionDescription(sdp=answer, type="answer"))
        await asyncio.sleep(pause_s)
        await rtc.close_peer(other)
        await rtc.close_peer(one)

    async with nothing_left_behind():
        # Together they are slow enough to be met in every step of the handshake.
        for _ in range(3):
            await asyncio.gather(*(once(index * 0.012) for index in range(10)))


async def test_stopping_or_closing_at_any_moment_of_gathering_leaves_no_socket() -> None:
    async def describe(answering: bool) -> None:
        peer = rtc.new_peer()
        try:
            if answering:
                await rtc.apply_offer(peer, offered)
                await rtc.make_answer(peer)
            else:
                peer.addTrack(AudioStreamTrack())
                await rtc.make_offer(peer)
        finally:
            await rtc.close_peer(peer)

    async def stopped_after(turns: int, answering: bool) -> None:
        work = asyncio.create_task(describe(answering))
        for _ in range(turns):
            await asyncio.sleep(0)
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)

    async def closed_after(turns: int) -> None:
        peer = rtc.new_peer()
        peer.addTrack(AudioStreamTrack())
        work = asyncio.create_task(rtc.make_offer(peer))
        for _ in range(turns):
            await asyncio.sleep(0)
        await rtc.close_peer(peer)
        await asyncio.gather(work, return_exceptions=True)

    offered = await offer("audio")
    async with nothing_left_behind():
        for turns in range(40):
            await stopped_after(turns, answering=False)
            await stopped_after(turns, answering=True)
            await closed_after(turns)


async def test_what_nobody_waits_for_any_more_may_fail_in_silence(
    caplog: pytest.LogCaptureFixture,
) -> None:
    peer = rtc.new_peer()
    unasked = aiortc.RTCSessionDescription(sdp="v=0\r\n", type="answer")
    work = asyncio.create_task(rtc._describe(peer, unasked))
    await asyncio.sleep(0)
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)
    assert work.cancelled(), "it was stopped before it could be told"
    await rtc.close_peer(peer)
    del peer, work
    gc.collect()
    assert "never retrieved" not in caplog.text


def test_levels_are_measured_by_ours() -> None:
    assert aiortc.rtp.compute_audio_level_dbov is audio_level_dbov


def test_a_sender_that_measures_levels_otherwise_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def other(self: object, codec: object) -> None: ...

    monkeypatch.setattr(rtc, "_NEXT_FRAME", other)
    with pytest.raises(UnsupportedAiortc, match="levels"):
        rtc.self_test()


def test_a_sender_that_tells_levels_otherwise_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    async def other(self: object, codec: object) -> None: ...

    monkeypatch.setattr(RTCRtpSender, "_run_rtp", other)
    with pytest.raises(UnsupportedAiortc, match="tells levels in another way"):
        rtc.self_test()


async def test_what_a_peer_sends_and_receives_can_be_wrapped() -> None:
    peer, other = rtc.new_peer(), rtc.new_peer()
    channel = peer.createDataChannel("control")
    await peer.setLocalDescription(await peer.createOffer())
    await rtc.apply_offer(other, peer.localDescription.sdp)
    answer = await rtc.make_answer(other)
    await peer.setRemoteDescription(aiortc.RTCSessionDescription(sdp=answer, type="answer"))
    await opened(channel)
    sizes: list[int] = []

    def wrap(send: rtc.SendDatagram) -> rtc.SendDatagram:
        async def counted(datagram: bytes) -> None:
            sizes.append(len(datagram))
            await send(datagram)

        return counted

    rtc.wrap_sending(peer, wrap)
    arrived: list[int] = []

    def wrap_receive(receive: rtc.ReceiveDatagram) -> rtc.ReceiveDatagram:
        async def counted() -> bytes:
            datagram = await receive()
            arrived.append(len(datagram))
            return datagram

        return counted

    rtc.wrap_receiving(other, wrap_receive)
    heard: asyncio.Queue[object] = asyncio.Queue()
    other.on("datachannel", lambda channel: channel.on("message", heard.put_nowait))
    await asyncio.sleep(0.1)
    channel.send("x" * 500)
    async with asyncio.timeout(30):
        while not (set(sizes) & set(arrived) and max(sizes) > 500):  # noqa: ASYNC110 - counted
            await asyncio.sleep(0.01)
    await asyncio.gather(rtc.close_peer(peer), rtc.close_peer(other))


@scripted
async def test_reports_of_the_listener_are_read_as_they_come(clock: ScriptedClock) -> None:
    receiver = AudioReceiver()
    async with connected(SpeechTrack(Pacer()), receiver) as (sender, _):
        assert await rtc.receiver_report(sender.getSenders()[0]) is None
        await asyncio.sleep(5.0)
        impair(sender, Impairment(loss=0.4))
        await asyncio.sleep(4.0)
        report = await rtc.receiver_report(sender.getSenders()[0])
    assert report is not None
    assert 0.2 < report.fraction_lost < 0.6
    assert report.round_trip_s is not None
    assert report.round_trip_s < 0.1

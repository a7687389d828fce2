"""Connections that are made in unusual ways come about, over real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from aiohttp import ClientSession
from aiortc import (
    RTCBundlePolicy,
    RTCConfiguration,
    RTCDataChannel,
    RTCPeerConnection,
    RTCSessionDescription,
)

from engines.fakes import FakeSpeechEngine, tone_hz
from signaling.sessions import SessionRefused, SessionRequest
from tests.peers import glitches
from tests.peers.caller import MemoryShelf
from tests.peers.clock import unhurried
from tests.peers.engine import LocalEngine
from tests.peers.pair import opened
from tests.peers.service import running
from tests.voicepeer import offers
from voicepeer import rtc
from voicepeer.core.candidates import MAX_CANDIDATES
from voicepeer.core.messages import (
    Done,
    Ping,
    Pong,
    ServerMessage,
    Speak,
    VoiceUse,
    decode_server,
    encode_client,
)
from voicepeer.core.speaking.pacer import Pacer
from voicepeer.recorder import Recorder
from voicepeer.session import Session
from voicepeer.tracks import SpeechTrack

pytestmark = pytest.mark.peer

WITHIN_S = 20.0
MDNS = "candidate:9 1 udp 2113937151 0f3a8c1e-9d2b-4c0e-8a51-0c35e1a7b6d2.local 54321 typ host"
TCP = "candidate:8 1 tcp 1518214911 192.0.2.17 9 typ host tcptype active"


@dataclass
class Client:
    """A peer without any code of ours in its connection, and the session it talks to."""

    session: Session
    peer: RTCPeerConnection
    channel: RTCDataChannel
    messages: list[ServerMessage] = field(default_factory=list)
    recorder: Recorder = field(default_factory=Recorder)

    async def offer(self) -> str:
        await self.peer.setLocalDescription(await self.peer.createOffer())
        return str(self.peer.localDescription.sdp)

    async def accept(self, answer: str) -> None:
        await self.peer.setRemoteDescription(RTCSessionDescription(answer, "answer"))

    async def wait_for(self, kind: type[ServerMessage]) -> None:
        async with asyncio.timeout(WITHIN_S):
            while not any(isinstance(one, kind) for one in self.messages):  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    async def is_connected(self) -> None:
        """Wait until the session answers over the data channel."""
        await opened(self.channel)
        self.channel.send(encode_client(Ping(sent_ms=1)))
        await self.wait_for(Pong)

    async def say(self, text: str) -> None:
        """Have a text said in a stock voice, to its end."""
        self.channel.send(encode_client(VoiceUse(voice_id="high")))
        self.channel.send(encode_client(Speak(utterance_id="u", text=text)))
        await self.wait_for(Done)


@asynccontextmanager
async def client(audio: bool = True, bundled: bool = True) -> AsyncIterator[Client]:
    """A client with a data channel and maybe a microphone; all is closed at the end."""
    rtc.install_patches()
    policy = RTCBundlePolicy.MAX_BUNDLE if bundled else RTCBundlePolicy.MAX_COMPAT
    peer = RTCPeerConnection(RTCConfiguration(iceServers=[], bundlePolicy=policy))
    microphone = SpeechTrack(Pacer())
    if audio:
        peer.addTrack(microphone)
    channel = peer.createDataChannel("rtvi")
    session = Session(SessionRequest("room", "name"), LocalEngine(), MemoryShelf())
    one = Client(session, peer, channel)
    channel.on("message", lambda data: one.messages.append(decode_server(data)))
    try:
        yield one
    finally:
        await session.close("test over")
        one.recorder.receiver.close()
        await rtc.close_peer(peer)
        microphone.stop()


def candidates(sdp: str) -> list[str]:
    """Those of the first section that has any."""
    found = (offers.values(lines, "candidate") for lines in offers.sections(sdp))
    return [f"candidate:{value}" for value in next(filter(None, found))]


def bare(sdp: str) -> str:
    """An offer that leaves its candidates for later."""
    return offers.drop(sdp, "a=(candidate:.*|end-of-candidates)")


@unhurried
async def test_candidates_may_come_before_the_offer() -> None:
    async with client() as one:
        offer = await one.offer()
        for text in candidates(offer):
            await one.session.add_candidate(text, "0", 0)
        await one.accept(await one.session.answer(bare(offer)))
        await one.is_connected()


@pytest.mark.parametrize("end", [None, "", "a=end-of-candidates"])
@unhurried
async def test_the_end_of_candidates_has_many_forms_and_none_ends_the_attempt(
    end: str | None,
) -> None:
    async with client() as one:
        offer = await one.offer()
        await one.session.add_candidate(end, "0", 0)
        answer = await one.session.answer(bare(offer))
        await one.session.add_candidate(end, "0", 0)
        for text in candidates(offer):
            await one.session.add_candidate(f"a={text}", "0", 0)
        await one.session.add_candidate(end, None, None)
        await one.accept(answer)
        await one.is_connected()


@unhurried
async def test_useless_candidates_are_ignored_and_hundreds_cost_nothing() -> None:
    async with client() as one:
        offer = await one.offer()
        answer = await one.session.answer(bare(offer))
        useless = [MDNS, TCP, MDNS.replace("udp", "UDP"), *candidates(offer)[:1] * 5]
        useless += [f"candidate:{n} 1 udp 1 198.51.100.7 {9000 + n} typ host" for n in range(500)]
        for text in useless:
            await one.session.add_candidate(text, "1", 1)
        peer = one.session.peer
        assert peer is not None
        assert peer.sctp is not None
        taken = peer.sctp.transport.transport._connection.remote_candidates
        assert len(taken) == MAX_CANDIDATES
        await one.accept(answer)
        await one.is_connected()


@unhurried
async def test_over_the_socket_candidates_come_as_browsers_write_them() -> None:
    async with client() as one, running() as service, ClientSession(service.url) as http:
        offer = await one.offer()
        found = candidates(offer)
        written: list[dict[str, object]] = [
            {"candidate": found[0], "sdpMid": "0", "sdpMLineIndex": 0, "usernameFragment": None},
            {"candidate": found[0], "sdpMid": None, "sdpMLineIndex": None},
            {"candidate": MDNS, "sdpMid": "0"},
            {"candidate": ""},
            {"candidate": None},
            {},
        ]
        async with http.ws_connect("/ws") as socket:
            await socket.send_json({"type": "join"})
            assert (await socket.receive_json())["type"] == "joined"
            for fields in written:
                await socket.send_json({"type": "candidate"} | fields)
            await socket.send_json({"type": "offer", "sdp": bare(offer)})
            answer = await socket.receive_json()
            assert answer["type"] == "answer", answer
            for fields in written:
                await socket.send_json({"type": "candidate"} | fields)
            await one.accept(answer["sdp"])
            await one.is_connected()


@unhurried
async def test_too_many_candidates_without_an_offer_are_refused() -> None:
    async with client() as one:
        for _ in range(MAX_CANDIDATES):
            await one.session.add_candidate(MDNS, "0", 0)
        with pytest.raises(SessionRefused, match="offer first"):
            await one.session.add_candidate(MDNS, "0", 0)


@pytest.mark.parametrize("section", [(None, None), ("0", None), (None, 1), ("nope", 0)])
@unhurried
async def test_candidates_find_their_section_by_what_is_there(
    section: tuple[str | None, int | None],
) -> None:
    async with client() as one:
        offer = await one.offer()
        await one.accept(await one.session.answer(bare(offer)))
        for text in candidates(offer):
            await one.session.add_candidate(text, *section)
        await one.is_connected()


@unhurried
async def test_a_candidate_of_another_generation_is_ignored() -> None:
    async with client() as one:
        offer = await one.offer()
        await one.session.answer(bare(offer))
        for text in candidates(offer):
            await one.session.add_candidate(f"{text} ufrag gone", "0", 0)
        peer = one.session.peer
        assert peer is not None
        assert peer.sctp is not None
        assert peer.sctp.transport.transport._connection.remote_candidates == []


@unhurried
async def test_names_alone_are_enough_as_the_client_reaches_us() -> None:
    async with client() as one:
        offer = await one.offer()
        hidden = bare(offer).replace("a=mid:", f"a={MDNS}\r\na=mid:")
        await one.accept(await one.session.answer(hidden))
        await one.is_connected()


@unhurried
async def test_text_alone_is_said_to_the_end_though_nobody_hears_it() -> None:
    async with client(audio=False) as one:
        await one.accept(await one.session.answer(await one.offer()))
        await one.is_connected()
        await one.say("To nobody.")


@unhurried
async def test_a_client_that_takes_no_audio_is_told_all_the_same() -> None:
    async with client() as one:
        one.peer.getTransceivers()[0].direction = "sendonly"
        await one.accept(await one.session.answer(await one.offer()))
        await one.is_connected()
        await one.say("To nobody either.")


@unhurried
async def test_audio_may_be_added_later() -> None:
    async with client(audio=False) as one:
        await one.accept(await one.session.answer(await one.offer()))
        await one.is_connected()
        one.peer.addTrack(SpeechTrack(Pacer()))
        answer = await one.session.answer(await one.offer())
        rtc.install_receive_buffer(one.peer.getReceivers()[0], one.recorder.receiver)
        recording = asyncio.create_task(one.recorder.run())
        await one.accept(answer)
        await one.say("Now you hear me")
        await asyncio.sleep(0.3)
        _check_heard(one, "Now you hear me")
        one.recorder.receiver.close()
        await recording


def _check_heard(one: Client, text: str) -> None:
    heard = one.recorder.pcm(0.0)
    voice = FakeSpeechEngine().stock_voices()["high"]
    found = glitches.count(heard, tone_hz(text, voice))
    assert found.tone_ms > 300


@unhurried
async def test_ipv6_alone_is_enough() -> None:
    ipv4 = r"a=candidate:.* \d+\.\d+\.\d+\.\d+ .*"
    async with client() as one:
        offer = offers.drop(await one.offer(), ipv4)
        answer = offers.drop(await one.session.answer(offer), ipv4)
        if "a=candidate:" not in answer:
            pytest.skip("this machine has no IPv6 address")
        await one.accept(answer)
        await one.is_connected()


@pytest.mark.parametrize("trickled", [False, True])
@unhurried
async def test_without_a_bundle_audio_and_data_have_a_connection_each(trickled: bool) -> None:
    async with client(bundled=False) as one:
        offer = offers.drop(await one.offer(), "a=group:.*")
        answer = await one.session.answer(bare(offer) if trickled else offer)
        for lines in offers.sections(offer)[1:] if trickled else []:
            for value in offers.values(lines, "candidate"):
                mid = offers.values(lines, "mid")[0]
                await one.session.add_candidate(f"candidate:{value}", mid, None)
        rtc.install_receive_buffer(one.peer.getReceivers()[0], one.recorder.receiver)
        recording = asyncio.create_task(one.recorder.run())
        await one.accept(answer)
        assert one.peer.sctp is not None
        assert one.peer.getReceivers()[0].transport is not one.peer.sctp.transport
        await one.is_connected()
        await one.say("Through the other one")
        await asyncio.sleep(0.3)
        _check_heard(one, "Through the other one")
        one.recorder.receiver.close()
        await recording

"""Sessions opened over HTTP, with real connections and the fake models."""

from __future__ import annotations

import asyncio
import json
import textwrap
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import openai
import pytest
from aiohttp import ClientSession, FormData
from aiortc import RTCDataChannel, RTCPeerConnection, RTCSessionDescription

from engines.fakes import FakeSpeechEngine, tone_hz
from tests.peers import glitches
from tests.peers.clock import unhurried
from tests.peers.pair import opened
from tests.peers.service import LocalService, running
from tests.peers.sounds import vowel
from tests.test_documents import blocks
from tests.voicepeer import offers
from voicepeer import rtc
from voicepeer.core.listening.enrolment import EnrolmentSettings
from voicepeer.core.messages import (
    ClientMessage,
    Done,
    EnrolStart,
    Ping,
    Pong,
    ServerMessage,
    Speak,
    VoiceReady,
    VoiceSelected,
    VoiceUse,
    decode_server,
    encode_client,
)
from voicepeer.core.rtvi import BotReady, ClientReady
from voicepeer.core.speaking.pacer import Pacer
from voicepeer.recorder import Recorder
from voicepeer.session_state import SessionSettings
from voicepeer.tracks import SpeechTrack

pytestmark = pytest.mark.peer

CALLS = "/v1/realtime/calls"
SDP = {"Content-Type": "application/sdp"}
WITHIN_S = 20.0
QUICK = SessionSettings(enrolment=EnrolmentSettings(usable_s=1.7, ready_s=2.1))
IMPATIENT = SessionSettings(connect_timeout_s=0.2)


@dataclass
class Peer:
    """The other end of a session: a connection, and whatever it offers."""

    direction: str | None = "sendrecv"
    """Of its audio, or ``None`` for none."""
    with_data: bool = True
    connection: RTCPeerConnection = field(default_factory=rtc.new_peer)
    pacer: Pacer = field(default_factory=Pacer)
    messages: list[ServerMessage] = field(default_factory=list)
    recorder: Recorder = field(default_factory=Recorder)
    channel: RTCDataChannel | None = None

    def __post_init__(self) -> None:
        self.microphone = SpeechTrack(self.pacer)
        if self.direction is not None:
            self.connection.addTransceiver(self.microphone, direction=self.direction)
        if self.with_data:
            self.channel = self.connection.createDataChannel("rtvi")
            self.channel.on("message", lambda data: self.messages.append(decode_server(data)))
        self._recording: asyncio.Task[None] | None = None

    async def offer(self) -> str:
        await self.connection.setLocalDescription(await self.connection.createOffer())
        return str(self.connection.localDescription.sdp)

    async def accept(self, answer: str) -> None:
        """Take an answer, and wait for the connection."""
        if self.direction is not None:
            receiver = self.connection.getReceivers()[0]
            rtc.install_receive_buffer(receiver, self.recorder.receiver)
            self._recording = asyncio.create_task(self.recorder.run())
        await self.connection.setRemoteDescription(RTCSessionDescription(answer, "answer"))
        await until(lambda: self.connection.connectionState == "connected")
        if self.channel is not None:
            await opened(self.channel)

    def send(self, *messages: ClientMessage) -> None:
        assert self.channel is not None
        for message in messages:
            self.channel.send(encode_client(message))

    async def wait_for(self, kind: type[ServerMessage]) -> None:
        await until(lambda: any(isinstance(one, kind) for one in self.messages))

    async def say(self, text: str, voice: str) -> None:
        """Have a text said by the session, to its end."""
        self.send(VoiceUse(voice_id=voice), Speak(utterance_id="u", text=text))
        await self.wait_for(Done)

    def tone_ms(self, text: str, voice: str) -> float:
        """How long a text was heard in a voice."""
        stock = FakeSpeechEngine().stock_voices()[voice]
        return glitches.count(self.recorder.pcm(), tone_hz(text, stock)).tone_ms

    def speak_into_microphone(self, seconds: float) -> None:
        generation = self.pacer.open()
        self.pacer.push(generation, vowel(seconds))
        self.pacer.end(generation)

    async def close(self) -> None:
        self.recorder.receiver.close()
        if self._recording is not None:
            await self._recording
        await rtc.close_peer(self.connection)
        self.microphone.stop()


async def until(what: Callable[[], bool]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(WITHIN_S):
        while not what():  # noqa: ASYNC110 - it lies in the other end
            await asyncio.sleep(0.02)


@dataclass
class Setting:
    """A running service, a client for its HTTP, and the peers of a test."""

    service: LocalService
    http: ClientSession
    peers: list[Peer] = field(default_factory=list)

    def peer(self, direction: str | None = "sendrecv", with_data: bool = True) -> Peer:
        self.peers.append(Peer(direction, with_data))
        return self.peers[-1]

    async def connect(self, path: str, peer: Peer) -> str:
        """Open a session for a peer; gives its URL."""
        offer = await peer.offer()
        answer = await self.http.post(path, data=offer, headers=SDP)
        text = await answer.text()
        assert answer.status == 201, text
        await peer.accept(text)
        return answer.headers["Location"]


@asynccontextmanager
async def setting(settings: SessionSettings = QUICK) -> AsyncIterator[Setting]:
    """Everything is closed at the end."""
    rtc.install_patches()
    async with (
        running(LocalService(settings=settings)) as service,
        ClientSession(service.url) as http,
    ):
        one = Setting(service, http)
        try:
            yield one
        finally:
            await asyncio.gather(*(peer.close() for peer in one.peers))


@unhurried
async def test_a_call_over_http_speaks_and_ends_by_delete() -> None:
    async with setting() as one:
        peer = one.peer()
        url = await one.connect(CALLS, peer)
        peer.send(Ping(sent_ms=1))
        await peer.wait_for(Pong)
        state = await (await one.http.get(url)).json()
        assert (state["connected"], state["voice_id"]) == (True, None)
        assert (await one.http.delete(url)).status == 200
        await until(lambda: peer.connection.connectionState == "closed")
        assert one.service.observer.told[-1] == ("session_closed", ("client_left",))


@unhurried
async def test_a_call_that_never_connects_ends_by_itself() -> None:
    async with setting(IMPATIENT) as one:
        answer = await one.http.post(CALLS, data=await one.peer().offer(), headers=SDP)
        assert answer.status == 201
        await until(lambda: ("session_closed", ("connect_timeout",)) in one.service.observer.told)
        assert (await one.http.get(answer.headers["Location"])).status == 404


@unhurried
async def test_candidates_are_trickled_as_a_fragment() -> None:
    async with setting() as one:
        peer = one.peer()
        offer = await peer.offer()
        bare = offers.drop(offer, "a=(candidate:.*|end-of-candidates)")
        answer = await one.http.post(CALLS, data=bare, headers=SDP)
        kept = ("a=ice-ufrag", "m=", "a=mid", "a=candidate", "a=end")
        fragment = [line for line in offer.splitlines() if line.startswith(kept)]
        added = await one.http.patch(
            answer.headers["Location"],
            data="\r\n".join(fragment),
            headers={"Content-Type": "application/trickle-ice-sdpfrag"},
        )
        assert added.status == 204
        await peer.accept(await answer.text())


@unhurried
async def test_the_openai_package_opens_a_call_in_a_voice_it_knows() -> None:
    async with setting() as one:
        peer = one.peer()
        client = openai.AsyncOpenAI(api_key="any", base_url=f"{one.service.url}/v1", max_retries=0)
        answer = await client.realtime.calls.create(
            sdp=await peer.offer(),
            session={
                "type": "realtime",
                "model": "gpt-realtime",
                "audio": {"output": {"voice": "marin", "speed": 1.1}},
            },
        )
        call_id = answer.response.headers["Location"].rpartition("/")[2]
        await peer.accept(answer.text)
        peer.send(Speak(utterance_id="u", text="In a stock voice."))
        await peer.wait_for(Done)
        await client.realtime.calls.hangup(call_id)
        await until(lambda: peer.connection.connectionState == "closed")
        with pytest.raises(openai.NotFoundError):
            await client.realtime.calls.hangup(call_id)
        with pytest.raises(openai.BadRequestError, match="session description"):
            await client.realtime.calls.create(sdp="nonsense")
        await client.close()


@unhurried
async def test_the_example_of_the_document_opens_a_call_and_ends_it() -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "http.md").read_text(encoding="utf-8")
    (example,) = blocks(page, how="call")
    async with setting() as one:
        body = textwrap.indent(example.replace("http://localhost:8080", one.service.url), "    ")
        names: dict[str, object] = {"openai": openai, "key": "any"}
        names["offer"] = await one.peer().offer()
        exec(
            compile(f"async def run():\n{body}\n    await client.close()", "http.md", "exec"), names
        )
        await names["run"]()  # type: ignore[operator]
        assert one.service.observer.told[-1] == ("session_closed", ("client_left",))


@unhurried
async def test_a_voice_that_is_not_there_is_refused_at_once() -> None:
    async with setting() as one:
        form = {"sdp": await one.peer().offer(), "session": '{"voice": "nobody"}'}
        client = openai.AsyncOpenAI(api_key="any", base_url=f"{one.service.url}/v1", max_retries=0)
        with pytest.raises(openai.BadRequestError, match="nobody"):
            await client.realtime.calls.create(
                sdp=form["sdp"],
                session={"type": "realtime", "audio": {"output": {"voice": "nobody"}}},
            )
        await client.close()
        await until(lambda: "session_closed" in one.service.observer.names())


@unhurried
async def test_a_publisher_with_consent_becomes_a_voice() -> None:
    async with setting() as one:
        peer = one.peer("sendonly", with_data=False)
        url = await one.connect("/whip/hall?consent=I+agree+to+be+cloned.&name=Ada", peer)
        peer.speak_into_microphone(2.6)
        call_id = url.rpartition("/")[2]
        await until(lambda: bool(one.service.shelf.kept))
        (voice_id,) = one.service.shelf.kept
        state = await (await one.http.get(f"{CALLS}/{call_id}")).json()
        assert (state["voice_id"], state["purpose"]) == (voice_id, "publish")
        caller = one.peer()
        await one.connect(CALLS, caller)
        await caller.say("With the publisher's voice.", voice_id)
        assert (await one.http.delete(url)).status == 200
        await until(lambda: peer.connection.connectionState == "closed")


@unhurried
async def test_a_publisher_is_not_learned_without_consent_and_missed_when_it_vanishes() -> None:
    async with setting() as one:
        peer = one.peer("sendonly", with_data=False)
        await one.connect("/whip/hall", peer)
        peer.speak_into_microphone(2.2)
        await asyncio.sleep(3.0)
        assert not one.service.shelf.kept
        await peer.connection.close()
        await until(lambda: ("session_closed", ("connection_lost",)) in one.service.observer.told)


@unhurried
async def test_a_listener_hears_what_the_room_says_and_nothing_of_another() -> None:
    async with setting() as one:
        listener, elsewhere, caller = (
            one.peer("recvonly", with_data=False),
            one.peer("recvonly", with_data=False),
            one.peer(),
        )
        url = await one.connect("/whep/hall", listener)
        await one.connect("/whep/other", elsewhere)
        await one.connect(f"{CALLS}?room=hall", caller)
        await caller.say("Everybody hears this", "high")
        await asyncio.sleep(0.4)
        assert listener.tone_ms("Everybody hears this", "high") > 300
        assert elsewhere.tone_ms("Everybody hears this", "high") == 0
        assert (await one.http.delete(url)).status == 200
        await until(lambda: listener.connection.connectionState == "closed")
        assert len(one.service.listeners) == 2


@unhurried
async def test_a_bot_without_audio_speaks_to_its_listeners() -> None:
    async with setting() as one:
        bot, listener = one.peer(None), one.peer("recvonly", with_data=False)
        await one.connect(f"{CALLS}?room=hall", bot)
        await one.connect("/whep/hall", listener)
        await bot.say("From text alone", "high")
        await asyncio.sleep(0.4)
        assert listener.tone_ms("From text alone", "high") > 300


@unhurried
async def test_a_listener_that_never_connects_ends_by_itself() -> None:
    async with setting(IMPATIENT) as one:
        offer = await one.peer("recvonly", with_data=False).offer()
        answer = await one.http.post("/whep/hall", data=offer, headers=SDP)
        assert answer.status == 201
        await until(lambda: ("session_closed", ("connect_timeout",)) in one.service.observer.told)
        assert len(one.service.rooms) == 0


@pytest.mark.parametrize(
    ("path", "direction", "with_data"),
    [
        ("/whip/hall", "recvonly", False),
        ("/whip/hall", "sendonly", True),
        ("/whep/h", "sendonly", False),
    ],
)
@unhurried
async def test_one_way_streets_are_one_way(path: str, direction: str, with_data: bool) -> None:
    async with setting() as one:
        offer = await one.peer(direction, with_data).offer()
        answer = await one.http.post(path, data=offer, headers=SDP)
        assert answer.status == 406
        assert (await answer.json())["error"]["code"] == "not_acceptable"
        await until(lambda: "session_closed" in one.service.observer.names())
        assert len(one.service.rooms) == 0


@unhurried
async def test_pipecats_way_of_connecting_and_of_coming_back() -> None:
    async with setting() as one:
        peer = one.peer()
        body = {"sdp": await peer.offer(), "type": "offer", "pc_id": None, "restart_pc": False}
        first = await (await one.http.post("/api/offer", json=body)).json()
        await peer.accept(first["sdp"])
        peer.send(VoiceUse(voice_id="high"), Ping(sent_ms=1))
        await peer.wait_for(Pong)
        other = one.peer()
        body |= {"sdp": await other.offer(), "pc_id": first["pc_id"], "restart_pc": True}
        second = await (await one.http.post("/api/offer", json=body)).json()
        await other.accept(second["sdp"])
        # The voice that was chosen before is still in use.
        other.send(Speak(utterance_id="u", text="Here again"))
        await other.wait_for(Done)
        await asyncio.sleep(0.3)
        assert other.tone_ms("Here again", "high") > 100


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("bad", ["v=0\r\n", "nonsense", "v=0\r\n" + "a=x\r\n" * 20_000])
@unhurried
async def test_an_offer_that_is_refused_does_not_use_up_what_it_goes_on_with(
    bad: str, lost: bool
) -> None:
    async with setting() as one:
        peer = one.peer()
        url = await one.connect(CALLS, peer)
        peer.send(VoiceUse(voice_id="mid"))
        await peer.wait_for(VoiceSelected)
        call_id = url.rpartition("/")[2]
        again = f"{CALLS}?resume={call_id}"
        if lost:
            assert peer.channel is not None
            peer.channel.close()
            await until(lambda: "session_closed" in one.service.observer.names())
        for _ in range(2):
            refused = await one.http.post(again, data=bad, headers=SDP)
            assert refused.status in (400, 406, 413)
            still = await one.http.get(url)
            assert still.status == (404 if lost else 200)
            assert lost or (await still.json())["connected"]
        after = one.peer()
        await one.connect(again, after)
        after.send(Speak(utterance_id="u", text="Here again"))
        await after.wait_for(Done)
        stock = await one.service.engine.stock_voices()
        assert one.service.engine.spoken_as[-1].to_bytes() == stock["mid"].to_bytes()


@unhurried
async def test_a_voice_that_there_is_not_leaves_the_call_that_was_to_go_on() -> None:
    async with setting() as one:
        peer = one.peer()
        url = await one.connect(CALLS, peer)
        peer.send(VoiceUse(voice_id="mid"))
        await peer.wait_for(VoiceSelected)
        again = f"{CALLS}?resume={url.rpartition('/')[2]}"
        for output in ({"voice": "nobody"}, {"voice": "high", "speed": 4.0}):
            form = FormData(default_to_multipart=True)
            form.add_field("sdp", await one.peer().offer())
            form.add_field("session", json.dumps({"audio": {"output": output}}))
            refused = await one.http.post(again, data=form)
            assert refused.status == 400, await refused.text()
            still = await (await one.http.get(url)).json()
            assert (still["connected"], still["voice_id"]) == (True, "mid")
        after = one.peer()
        form = FormData(default_to_multipart=True)
        form.add_field("sdp", await after.offer())
        form.add_field("session", json.dumps({"audio": {"output": {"voice": "high"}}}))
        answer = await one.http.post(again, data=form)
        assert answer.status == 201
        await after.accept(await answer.text())
        state = await (await one.http.get(answer.headers["Location"])).json()
        assert state["voice_id"] == "high", "what is asked for now is stronger"


@unhurried
async def test_of_eight_who_go_on_with_one_call_at_once_one_does() -> None:
    async with setting() as one:
        peer = one.peer()
        url = await one.connect(CALLS, peer)
        peer.send(VoiceUse(voice_id="mid"))
        await peer.wait_for(VoiceSelected)
        offers_ = [await one.peer().offer() for _ in range(8)]
        again = f"{CALLS}?resume={url.rpartition('/')[2]}"
        answers = await asyncio.gather(
            *(one.http.post(again, data=offer, headers=SDP) for offer in offers_)
        )
        assert sorted(answer.status for answer in answers) == [201] + [409] * 7
        assert sum(session.resumed for session in one.service.sessions) == 1
        (good,) = [answer for answer in answers if answer.status == 201]
        state = await (await one.http.get(good.headers["Location"])).json()
        assert state["voice_id"] == "mid"


@unhurried
async def test_nothing_of_a_call_goes_on_that_an_operator_has_ended() -> None:
    async with setting() as one:
        peer = one.peer()
        url = await one.connect(CALLS, peer)
        peer.send(VoiceUse(voice_id="mid"), Speak(utterance_id="u", text="One two three. " * 20))
        await peer.wait_for(VoiceSelected)
        call_id = url.rpartition("/")[2]
        ended = await one.http.delete(f"/v1/admin/sessions/{call_id}")
        assert ended.status == 204
        after = one.peer()
        await one.connect(f"{CALLS}?resume={call_id}", after)
        after.send(ClientReady())
        await after.wait_for(BotReady)
        [ready] = [message for message in after.messages if isinstance(message, BotReady)]
        assert (ready.resumed, ready.utterances) == (False, [])
        assert [session.resumed for session in one.service.sessions] == [False, False]
        after.send(Speak(utterance_id="v", text="Here again"))
        await after.wait_for(Done)
        stock = await one.service.engine.stock_voices()
        assert one.service.engine.spoken_as[-1].to_bytes() != stock["mid"].to_bytes()


@unhurried
async def test_a_call_speaks_with_the_engines_voice_until_there_is_another() -> None:
    """As clients of Pipecat and of OpenAI know it, who say what they say without naming a voice."""
    async with setting() as one:
        peer = one.peer()
        await one.connect(CALLS, peer)
        texts = [("Hi.", None), ("Hallo.", "de-de"), ("Guten Morgen, wie geht es dir?", "auto")]
        for count, (text, language) in enumerate(texts, 1):
            peer.send(Speak(utterance_id=str(count), text=text, language=language))
            await until(lambda: sum(isinstance(it, Done) for it in peer.messages) == count)  # noqa: B023
        stock = await one.service.engine.stock_voices()
        names = [
            next(name for name, voice in stock.items() if voice.to_bytes() == spoken.to_bytes())
            for spoken in one.service.engine.spoken_as
        ]
        assert names == ["low", "high", "high"]
        peer.send(EnrolStart(consent="I agree."))
        peer.speak_into_microphone(2.6)
        await peer.wait_for(VoiceReady)
        (learned,) = one.service.shelf.kept.values()
        peer.send(Speak(utterance_id="d", text="Hello."))
        await until(lambda: sum(isinstance(it, Done) for it in peer.messages) == 4)
        assert one.service.engine.spoken_as[-1].to_bytes() == learned.voice.to_bytes()

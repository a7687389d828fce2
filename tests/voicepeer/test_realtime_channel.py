"""The ``oai-events`` channel over a real connection, read with the types of ``openai`` itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from aiortc import RTCDataChannel, RTCSessionDescription
from openai.types.realtime import RealtimeServerEvent
from pydantic import TypeAdapter

from signaling.sessions import SessionRequest
from tests.peers.caller import Connected, Counting, MemoryShelf, unconnected
from tests.peers.clock import unhurried
from tests.peers.engine import LocalEngine
from tests.peers.pair import opened
from voicepeer import rtc
from voicepeer.call import Call
from voicepeer.core.messages import Speak, VoiceUse
from voicepeer.core.realtime import CHANNEL_LABEL
from voicepeer.core.resumption import Resumptions
from voicepeer.core.speaking.pacer import Pacer
from voicepeer.revocations import Revocations
from voicepeer.session import Session
from voicepeer.session_state import SessionState
from voicepeer.tracks import SpeechTrack

pytestmark = pytest.mark.peer

EVENTS: TypeAdapter[Any] = TypeAdapter(RealtimeServerEvent)
TEXT = "Hello there, my friend. How are you?"


@dataclass
class RealtimeClient:
    """What a client of OpenAI's Realtime API does: send events, and read what comes."""

    both: Connected
    channel: RTCDataChannel
    heard: list[Any] = field(default_factory=list)

    def send(self, kind: str, **fields: object) -> None:
        self.channel.send(json.dumps({"type": kind, **fields}))

    def take(self, data: str) -> None:
        self.heard.append(EVENTS.validate_json(data))

    def say(self, text: str) -> None:
        content = [{"type": "input_text", "text": text}]
        self.send(
            "conversation.item.create", item={"type": "message", "role": "user", "content": content}
        )
        self.send("response.create")

    def of(self, kind: str) -> list[Any]:
        return [event for event in self.heard if event.type == kind]

    async def until(self, kind: str, count: int = 1) -> Any:  # noqa: ANN401 - one of their types
        """The ``count``-th event of a kind."""
        async with asyncio.timeout(10):
            while len(self.of(kind)) < count:  # noqa: ASYNC110 - waits for any of many
                await asyncio.sleep(0.02)
        return self.of(kind)[count - 1]


@asynccontextmanager
async def realtime() -> AsyncIterator[RealtimeClient]:
    """A client whose session speaks with a stock voice."""
    async with unconnected(LocalEngine()) as both:
        channel = both.call.peer.createDataChannel(CHANNEL_LABEL)
        client = RealtimeClient(both, channel)
        channel.on("message", client.take)
        await both.call.accept(await both.session.answer(await both.call.offer()))
        await opened(channel)
        await client.until("session.created")
        client.send(
            "session.update",
            session={"type": "realtime", "audio": {"output": {"voice": "mid", "speed": 1.25}}},
        )
        await client.until("session.updated")
        yield client


@unhurried
async def test_a_text_is_said_and_told_word_by_word() -> None:
    async with realtime() as client:
        updated = client.of("session.updated")[0].session
        assert (updated.audio.output.voice, updated.audio.output.speed) == ("mid", 1.25)
        client.say(TEXT)
        stopped = await client.until("output_audio_buffer.stopped")
        deltas = client.of("response.output_audio_transcript.delta")
        assert len(deltas) == 7
        assert "".join(event.delta for event in deltas) == TEXT
        done = client.of("response.done")[0].response
        assert done.status == "completed"
        assert done.output[0].content[0].transcript == TEXT
        assert stopped.response_id == done.id == client.of("response.created")[0].response.id
        await asyncio.sleep(0.3)
        assert np.abs(client.both.call.recorder.pcm(0.0)).max() > 0.1, "it was heard"
        assert client.of("error") == []


@unhurried
async def test_a_cancelled_response_falls_silent_and_keeps_what_was_heard() -> None:
    async with realtime() as client:
        client.say("A text that is so long that nobody ever wants to hear all of it.")
        await client.until("response.output_audio_transcript.delta", 2)
        client.send("response.cancel", event_id="mine")
        client.send("output_audio_buffer.clear")
        cleared = await client.until("output_audio_buffer.cleared")
        response = client.of("response.done")[0].response
        assert response.id == cleared.response_id
        assert response.status == "cancelled"
        assert response.status_details.reason == "client_cancelled"
        item = response.output[0]
        heard = item.content[0].transcript
        assert heard.startswith("A text")
        assert not heard.endswith("it.")
        client.send(
            "conversation.item.truncate", item_id=item.id, content_index=0, audio_end_ms=60_000
        )
        truncated = await client.until("conversation.item.truncated")
        assert 0 < truncated.audio_end_ms < 60_000
        client.say("The next one.")
        await client.until("response.done", 2)
        assert client.of("response.done")[1].response.status == "completed"


@unhurried
async def test_errors_come_in_openais_form_and_the_session_goes_on() -> None:
    async with realtime() as client:
        client.send("response.cancel", event_id="e1")
        client.send("no.such.event", event_id="e2")
        client.send(
            "session.update",
            event_id="e3",
            session={"type": "realtime", "audio": {"output": {"voice": "nobody"}}},
        )
        client.send("input_audio_buffer.append", audio="AAAA")
        client.channel.send("x" * 15_001)
        client.channel.send(b"\xff")
        await client.until("error", 6)
        found = [(event.error.event_id, event.error.code) for event in client.of("error")]
        assert found == [
            ("e1", "response_cancel_not_active"), ("e2", "unknown_event"),
            ("e3", "voice_not_found"), (None, "unknown_event"), (None, "event_too_large"),
            (None, "invalid_event"),
        ]  # fmt: skip
        assert client.of("error")[2].error.param == "session.audio.output.voice"
        assert len(client.of("session.updated")) == 1
        client.say("Still here.")
        await client.until("response.done")


@unhurried
async def test_both_channels_are_of_one_session() -> None:
    async with realtime() as client:
        client.both.send(VoiceUse(voice_id="high"), Speak(utterance_id="u", text="Not of theirs."))
        client.say("Theirs.")
        await client.until("response.done")
        assert len(client.of("response.created")) == 1
        client.send("session.update", session={"type": "realtime"})
        updated = await client.until("session.updated", 2)
        assert updated.session.audio.output.voice == "high"


@unhurried
async def test_a_second_channel_of_this_kind_is_closed() -> None:
    async with realtime() as client:
        second = client.both.call.peer.createDataChannel(CHANNEL_LABEL)
        closed = asyncio.Event()
        second.on("close", closed.set)
        async with asyncio.timeout(5):
            await closed.wait()
        client.say("Still here.")
        await client.until("response.done")


@unhurried
async def test_a_client_may_have_this_channel_alone() -> None:
    session = Session(SessionRequest("room", "name"), LocalEngine(), MemoryShelf())
    peer = rtc.new_peer()
    peer.addTrack(SpeechTrack(Pacer()))
    channel = peer.createDataChannel(CHANNEL_LABEL)
    events: list[Any] = []
    channel.on("message", lambda data: events.append(EVENTS.validate_json(data)))
    try:
        await peer.setLocalDescription(await peer.createOffer())
        answer = await session.answer(peer.localDescription.sdp)
        await peer.setRemoteDescription(RTCSessionDescription(answer, "answer"))
        await opened(channel)
        output = {"voice": "mid"}
        response = {"instructions": "All alone.", "audio": {"output": output}}
        channel.send(json.dumps({"type": "response.create", "response": response}))
        async with asyncio.timeout(10):
            while not events or events[-1].type != "output_audio_buffer.stopped":  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        assert events[0].type == "session.created"
    finally:
        await rtc.close_peer(peer)
        await session.close("test over")


@unhurried
async def test_a_client_that_names_no_voice_is_heard_in_that_of_the_engine() -> None:
    async with unconnected(LocalEngine()) as both:
        channel = both.call.peer.createDataChannel(CHANNEL_LABEL)
        client = RealtimeClient(both, channel)
        channel.on("message", client.take)
        await both.call.accept(await both.session.answer(await both.call.offer()))
        await opened(channel)
        await client.until("session.created")
        client.say("Hello.")
        await client.until("response.done")
        assert client.of("error") == []
        assert isinstance(both.engine, LocalEngine)
        stock = await both.engine.stock_voices()
        assert both.engine.spoken_as[0].to_bytes() == stock["low"].to_bytes()


@unhurried
async def test_after_its_voice_was_deleted_a_client_is_told_what_it_can_do() -> None:
    revocations = Revocations()
    async with with_request(SessionRequest("room", "name", voice="mid"), revocations) as client:
        revocations.revoke("mid")
        client.say("In no voice.")
        error = (await client.until("error")).error
        assert (error.type, error.code) == ("invalid_request_error", "voice_not_ready")
        assert error.param == "session.audio.output.voice"
        assert "session.update" in error.message
        assert "enrol" not in error.message


@unhurried
async def test_the_first_event_tells_the_speed_that_was_asked_for_or_is_gone_on_with() -> None:
    kept = Resumptions[SessionState]()
    async with with_request(
        SessionRequest("room", "name", voice="mid", speed=1.5), kept=kept
    ) as one:
        created = one.of("session.created")[0].session
        assert created.audio.output.speed == 1.5
        one.send(
            "session.update", session={"type": "realtime", "audio": {"output": {"speed": 0.8}}}
        )
        await one.until("session.updated")
        await one.both.session.close("connection_lost")
        token = one.both.session.resume_token
    request = SessionRequest("room", "name", resume_token=token)
    async with with_request(request, kept=kept) as two:
        output = two.of("session.created")[0].session.audio.output
        assert (output.voice, output.speed) == ("mid", 0.8)


@unhurried
async def test_what_was_not_said_to_its_end_goes_on_where_the_client_comes_back() -> None:
    kept = Resumptions[SessionState]()
    text = "one two three four five six seven eight nine ten eleven twelve"
    async with with_request(SessionRequest("room", "name", voice="mid"), kept=kept) as one:
        one.say(text)
        await one.until("response.output_audio_transcript.delta", 3)
        response_id = one.of("response.created")[0].response.id
        await one.both.session.close("connection_lost")
        token = one.both.session.resume_token
    request = SessionRequest("room", "name", resume_token=token)
    async with with_request(request, kept=kept) as two:
        done = (await two.until("response.done")).response
        assert (done.id, done.status) == (response_id, "completed")
        rest = done.output[0].content[0].transcript
        assert text.endswith(rest)
        assert 0 < len(rest) < len(text)
        said = "".join(one.delta for one in two.of("response.output_audio_transcript.delta"))
        assert said == rest
        two.say("And on.")
        await two.until("response.done", 2)
        assert two.of("error") == []


@asynccontextmanager
async def with_request(
    request: SessionRequest,
    revocations: Revocations | None = None,
    kept: Resumptions[SessionState] | None = None,
) -> AsyncIterator[RealtimeClient]:
    """A client whose session was asked for like this."""
    engine, shelf, observer = LocalEngine(), MemoryShelf(), Counting()
    session = Session(
        request, engine, shelf, observer=observer, resumptions=kept, revocations=revocations
    )
    both = Connected(session, Call(), engine, shelf, observer)
    client = RealtimeClient(both, both.call.peer.createDataChannel(CHANNEL_LABEL))
    client.channel.on("message", client.take)
    try:
        answer = await session.answer(await both.call.offer())
        await session.take_over()
        await both.call.accept(answer)
        await client.until("session.created")
        yield client
    finally:
        await both.call.close()
        await session.close("test over")

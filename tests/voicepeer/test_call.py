"""What a client asks for over a call: each request has its own answer, whatever else is refused."""

from __future__ import annotations

import asyncio

import pytest

from tests.peers.caller import connected
from tests.peers.service import running
from tests.voicepeer.test_service import told
from voicepeer import call
from voicepeer.call import CallEnded, RequestFailed
from voicepeer.client import SignalingFailed, VoicePeerClient
from voicepeer.core.envelope import MAX_MESSAGE_BYTES
from voicepeer.core.messages import (
    Accepted,
    Flush,
    SessionConfigured,
    SetControls,
    Stats,
    StatsGet,
    VoiceSelected,
    encode_client,
)
from voicepeer.core.rtvi import ClientReady, Error

pytestmark = pytest.mark.peer


async def test_what_is_refused_of_others_fails_nothing_that_waits() -> None:
    async with running() as service, VoicePeerClient(service.url) as client:
        await client.use_voice("mid")
        with client.call.listening() as events:
            saying = asyncio.create_task(client.say("This is said to its end."))
            spoken = (await told(events, Accepted)).utterance_id
            client.call.channel.send("this is no message")
            client.set_controls(SetControls(speed=99.0))
            client.set_controls(SetControls(utterance_id=spoken, speed=99.0))
            client.flush("nothing")
            refused = [(await told(events, Error)).utterance_id for _ in range(4)]
        assert refused == [None, "*", spoken, "nothing"]
        with pytest.raises(RequestFailed) as failed:
            await client.use_voice("nobody")
        assert failed.value.code == "voice_not_found"
        assert (await saying).audio_ms > 0


async def test_of_several_requests_at_once_each_has_its_own_answer() -> None:
    async with running() as service, VoicePeerClient(service.url) as client:
        with client.call.listening() as events:
            nobody, counted, mid, settings, low = await asyncio.gather(
                client.use_voice("nobody"),
                client.stats(),
                client.use_voice("mid"),
                client.configure(barge_in=True),
                client.use_voice("low"),
                return_exceptions=True,
            )
            # Whoever only listens is told of the same.
            selected = [(await told(events, VoiceSelected)).voice_id for _ in range(2)]
        assert isinstance(nobody, RequestFailed)
        assert isinstance(counted, Stats)
        assert isinstance(settings, SessionConfigured)
        assert settings.barge_in
        assert mid == VoiceSelected(voice_id="mid", name="mid")
        assert low == VoiceSelected(voice_id="low", name="low")
        assert selected == ["mid", "low"]


async def test_an_answer_of_another_kind_is_told_as_that() -> None:
    async with running() as service, VoicePeerClient(service.url) as client:
        with pytest.raises(RequestFailed, match="something else") as refused:
            await client.call.ask_for(StatsGet(), VoiceSelected)
        assert refused.value.code == "bad_answer"
        await client.call.ask(StatsGet())


@pytest.mark.parametrize("text", ["x" * (MAX_MESSAGE_BYTES + 1), "half of \ud83d"])
async def test_what_no_service_would_read_is_refused_at_once(text: str) -> None:
    async with running() as service, VoicePeerClient(service.url) as client:
        await client.use_voice("mid")
        with pytest.raises(RequestFailed, match="cannot be sent") as refused:
            await client.say(text)
        assert refused.value.code == "bad_message"
        with pytest.raises(RequestFailed):
            client.speak(text)
        assert (await client.stats()).utterances == 0


async def test_who_gives_up_waiting_is_not_disturbed_by_the_answer() -> None:
    async with running() as service, VoicePeerClient(service.url) as client:
        asking = [asyncio.create_task(client.use_voice(name)) for name in ("nobody", "mid")]
        await asyncio.sleep(0)
        for one in asking:
            one.cancel()
        assert (await client.use_voice("low")).name == "low"
        assert all(isinstance(one, asyncio.CancelledError) for one in await over(asking))


async def over(tasks: list[asyncio.Task[VoiceSelected]]) -> list[object]:
    """What came of each of them."""
    return [*await asyncio.gather(*tasks, return_exceptions=True)]


async def test_what_waits_for_an_answer_ends_with_the_call() -> None:
    async with running() as service, VoicePeerClient(service.url) as client:
        asking = [asyncio.create_task(client.use_voice("mid")) for _ in range(3)]
        await asyncio.sleep(0)
        client.call.end("cut by this test")
        assert [str(one) for one in await over(asking)] == ["cut by this test"] * 3
        with pytest.raises(CallEnded):
            await client.stats()


async def test_what_is_ignored_in_a_flood_is_refused_under_its_id() -> None:
    async with connected() as both:
        flooded = both.session._control._flooded
        asking = asyncio.create_task(both.call.ask(Flush(utterance_id="u")))
        await asyncio.sleep(0)
        (asked,) = both.call._asked
        flooded(encode_client(Flush(utterance_id="u"), asked))
        with pytest.raises(RequestFailed, match="too fast"):
            await asking
        flooded(encode_client(Flush(utterance_id="u")))
        flooded("{")
        await both.wait_for(Error, 2)
        assert [one.utterance_id for one in both.got(Error)] == ["u", None]


async def test_a_service_of_another_protocol_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call, "ClientReady", lambda **_: ClientReady(version="99.0.0"))
    async with running() as service:
        with pytest.raises(SignalingFailed, match="same major version") as refused:
            async with VoicePeerClient(service.url):
                pass
        assert refused.value.code == "protocol_unsupported"

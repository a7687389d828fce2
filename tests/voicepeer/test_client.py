"""The client that bots use, against real signaling and sessions with the fake models."""

from __future__ import annotations

import asyncio
import wave
from pathlib import Path

import numpy as np
import pytest

from engines.fakes import CHAR_MS, FakeSpeechEngine, Script, tone_hz
from signaling.app import SignalingConfig
from tests.peers import glitches
from tests.peers.clock import unhurried
from tests.peers.engine import LocalEngine
from tests.peers.leaks import nothing_left_behind
from tests.peers.service import LocalService, running
from tests.peers.sounds import vowel
from voicepeer.client import CallEnded, RequestFailed, SignalingFailed, VoicePeerClient
from voicepeer.core.errors import AudioRejected
from voicepeer.core.listening.enrolment import EnrolmentSettings
from voicepeer.core.messages import Cancelled, Done, Started, VoiceReady
from voicepeer.core.pcm import to_pcm16
from voicepeer.session_state import SessionSettings

pytestmark = pytest.mark.peer

QUICK = SessionSettings(enrolment=EnrolmentSettings(usable_s=1.7, ready_s=2.1))


@pytest.fixture
def mic(tmp_path: Path) -> Path:
    path = tmp_path / "speaker.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(48_000)
        file.writeframes(to_pcm16(vowel(2.6)).tobytes())
    return path


@unhurried
async def test_five_lines_of_a_bot(mic: Path) -> None:
    async with nothing_left_behind(), running(LocalService(settings=QUICK)) as service:
        async with VoicePeerClient(service.url, mic=mic) as client:
            voice = await client.enrol(consent="I am the speaker and agree to be cloned.")
            said = await client.say("Hello there.")
        assert isinstance(voice, VoiceReady)
        assert said.audio_ms == pytest.approx(12 * CHAR_MS, abs=1)
        assert said.pcm.size / 48 == pytest.approx(said.audio_ms, abs=40)
        assert [word.text for word in said.words] == ["Hello", "there."]
    assert service.observer.names().count("session_closed") == 1


@unhurried
async def test_what_is_said_comes_back_with_its_times() -> None:
    async with running() as service, VoicePeerClient(service.url) as client:
        await client.use_voice("mid")
        said = await client.say("Tell me the times")
    assert said.first_audio_ms is not None
    assert said.first_audible_ms is not None
    assert 50 <= said.first_audio_ms <= said.first_audible_ms < 400
    assert (said.underruns, said.frames_lost) == (0, 0)
    assert [type(said.events[1]), type(said.events[-1])] == [Started, Done]
    found = glitches.count(
        said.pcm, tone_hz("Tell me the times", FakeSpeechEngine().stock_voices()["mid"])
    )
    assert (found.phase_jumps, found.longest_hole_ms) == (0, 0.0)


async def test_the_time_to_the_first_sound_includes_the_engines() -> None:
    slow = LocalService(engine=LocalEngine(Script(first_chunk_delay_ms=300)))
    async with running(slow) as service, VoicePeerClient(service.url) as client:
        await client.use_voice("mid")
        said = await client.say("Wait for it")
    assert said.first_audible_ms is not None
    assert said.first_audible_ms > 350


@unhurried
async def test_streamed_text_and_cancel_with_events_as_they_come() -> None:
    async with running() as service, VoicePeerClient(service.url) as client:
        await client.use_voice("low")
        seen: list[str] = []

        async def watch() -> None:
            async for event in client.events():
                seen.append(type(event).__name__)
                if isinstance(event, Started) and event.utterance_id == "s":
                    client.cancel("s")
                if isinstance(event, Done):
                    return

        watching = asyncio.create_task(watch())
        await asyncio.sleep(0)
        client.append("s", "This is never finished")
        client.flush("s")
        other = client.speak("But this is.")
        client.end("s")
        async with asyncio.timeout(5):
            await watching
    assert {"Accepted", "Started", "Cancelled", "Done"} <= set(seen)
    assert len(other) == 16


@unhurried
async def test_saved_voices_are_there_for_the_next_call(mic: Path) -> None:
    async with running(LocalService(settings=QUICK)) as service:
        async with VoicePeerClient(service.url, mic=mic, name="Ada") as client:
            await client.enrol(consent="I agree.", until="usable")
            saved = await client.save_voice("mine")
        async with VoicePeerClient(service.url) as client:
            assert (await client.use_voice(saved.voice_id)).name == "mine"
            assert (await client.say("Again.")).pcm.size
            stats = await client.stats()
    assert stats.utterances == 1
    assert service.shelf.kept[saved.voice_id].consent.who == "Ada"


@unhurried
async def test_refusals_are_raised_with_their_codes() -> None:
    async with running() as service, VoicePeerClient(service.url) as client:
        with pytest.raises(RequestFailed, match="enrol") as refused:
            await client.say("Too early.")
        assert refused.value.code == "voice_not_ready"
        with pytest.raises(RequestFailed) as refused:
            await client.use_voice("nobody")
        assert refused.value.code == "voice_not_found"
        with pytest.raises(RequestFailed, match="consent"):
            await client.enrol(consent=" ")
        await client.use_voice("mid")
        with pytest.raises(RequestFailed) as refused:
            await client.say("Bonjour.", language="fr-fr")
        assert refused.value.code == "text_rejected"
        assert (await client.say("Fine.")).pcm.size


@unhurried
async def test_a_cancelled_say_tells_so() -> None:
    async with running() as service, VoicePeerClient(service.url) as client:
        await client.use_voice("mid")
        saying = asyncio.create_task(client.say("This will be interrupted before its end."))
        with client.call.listening() as events:
            async for event in events:
                if isinstance(event, Started):
                    client.cancel()
                if isinstance(event, Cancelled):
                    break
        with pytest.raises(RequestFailed, match="cancelled"):
            await saying


@unhurried
async def test_nobody_at_the_address_and_a_full_service_are_told_apart() -> None:
    async with nothing_left_behind():
        with pytest.raises(SignalingFailed) as refused:
            async with VoicePeerClient("http://127.0.0.1:9"):
                pass
        assert refused.value.code == "unreachable"
        full = LocalService(config=SignalingConfig(max_sessions=1))
        async with running(full) as service, VoicePeerClient(service.url):
            with pytest.raises(SignalingFailed) as refused:
                async with VoicePeerClient(service.url):
                    pass
            assert refused.value.code == "at_capacity"


@unhurried
async def test_a_microphone_that_is_no_recording_is_refused_before_the_call(
    tmp_path: Path,
) -> None:
    (tmp_path / "no.wav").write_bytes(b"not a recording")
    async with running() as service:
        with pytest.raises(AudioRejected):
            async with VoicePeerClient(service.url, mic=tmp_path / "no.wav"):
                pass
        assert not service.sessions


@unhurried
async def test_the_end_of_the_service_ends_what_waits_for_it() -> None:
    async with running() as service, VoicePeerClient(service.url) as client:
        await client.use_voice("mid")
        saying = asyncio.create_task(client.say("Nobody hears the end of this sentence."))
        await asyncio.sleep(0.3)
        await service.sessions[0].close("shutdown")
        with pytest.raises(CallEnded):
            await saying
        with pytest.raises(CallEnded):
            client.speak("x")
        assert [event async for event in client.events()] == []


@unhurried
async def test_two_clients_hear_their_own_voices_only() -> None:
    stock = FakeSpeechEngine().stock_voices()
    async with (
        running() as service,
        VoicePeerClient(service.url) as one,
        VoicePeerClient(service.url) as two,
    ):
        await asyncio.gather(one.use_voice("low"), two.use_voice("high"))
        heard = await asyncio.gather(one.say("To the first"), two.say("To the second"))
    for said, voice, text in zip(
        heard, ("low", "high"), ("To the first", "To the second"), strict=True
    ):
        level = np.abs(glitches.tone_level(said.pcm, tone_hz(text, stock[voice])))
        assert np.median(level) > 0.15

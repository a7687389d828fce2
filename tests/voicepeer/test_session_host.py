"""Sessions over the real engine host: its processes may die, the sessions may not."""

from __future__ import annotations

import asyncio

import pytest

from engines.fakes import Script
from engines.host import EngineHost, HostSpec
from tests.peers.caller import connected
from tests.peers.sounds import vowel
from voicepeer.core.listening.enrolment import EnrolmentSettings
from voicepeer.core.messages import Done, EnrolStart, Failed, Speak, Started, VoiceReady
from voicepeer.session_state import SessionSettings

pytestmark = pytest.mark.peer

QUICK = SessionSettings(enrolment=EnrolmentSettings(usable_s=1.7, ready_s=2.1))


def host(script: Script | None = None) -> EngineHost:
    return EngineHost(HostSpec("fake", "fake", "fake", (script or Script()).to_options()))


async def test_a_voice_is_learned_and_spoken_through_the_host() -> None:
    async with host() as engine, connected(engine, QUICK) as both:
        both.send(EnrolStart(consent="I agree."))
        both.call.speak_into_microphone(vowel(2.6))
        await both.wait_for(VoiceReady)
        both.send(Speak(utterance_id="a", text="Hello there."))
        done = await both.wait_for(Done)
        assert done.underruns == 0


async def test_when_the_engine_dies_only_its_utterance_is_lost() -> None:
    script = Script(fault="die", fault_after=4, fault_text="deadly", chunk_delay_ms=40)
    async with host(script) as engine, connected(engine) as both:
        await both.use_stock_voice()
        both.send(Speak(utterance_id="a", text="A deadly sentence that is never finished."))
        await both.wait_for(Started)
        failed = await both.wait_for(Failed)
        assert (failed.code, failed.retryable) == ("engine_failed", True)
        assert failed.played_ms > 0
        both.send(Speak(utterance_id="b", text="Back again."))
        await both.wait_for(Done, within_s=10)
        assert engine.restarts >= 1


async def test_sessions_speak_at_once_without_an_underrun() -> None:
    async with (
        host(Script(chunk_delay_ms=15)) as engine,
        connected(engine) as one,
        connected(engine) as two,
    ):
        await asyncio.gather(one.use_stock_voice("low"), two.use_stock_voice("high"))
        for both in (one, two):
            both.send(Speak(utterance_id="a", text="Both of us are speaking now."))
        done = await asyncio.gather(one.wait_for(Done), two.wait_for(Done))
        assert [message.underruns for message in done] == [0, 0]

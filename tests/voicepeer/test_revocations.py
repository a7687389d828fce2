"""A voice that is deleted is heard no more, in calls neither."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import numpy as np
import pytest

from engines.api import Voice
from signaling.sessions import SessionRequest
from tests.peers.caller import Connected, Counting, MemoryShelf
from tests.peers.clock import unhurried
from tests.peers.engine import LocalEngine
from voicepeer.barge_in import BargeIn
from voicepeer.call import Call
from voicepeer.core.messages import Cancelled, Speak, Started, VoiceMix, VoiceSelected, VoiceUse
from voicepeer.core.resumption import Resumptions
from voicepeer.core.rtvi import Error
from voicepeer.core.speaking.manuscript import Remainder
from voicepeer.revocations import Revocations
from voicepeer.session import Session
from voicepeer.session_state import SessionState, is_said_in
from voicepeer.speech import Rest
from voicepeer.voice_store import ConsentRecord
from voicepeer.voices import Agreement, BegunVoice, KeptVoices, LearnedVoice

pytestmark = pytest.mark.peer

VOICE = Voice("fake", "1", {"tone_hz": np.array([300.0], np.float32)})
CONSENT = ConsentRecord("I agree.", "Ada", 1.0, consent_id="cons_1")


@asynccontextmanager
async def call_with(
    revocations: Revocations, *, stands_in: bool = False, state: SessionState | None = None
) -> AsyncIterator[Connected]:
    """A caller and a session on whose shelf the voice ``v`` is; it goes on with ``state``."""
    engine, shelf, observer = LocalEngine(), MemoryShelf(), Counting()
    shelf.agreements[CONSENT.consent_id] = Agreement(CONSENT)
    await shelf.put(LearnedVoice("v", "Ada", VOICE, None, None, CONSENT, "s", True))
    request = SessionRequest("room", "name", stands_in=stands_in, resume_token="earlier")
    resumptions = Resumptions[SessionState]()
    if state is not None:
        scope = f"{request.principal.owner} {request.room}"
        resumptions.keep("earlier", scope, state, time.monotonic())
    session = Session(
        request,
        engine,
        shelf,
        observer=observer,
        resumptions=resumptions,
        revocations=revocations,
    )
    await session.take_over()
    both = Connected(session, Call(), engine, shelf, observer)
    with both.call.listening() as stream:
        keeping = asyncio.create_task(both.keep_messages(stream))
        try:
            await both.call.accept(await session.answer(await both.call.offer()))
            yield both
        finally:
            await both.call.close()
            await session.close("test over")
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)


@pytest.mark.parametrize("stands_in", [False, True])
@unhurried
async def test_a_call_that_speaks_with_it_falls_silent(stands_in: bool) -> None:
    """And stays so, also where the engine's voice stands in for one that is yet to come."""
    revocations = Revocations()
    async with call_with(revocations, stands_in=stands_in) as both:
        both.send(VoiceUse(voice_id="v"), Speak(utterance_id="a", text="Hello there. " * 30))
        await both.wait_for(Started)
        del both.shelf.kept["v"]
        revocations.revoke("v")
        assert (await both.wait_for(Cancelled)).utterance_id == "a"
        both.send(Speak(utterance_id="b", text="Hello."))
        assert (await both.wait_for(Error)).code == "voice_not_ready"
        both.send(VoiceUse(voice_id="v"))
        assert (await both.wait_for(Error, 2)).code == "voice_not_found"


def state_with_a_text_in_it() -> SessionState:
    """What is left of a call that spoke with ``v`` and had not said all."""
    left = Speak(utterance_id="left", text="Hello there. " * 30)
    rest = Rest((Remainder(left, True, VOICE, 0, 0.0),), voice_id="v")
    return SessionState(VOICE, KeptVoices(None, None), False, BargeIn(), rest)


@unhurried
async def test_a_call_that_goes_on_with_it_falls_silent_too() -> None:
    revocations = Revocations()
    async with call_with(revocations, state=state_with_a_text_in_it()) as both:
        assert both.session.resumed
        assert both.session.voice_id == "v"
        both.send(Speak(utterance_id="a", text="Hello there. " * 30))
        await both.wait_for(Started)
        del both.shelf.kept["v"]
        revocations.revoke("v")
        await both.wait_for(Cancelled, 2)
        assert {one.utterance_id for one in both.got(Cancelled)} == {"left", "a"}
        assert both.session.voice_id is None
        both.send(Speak(utterance_id="b", text="Hello."))
        assert (await both.wait_for(Error)).code == "voice_not_ready"


@unhurried
async def test_what_was_left_to_say_in_it_is_not_said_by_who_comes_back_later() -> None:
    revocations, resumptions = Revocations(), Resumptions[SessionState]()
    request = SessionRequest("room", "name", resume_token="earlier")
    scope = f"{request.principal.owner} {request.room}"
    resumptions.keep("earlier", scope, state_with_a_text_in_it(), time.monotonic())
    session = Session(
        request, LocalEngine(), MemoryShelf(), resumptions=resumptions, revocations=revocations
    )
    await session.take_over()
    try:
        revocations.revoke("other")
        assert session._comeback.left == ["left"]
        revocations.revoke("v")
        assert session._comeback.left == []
        assert session.voice_id is None
    finally:
        await session.close("test over")


@unhurried
async def test_a_mix_falls_silent_with_the_first_of_its_voices() -> None:
    revocations = Revocations()
    async with call_with(revocations) as both:
        both.send(VoiceMix(weights={"v": 0.6, "mid": 0.4}))
        selected = await both.wait_for(VoiceSelected)
        assert selected.name == "mid + Ada"
        both.send(Speak(utterance_id="a", text="Hello there. " * 30))
        await both.wait_for(Started)
        assert isinstance(both.engine, LocalEngine)
        tone_hz = float(both.engine.spoken_as[0].arrays["tone_hz"][0])
        assert tone_hz == pytest.approx(0.6 * 300.0 + 0.4 * 220.0)
        del both.shelf.kept["v"]
        revocations.revoke("v")
        assert (await both.wait_for(Cancelled)).utterance_id == "a"
        both.send(Speak(utterance_id="b", text="Hello."))
        assert (await both.wait_for(Error)).code == "voice_not_ready"
        both.send(VoiceUse(voice_id=selected.voice_id))
        assert (await both.wait_for(Error, 2)).code == "voice_not_found"


@unhurried
async def test_a_mix_can_be_named_with_an_utterance() -> None:
    async with call_with(Revocations()) as both:
        both.send(
            Speak(utterance_id="a", text="Hello.", voice_id="mix:low=0.5,high=0.5"),
            Speak(utterance_id="b", text="Hello.", voice_id="mix:low=0.5,nobody=0.5"),
            Speak(utterance_id="c", text="Hello.", voice_id="mix:low"),
        )
        await both.wait_for(Error, 2)
        assert [error.code for error in both.got(Error)] == ["voice_not_found", "bad_message"]
        await both.wait_for(Started)
        assert isinstance(both.engine, LocalEngine)
        tone_hz = float(both.engine.spoken_as[0].arrays["tone_hz"][0])
        assert tone_hz == pytest.approx((110.0 + 440.0) / 2)


@unhurried
async def test_calls_with_other_voices_go_on() -> None:
    revocations = Revocations()
    async with call_with(revocations) as both:
        both.send(VoiceUse(voice_id="mid"))
        await both.wait_for(VoiceSelected)
        both.send(Speak(utterance_id="a", text="Hello."))
        await both.wait_for(Started)
        revocations.revoke("v")
        both.send(Speak(utterance_id="b", text="Hello."))
        await both.wait_for(Started, 2)
        assert both.got(Cancelled) == []


@unhurried
async def test_a_session_that_has_ended_listens_no_more() -> None:
    revocations = Revocations()
    async with call_with(revocations):
        assert len(revocations._listeners) == 1
    assert revocations._listeners == set()


def test_states_of_lost_sessions_tell_which_voices_they_hold() -> None:
    begun = BegunVoice("begun", "Ada", Agreement(CONSENT))
    state = SessionState(None, KeptVoices(None, begun), True, BargeIn(), Rest(voice_id="selected"))
    assert [state.has(one) for one in ("begun", "selected", "other")] == [True, True, False]
    mixed = SessionState(
        None, KeptVoices(None, None), True, BargeIn(), Rest(voice_id="mix:a=0.5,b=0.5")
    )
    assert [mixed.has(one) for one in ("a", "b", "c")] == [True, True, False]


@unhurried
async def test_a_voice_that_is_called_by_its_name_falls_silent_as_well() -> None:
    revocations = Revocations()
    async with call_with(revocations) as both:
        both.send(Speak(utterance_id="a", text="Hello there. " * 30, voice_id="Ada"))
        await both.wait_for(Started)
        both.send(VoiceUse(voice_id="Ada"))
        assert (await both.wait_for(VoiceSelected)).voice_id == "v"
        left = both.session._speech.rest(time.monotonic())
        assert is_said_in(left, "v"), "who goes on with it would know that it is the deleted one"
        del both.shelf.kept["v"]
        revocations.revoke("v")
        await both.wait_for(Cancelled)
        assert both.session.voice_id is None

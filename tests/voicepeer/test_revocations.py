"""A voice that is deleted is heard no more, in calls neither."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import numpy as np
import pytest

from engines.api import Voice
from signaling.sessions import SessionRequest
from tests.peers.caller import Connected, Counting, MemoryShelf
from tests.peers.engine import LocalEngine
from voicepeer.barge_in import BargeIn
from voicepeer.call import Call
from voicepeer.core.messages import Cancelled, Speak, Started, VoiceSelected, VoiceUse
from voicepeer.core.rtvi import Error
from voicepeer.revocations import Revocations
from voicepeer.session import Session
from voicepeer.session_state import SessionState
from voicepeer.speech import Rest
from voicepeer.voice_store import ConsentRecord
from voicepeer.voices import Agreement, BegunVoice, KeptVoices, LearnedVoice

pytestmark = pytest.mark.peer

VOICE = Voice("fake", "1", {"tone_hz": np.array([300.0], np.float32)})
CONSENT = ConsentRecord("I agree.", "Ada", 1.0, consent_id="cons_1")


@asynccontextmanager
async def call_with(revocations: Revocations) -> AsyncIterator[Connected]:
    """A caller and a session on whose shelf the voice ``v`` is."""
    engine, shelf, observer = LocalEngine(), MemoryShelf(), Counting()
    shelf.agreements[CONSENT.consent_id] = Agreement(CONSENT)
    await shelf.put(LearnedVoice("v", "Ada", VOICE, None, None, CONSENT, "s", True))
    request = SessionRequest("room", "name")
    session = Session(request, engine, shelf, observer=observer, revocations=revocations)
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


async def test_a_call_that_speaks_with_it_falls_silent() -> None:
    revocations = Revocations()
    async with call_with(revocations) as both:
        both.send(VoiceUse(voice_id="v"), Speak(utterance_id="a", text="Hello there. " * 30))
        await both.wait_for(Started)
        del both.shelf.kept["v"]
        revocations.revoke("v")
        assert (await both.wait_for(Cancelled)).utterance_id == "a"
        both.send(Speak(utterance_id="b", text="Hello."))
        assert (await both.wait_for(Error)).code == "voice_not_ready"
        both.send(VoiceUse(voice_id="v"))
        assert (await both.wait_for(Error, 2)).code == "voice_not_found"


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


async def test_a_session_that_has_ended_listens_no_more() -> None:
    revocations = Revocations()
    async with call_with(revocations):
        assert len(revocations._listeners) == 1
    assert revocations._listeners == set()


def test_states_of_lost_sessions_tell_which_voices_they_hold() -> None:
    begun = BegunVoice("begun", "Ada", Agreement(CONSENT))
    state = SessionState(None, KeptVoices(None, begun), True, BargeIn(), Rest(voice_id="selected"))
    assert [state.has(one) for one in ("begun", "selected", "other")] == [True, True, False]

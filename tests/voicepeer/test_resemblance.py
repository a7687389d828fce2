"""How like its speaker what was said is: compared when nothing is being said, and only if asked."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from engines.api import Embedding, EngineCrashed, Pcm
from tests.peers.caller import connected
from tests.peers.clock import unhurried
from tests.peers.engine import LocalEngine
from tests.peers.sounds import vowel
from voicepeer.core.listening.enrolment import EnrolmentSettings
from voicepeer.core.messages import (
    Cancel,
    Cancelled,
    Done,
    EnrolStart,
    ServerMessage,
    SessionConfigure,
    SessionConfigured,
    Similarity,
    Speak,
    Started,
    VoiceReady,
)
from voicepeer.core.pcm import Pcm16
from voicepeer.core.rtvi import BotReady
from voicepeer.resemblance import LEAST_S, MAX_WAITING, MOST_S, Resemblance
from voicepeer.session_state import SessionSettings

pytestmark = pytest.mark.peer

FRAME = 960
QUICK = SessionSettings(enrolment=EnrolmentSettings(usable_s=1.7, ready_s=2.1))
LONG_TEXT = "This is a sentence that takes a good deal longer than two seconds to say."


class Ear(LocalEngine):
    """An engine whose embedding is set, and that keeps what it was asked to embed."""

    def __init__(self, embedding: Embedding) -> None:
        super().__init__()
        self.answer = embedding
        self.asked: list[Pcm] = []
        self.broken = 0

    async def embed(self, pcm: Pcm) -> Embedding:
        if self.broken:
            self.broken -= 1
            raise EngineCrashed("lost")
        self.asked.append(pcm)
        return self.answer


class Place:
    """A Resemblance and everything around it."""

    def __init__(self, cosine: float = 0.6) -> None:
        self.ear = Ear(np.array([cosine, np.sqrt(1 - cosine**2)], np.float32))
        self.reference: Embedding | None = np.array([1.0, 0.0], np.float32)
        self.speaking = False
        self.messages: list[ServerMessage] = []
        self.resemblance = Resemblance(
            self.ear, lambda _: self.reference, lambda: self.speaking, self.messages.append
        )
        self.resemblance.on = True

    def say(self, name: str, seconds: float, end: ServerMessage | None = None) -> None:
        self.resemblance.told(Started(utterance_id=name, latency_ms=1.0))
        frame: Pcm16 = np.full(FRAME, 1_000, np.int16)
        for _ in range(round(seconds * 50)):
            self.resemblance.sent(frame)
        self.resemblance.told(end or done(name))

    async def settle(self, seconds: float = 0.3) -> list[Similarity]:
        running = asyncio.create_task(self.resemblance.run())
        await asyncio.sleep(seconds)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        return [one for one in self.messages if isinstance(one, Similarity)]


def done(name: str) -> Done:
    return Done(utterance_id=name, audio_ms=1, first_audible_ms=1, rtf=0.1, underruns=0)


@unhurried
async def test_an_utterance_is_compared_with_its_speaker_at_16_khz() -> None:
    place = Place(cosine=0.6)
    place.say("a", 3.0)
    (told,) = await place.settle()
    assert told.utterance_id == "a"
    assert told.cosine == pytest.approx(0.6)
    assert place.ear.asked[0].size == pytest.approx(3.0 * 16_000, abs=2)


@unhurried
async def test_no_more_than_ten_seconds_are_kept() -> None:
    place = Place()
    place.say("a", 3 * MOST_S)
    assert len(await place.settle()) == 1
    assert place.ear.asked[0].size == pytest.approx(MOST_S * 16_000, abs=400)


@pytest.mark.parametrize(
    ("seconds", "end"),
    [
        (LEAST_S - 0.1, None),
        (3.0, Cancelled(utterance_id="a", played_ms=3_000)),
        (3.0, done("another")),
    ],
    ids=["too short", "cancelled", "not over"],
)
@unhurried
async def test_what_is_no_whole_utterance_is_not_judged(
    seconds: float, end: ServerMessage | None
) -> None:
    place = Place()
    place.say("a", seconds, end)
    assert await place.settle() == []


@unhurried
async def test_nothing_is_kept_unless_it_was_asked_for_and_the_voice_learned_here() -> None:
    place = Place()
    place.resemblance.on = False
    place.say("a", 3.0)
    place.resemblance.on, place.reference = True, None
    place.say("b", 3.0)
    assert await place.settle() == []
    assert place.ear.asked == []


@unhurried
async def test_the_next_utterance_goes_first() -> None:
    place = Place()
    place.speaking = True
    place.say("a", 2.0)
    assert await place.settle() == []
    place.speaking = False
    place.say("b", 2.0)
    assert [one.utterance_id for one in await place.settle()] == ["b"]


@unhurried
async def test_of_too_many_that_wait_the_oldest_are_passed_over() -> None:
    place = Place()
    for number in range(MAX_WAITING + 2):
        place.say(str(number), 2.0)
    told = await place.settle(0.6)
    assert [one.utterance_id for one in told] == ["2", "3", "4", "5"]


@unhurried
async def test_a_model_that_fails_costs_one_figure() -> None:
    place = Place()
    place.ear.broken = 1
    place.say("a", 2.0)
    place.say("b", 2.0)
    assert [one.utterance_id for one in await place.settle()] == ["b"]


@unhurried
async def test_a_call_tells_it_of_its_own_voice_only() -> None:
    async with connected(settings=QUICK) as both:
        ready = await both.wait_for(BotReady)
        assert ready.controls["speed"] == [0.5, 2.0]
        assert "happy" in ready.emotions
        both.send(SessionConfigure(similarity=True))
        assert (await both.wait_for(SessionConfigured)).similarity
        both.send(EnrolStart(consent="I agree."))
        both.call.speak_into_microphone(vowel(4.0))
        learned = await both.wait_for(VoiceReady)
        both.send(Speak(utterance_id="own", text=LONG_TEXT))
        told = await both.wait_for(Similarity)
        assert told.utterance_id == "own"
        assert -1.0 <= told.cosine <= 1.0
        both.send(Speak(utterance_id="stock", text=LONG_TEXT, voice_id="mid"))
        await both.wait_for(Done, 2)
        both.send(Speak(utterance_id="again", text=LONG_TEXT, voice_id=learned.voice_id))
        await both.wait_for(Similarity, 2)
        assert [one.utterance_id for one in both.got(Similarity)] == ["own", "again"]
        both.send(SessionConfigure(similarity=False), Speak(utterance_id="off", text=LONG_TEXT))
        await both.wait_for(Started, 4)
        both.send(Cancel())
        assert len(both.got(Similarity)) == 2

"""Speech into the microphone interrupts ours, our own echo does not: over real connections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import numpy as np
import pytest

from engines.api import Chunk, Controls, Segment, Voice
from tests.clips import clip
from tests.peers.caller import Connected, connected
from tests.peers.clock import unhurried
from tests.peers.engine import LocalEngine, LocalStream
from voicepeer.barge_in import BargeIn
from voicepeer.core.listening.enrolment import EnrolmentSettings
from voicepeer.core.messages import (
    Cancelled,
    Done,
    EnrolStart,
    SessionConfigure,
    SessionConfigured,
    Speak,
    Started,
    VoiceUsable,
)
from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm16, from_pcm16
from voicepeer.core.rtvi import BotInterrupted, Error, UserStartedSpeaking, UserStoppedSpeaking
from voicepeer.session_state import SessionSettings

pytestmark = pytest.mark.peer

BARGE_IN = SessionSettings(barge_in=BargeIn(on=True))
CHUNK_S = 0.08


class _ClipStream(LocalStream):
    """Says a recording, whatever the text."""

    def __init__(self, pcm: np.ndarray[tuple[int], np.dtype[np.float32]], rate_hz: int) -> None:
        self._pcm = pcm
        self._size = round(CHUNK_S * rate_hz)
        self._over = False

    async def __aiter__(self) -> AsyncIterator[Chunk]:
        for start in range(0, self._pcm.size, self._size):
            if self._over:
                return
            yield Chunk(self._pcm[start : start + self._size])

    def cancel(self) -> None:
        self._over = True


class SpeakerEngine(LocalEngine):
    """Speaks like a real person, so that there is an echo as there would be."""

    def __init__(self, name: str) -> None:
        super().__init__()
        rate_hz = self.info.sample_rate_hz
        self._pcm = clip(name, rate_hz)[: 6 * rate_hz]

    def speak(
        self, segment: Segment, voice: Voice, controls: Controls, in_hand_s: float | None = None
    ) -> LocalStream:
        return _ClipStream(self._pcm, self.info.sample_rate_hz)


def echo(both: Connected, gain: float) -> None:
    """Let the caller's microphone pick up what the session sends."""
    take_part = both.session.track.on_frame
    assert take_part is not None
    pacer = both.call._pacer
    generation = pacer.open()

    def on_frame(pcm: Pcm16) -> None:
        take_part(pcm)
        pacer.push(generation, from_pcm16(pcm) * np.float32(gain))

    both.session.track.on_frame = on_frame


def speech(name: str, seconds: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return clip(name, WIRE_RATE_HZ)[: int(seconds * WIRE_RATE_HZ)]


async def begin(both: Connected) -> None:
    await both.use_stock_voice()
    both.send(Speak(utterance_id="a", text="This is going to be quite long."))
    both.send(Speak(utterance_id="b", text="And this would come after it."))
    await both.wait_for(Started)


@unhurried
async def test_speaking_over_it_silences_everything_and_tells_what_was_played() -> None:
    async with connected(SpeakerEngine("de_Sonja"), BARGE_IN) as both:
        await begin(both)
        sent: list[bool] = []
        await asyncio.sleep(0.5)
        both.call.speak_into_microphone(speech("en_james", 2.5))
        await both.wait_for(UserStartedSpeaking)
        take_part = both.session.track.on_frame
        assert take_part is not None
        both.session.track.on_frame = lambda pcm: sent.append(bool(np.any(pcm)))
        cancelled = await both.wait_for(Cancelled, 2)
        await both.wait_for(BotInterrupted)
        await both.wait_for(UserStoppedSpeaking)
        # What is left is the 10 ms of fading, in at most two frames.
        assert sum(sent) <= 2
        assert [one.utterance_id for one in both.got(Cancelled)] == ["a", "b"]
        assert both.got(Cancelled)[0].played_ms > 300
        assert cancelled.played_ms == 0
        assert not both.got(Done)
        assert both.observer.names().count("user_interrupted") == 1


@unhurried
async def test_what_was_played_is_what_was_sent() -> None:
    async with connected(SpeakerEngine("de_Sonja"), BARGE_IN) as both:
        frames: list[Pcm16] = []
        take_part = both.session.track.on_frame
        assert take_part is not None

        def keep(pcm: Pcm16) -> None:
            frames.append(pcm)
            take_part(pcm)

        both.session.track.on_frame = keep
        await begin(both)
        both.call.speak_into_microphone(speech("en_james", 2.0))
        cancelled = await both.wait_for(Cancelled)
        await asyncio.sleep(0.1)
        sent = np.concatenate(frames)
        audible = np.flatnonzero(sent)
        spanned_ms = (audible[-1] - audible[0] + 1) * 1000 / WIRE_RATE_HZ
        # Both ends of a recording may hold samples that are exactly nothing.
        assert cancelled.played_ms == pytest.approx(spanned_ms, abs=25)


@unhurried
async def test_our_own_echo_interrupts_nobody() -> None:
    async with connected(SpeakerEngine("de_Elli"), BARGE_IN) as both:
        echo(both, 0.5)
        await both.use_stock_voice()
        both.send(Speak(utterance_id="a", text="This comes back through a loudspeaker."))
        done = await both.wait_for(Done, within_s=12)
        assert done.audio_ms == pytest.approx(6_000, abs=50)
        assert not both.got(BotInterrupted)


@unhurried
async def test_without_barge_in_nobody_listens() -> None:
    engine = SpeakerEngine("de_Sonja")
    async with connected(engine) as both:
        await begin(both)
        both.call.speak_into_microphone(speech("en_james", 1.5))
        await asyncio.sleep(2.0)
        assert not both.got(Cancelled)
        assert not both.got(UserStartedSpeaking)
        assert engine.scored == 0


@unhurried
async def test_it_can_be_switched_on_and_off_in_mid_call() -> None:
    async with connected(SpeakerEngine("de_Sonja")) as both:
        both.send(SessionConfigure(barge_in=True, barge_in_min_ms=150))
        assert await both.wait_for(SessionConfigured) == SessionConfigured(
            barge_in=True, barge_in_min_ms=150
        )
        both.send(SessionConfigure(barge_in=False))
        assert await both.wait_for(SessionConfigured, 2) == SessionConfigured(
            barge_in=False, barge_in_min_ms=150
        )
        await begin(both)
        both.call.speak_into_microphone(speech("en_james", 1.0))
        await asyncio.sleep(1.2)
        assert not both.got(Cancelled)
        both.send(SessionConfigure(barge_in=True))
        await both.wait_for(SessionConfigured, 3)
        both.call.speak_into_microphone(speech("en_james", 2.0))
        await both.wait_for(BotInterrupted)


@pytest.mark.parametrize("min_ms", [99.0, 5_001.0, -1.0, 1e12])
@unhurried
async def test_a_duration_out_of_range_is_refused_and_changes_nothing(min_ms: float) -> None:
    async with connected() as both:
        both.send(SessionConfigure(barge_in=True, barge_in_min_ms=min_ms))
        error = await both.wait_for(Error)
        assert error.code == "bad_message"
        assert "100 to 5000" in error.error
        both.send(SessionConfigure())
        configured = await both.wait_for(SessionConfigured)
        assert configured == SessionConfigured(barge_in=False, barge_in_min_ms=300)


@unhurried
async def test_who_was_asked_to_speak_interrupts_nothing() -> None:
    settings = SessionSettings(
        barge_in=BargeIn(on=True), enrolment=EnrolmentSettings(usable_s=2.0, ready_s=30.0)
    )
    async with connected(SpeakerEngine("de_Sonja"), settings) as both:
        await begin(both)
        both.send(EnrolStart(consent="I agree."))
        both.call.speak_into_microphone(speech("en_james", 2.0))
        await both.wait_for(UserStartedSpeaking)
        await asyncio.sleep(0.3)
        assert not both.got(Cancelled)
        assert not both.got(VoiceUsable)

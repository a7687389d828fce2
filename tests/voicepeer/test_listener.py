"""Learning from a microphone without a network: packets go straight into the reader."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pytest

from engines.api import EngineCrashed, EngineError, Pcm, Reference, VadMemory, Voice
from engines.fakes import Script
from tests.clips import clip
from tests.peers.caller import Counting
from tests.peers.engine import LocalEngine, LocalVoices
from tests.peers.sounds import vowel
from tests.voicepeer.test_jitter import Rtp
from voicepeer import listener as module
from voicepeer.benches.echo_paths import EchoPath, at_speech_level
from voicepeer.core.listening.enrolment import EnrolmentSettings
from voicepeer.core.listening.interruption import InterruptionSettings
from voicepeer.core.messages import (
    ServerMessage,
    VoiceProgress,
    VoiceReady,
    VoiceRefined,
    VoiceRejected,
    VoiceUsable,
)
from voicepeer.core.pcm import FRAME_SAMPLES, LISTEN_RATE_HZ, WIRE_RATE_HZ, to_pcm16
from voicepeer.listener import Listener, MadeVoice
from voicepeer.opus import OpusEncoder
from voicepeer.tracks import MicReader

pytestmark = pytest.mark.unit

SETTINGS = EnrolmentSettings(
    usable_s=1.7, ready_s=2.1, hint_after_s=0.3, reject_after_s=0.8, refine_s=60.0
)


@dataclass
class Room:
    """A listener with a microphone, and everything that came out."""

    engine: LocalEngine
    hears_us: bool = False
    messages: list[ServerMessage] = field(default_factory=list)
    made: list[MadeVoice] = field(default_factory=list)
    observer: Counting = field(default_factory=Counting)
    _sent: int = 0

    def __post_init__(self) -> None:
        self.mic = MicReader()
        self.encoder = OpusEncoder()
        self.listener = Listener(
            self.engine,
            self.mic,
            self.messages.append,
            self.observer,
            lambda: self.hears_us,
            self.keep,
            SETTINGS,
        )

    async def keep(self, made: MadeVoice) -> None:
        self.made.append(made)

    def hear(self, pcm: Pcm) -> None:
        """Let packets arrive, all at once."""
        usable = pcm[: pcm.size // FRAME_SAMPLES * FRAME_SAMPLES]
        for frame in to_pcm16(usable).reshape(-1, FRAME_SAMPLES):
            packet = Rtp(self._sent * FRAME_SAMPLES, self.encoder.encode(frame))
            self.mic._receiver.add(packet)
            self._sent += 1

    async def hear_all(self, pcm: Pcm) -> None:
        """Let packets arrive faster than life, but not faster than they are read."""
        for start in range(0, pcm.size, 10 * FRAME_SAMPLES):
            self.hear(pcm[start : start + 10 * FRAME_SAMPLES])
            await asyncio.sleep(0.005)

    def got(self, kind: type[ServerMessage]) -> list[ServerMessage]:
        return [message for message in self.messages if isinstance(message, kind)]

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(30):
            while not condition():  # noqa: ASYNC110 - any condition can be waited for
                await asyncio.sleep(0.005)


@asynccontextmanager
async def room(engine: LocalEngine | None = None, hears_us: bool = False) -> AsyncIterator[Room]:
    place = Room(engine or LocalEngine(), hears_us)
    running = asyncio.create_task(place.listener.run())
    yield place
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_voice_is_usable_then_ready_and_made_from_what_was_heard() -> None:
    async with room() as place:
        place.listener.start("v1")
        await place.hear_all(vowel(2.6))
        await place.until(lambda: place.got(VoiceReady))
        kinds = [type(m) for m in place.messages if not isinstance(m, VoiceProgress)]
        assert kinds == [VoiceUsable, VoiceReady]
        assert [made.voice_id for made in place.made][:2] == ["v1", "v1"]
        first, second = place.engine.references[:2]
        assert 1.7 <= first.pcm.size / 16_000 <= second.pcm.size / 16_000
        assert second.embedding is not None
        assert np.linalg.norm(second.embedding) == pytest.approx(1.0, abs=1e-4)
        names = [name for name in place.observer.names() if name != "embedded"]
        assert names[:4] == ["voice_scored", "voice_usable", "voice_scored", "voice_ready"]
        assert place.observer.names().count("embedded") >= 2


@pytest.mark.parametrize("asked", [None, False, True])
async def test_the_channel_is_matched_where_that_is_asked_for(asked: bool | None) -> None:
    async with room() as place:
        place.listener.start("v1", asked)
        await place.hear_all(vowel(2.6))
        await place.until(lambda: place.got(VoiceReady))
        assert {one.match_channel for one in place.engine.references} == {bool(asked)}


async def test_nothing_is_scored_before_it_is_asked_for() -> None:
    async with room() as place:
        await place.hear_all(vowel(1.0))
        await asyncio.sleep(0.1)
        assert place.listener.frames > 50
        assert place.messages == []
        assert place.engine.scored == 0


async def test_speech_from_before_the_start_is_not_learned() -> None:
    async with room() as place:
        await place.hear_all(vowel(2.6))
        place.listener.start("v1")
        await asyncio.sleep(0.3)
        assert not place.got(VoiceUsable)


class Patient(LocalEngine):
    """Notes how many windows it is given at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []

    async def score(self, windows: Pcm, memory: VadMemory | None) -> tuple[list[float], VadMemory]:
        self.batches.append(windows.size // self.vad_window_samples)
        return await super().score(windows, memory)


async def test_a_voice_that_is_ready_hears_many_windows_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = Patient()
    async with room(engine) as place:
        place.listener.start("v1")
        await place.hear_all(vowel(2.6))
        await place.until(lambda: place.got(VoiceReady))
        monkeypatch.setattr(module, "TICK_S", 60.0)
        await asyncio.sleep(0.5)  # the tick that has begun is over
        engine.batches.clear()
        place.hear(np.zeros(LISTEN_RATE_HZ, np.float32))  # ten windows, at 48 kHz
        await asyncio.sleep(0.2)
        assert engine.batches == []
        await place.hear_all(np.zeros(3 * LISTEN_RATE_HZ, np.float32))
        await place.until(lambda: engine.batches)
        assert engine.batches[0] == module.BATCH_WINDOWS


async def test_who_may_interrupt_need_not_wait_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TICK_S", 60.0)
    engine = Patient()
    async with room(engine) as place:
        place.listener.listen_for_user(InterruptionSettings())
        place.hear(np.zeros(2 * FRAME_SAMPLES, np.float32))
        await place.until(lambda: engine.batches)
        assert engine.batches == [1]


async def test_a_second_start_forgets_the_first_voice() -> None:
    async with room() as place:
        place.listener.start("v1")
        await place.hear_all(vowel(1.2)[:-30_000])
        place.listener.start("v2")
        await place.hear_all(vowel(2.6))
        await place.until(lambda: place.got(VoiceReady))
        assert {made.voice_id for made in place.made} == {"v2"}
        assert place.engine.references[0].pcm.size < 2.2 * 16_000


async def test_our_own_voice_is_heard_but_not_learned() -> None:
    async with room(hears_us=True) as place:
        place.listener.start("v1")
        await place.hear_all(vowel(2.6))

        def hints() -> str:
            told = (m.hint for m in place.messages if isinstance(m, VoiceProgress))
            return " ".join(filter(None, told))

        await place.until(lambda: "while I am speaking" in hints())
        codes = {m.hint_code for m in place.messages if isinstance(m, VoiceProgress)}
        assert codes == {"own_voice"}
        assert not place.got(VoiceUsable)


@pytest.mark.parametrize("sent_by_us", [True, False])
async def test_an_echo_that_comes_long_after_we_spoke_is_not_learned(sent_by_us: bool) -> None:
    """The clock says that we are silent; only what was sent tells whose voice it is."""
    ours = at_speech_level(clip("de_Elli", WIRE_RATE_HZ)[: 5 * WIRE_RATE_HZ])
    late = EchoPath(delay_ms=800, gain_db=-6.0, rt60_s=0.2).play(ours)
    step = 10 * FRAME_SAMPLES
    async with room() as place:
        place.listener.start("v1")
        for start in range(0, late.size - step, step):
            sent = np.zeros(step, np.float32)
            sent[: ours[start : start + step].size] = ours[start : start + step]
            for frame in to_pcm16(sent if sent_by_us else 0 * sent).reshape(-1, FRAME_SAMPLES):
                place.listener.sent(frame)
            place.hear(late[start : start + step])
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.3)
        learned_s = max(
            (m.heard_s for m in place.messages if isinstance(m, VoiceProgress)), default=0.0
        )
        assert bool(place.got(VoiceUsable)) is not sent_by_us
        assert learned_s < 0.3 if sent_by_us else learned_s > 1.7


class Held(LocalEngine):
    """Makes no voice until it may."""

    def __init__(self) -> None:
        super().__init__()
        self.may = asyncio.Event()

    async def enrol(self, reference: Reference, *, urgent: bool = True) -> Voice:
        voice = await super().enrol(reference, urgent=urgent)
        await self.may.wait()
        return voice


async def test_what_is_due_while_a_voice_is_made_is_one_voice_more() -> None:
    engine = Held()
    async with room(engine) as place:
        place.listener.start("v1")
        learning = place.listener._learning
        assert learning is not None
        await place.hear_all(vowel(2.6))
        # What began with the first wish is not done yet.
        await place.until(lambda: engine.references and learning.wishes)
        learning.wishes.extend(list(learning.wishes) * 3)
        engine.may.set()
        await place.until(lambda: len(place.got(VoiceReady)) == 4)
        assert len(place.made) == len(engine.references) == 2
        assert engine.urgent == [True, True]
        assert place.made[-1].reference.pcm.size > place.made[0].reference.pcm.size


async def test_nothing_is_made_of_what_is_no_longer_learned() -> None:
    engine = Held()
    async with room(engine) as place:
        place.listener.start("v1")
        await place.hear_all(vowel(2.6))
        await place.until(lambda: engine.references)
        place.listener.stop()
        engine.may.set()
        await asyncio.sleep(0.3)
        assert place.made == []
        assert not place.got(VoiceUsable)


async def test_a_voice_that_is_to_become_better_is_not_urgent() -> None:
    async with room() as place:
        place.listener.start("v1")
        await place.hear_all(np.concatenate([vowel(2.6), clip("en_susan", WIRE_RATE_HZ)]))
        await place.until(lambda: len(place.engine.urgent) > 2)
        assert place.engine.urgent[0]
        assert not place.engine.urgent[-1]


async def test_silence_is_hinted_at_and_then_rejected_once() -> None:
    async with room() as place:
        place.listener.start("v1")
        await place.hear_all(np.zeros(48_000, np.float32))
        await place.until(lambda: place.got(VoiceRejected))
        (rejected,) = place.got(VoiceRejected)
        assert isinstance(rejected, VoiceRejected)
        assert "microphone" in rejected.message
        assert ("voice_rejected", ("muted",)) in place.observer.told
        await place.hear_all(vowel(2.6))
        await place.until(lambda: place.got(VoiceReady))


async def test_stop_ends_it_without_a_word() -> None:
    async with room() as place:
        place.listener.start("v1")
        await place.hear_all(vowel(0.8))
        place.listener.stop()
        said = len(place.messages)
        await place.hear_all(vowel(2.6))
        await asyncio.sleep(0.3)
        assert len(place.messages) == said


async def test_a_ready_voice_gets_better_while_nothing_else_comes() -> None:
    async with room(LocalEngine(Script(refinements=2))) as place:
        place.listener.start("v1")
        await place.hear_all(vowel(2.2))
        await place.until(lambda: len(place.got(VoiceRefined)) == 2)
        assert place.got(VoiceRefined) == [VoiceRefined("v1", 1), VoiceRefined("v1", 2)]
        kinds = [type(m) for m in place.messages if not isinstance(m, VoiceProgress)]
        assert kinds.index(VoiceReady) < kinds.index(VoiceRefined)
        tones = [float(made.voice.arrays["tone_hz"][0]) for made in place.made]
        assert tones[-2:] == pytest.approx([tones[-3] + 7.0, tones[-3] + 14.0])
        assert {made.voice_id for made in place.made} == {"v1"}


async def test_a_voice_that_is_only_usable_is_not_refined() -> None:
    async with room(LocalEngine(Script(refinements=2))) as place:
        place.listener.start("v1")
        await place.hear_all(vowel(1.9))
        await place.until(lambda: place.got(VoiceUsable))
        await asyncio.sleep(0.1)
        assert not place.got(VoiceReady)
        assert not place.engine.refinements


@pytest.mark.parametrize("again", [True, False])
async def test_learning_that_ends_or_begins_anew_ends_the_refinement(again: bool) -> None:
    endless = Script(refinements=1_000_000, refine_delay_ms=10.0)
    async with room(LocalEngine(endless)) as place:
        place.listener.start("v1")
        await place.hear_all(vowel(2.2))
        await place.until(lambda: place.got(VoiceRefined))
        if again:
            place.listener.start("v2")
        else:
            place.listener.stop()
        assert place.engine.refinements[0].cancelled
        await asyncio.sleep(0.05)
        told = len(place.messages)
        await asyncio.sleep(0.1)
        assert len(place.messages) == told


async def test_more_speech_makes_a_new_voice_instead_of_refining_the_old_one() -> None:
    endless = Script(refinements=1_000_000, refine_delay_ms=10.0)
    async with room(LocalEngine(endless)) as place:
        place.listener.start("v1")
        await place.hear_all(vowel(2.2))
        await place.until(lambda: place.got(VoiceRefined))
        await place.hear_all(np.concatenate([vowel(6.0, 250.0)]))
        await place.until(lambda: len(place.engine.refinements) > 1)
        assert place.engine.refinements[0].cancelled


async def test_a_refinement_that_fails_leaves_the_voice_as_it_is() -> None:
    class Failing(LocalEngine):
        def refine(self, voice: Voice, reference: Reference, budget_s: float) -> LocalVoices:
            def parts() -> Iterator[Voice | None]:
                yield None
                raise EngineError("out of tune")

            self.refinements.append(LocalVoices(parts()))
            return self.refinements[-1]

    async with room(Failing()) as place:
        place.listener.start("v1")
        await place.hear_all(vowel(2.2))
        await place.until(
            lambda: place.engine.refinements and place.engine.refinements[0].cancelled
        )
        assert not place.got(VoiceRejected)
        place.listener.start("v2")
        await place.hear_all(vowel(2.2))
        await place.until(lambda: len(place.got(VoiceReady)) == 2)


class Refusing(LocalEngine):
    """Makes no voice, or only after a number of failures."""

    def __init__(self, error: EngineError, times: int) -> None:
        super().__init__()
        self._error, self._times = error, times

    async def enrol(self, reference: Reference, *, urgent: bool = True) -> Voice:
        if self._times:
            self._times -= 1
            raise self._error
        return await super().enrol(reference, urgent=urgent)


async def test_a_clone_that_fails_is_told_and_the_next_one_is_tried() -> None:
    async with room(Refusing(EngineError("out of tune"), 1)) as place:
        place.listener.start("v1")
        await place.hear_all(vowel(2.6))
        await place.until(lambda: place.got(VoiceReady))
        (rejected,) = place.got(VoiceRejected)
        assert isinstance(rejected, VoiceRejected)
        assert "enrol.start" in rejected.message
        assert not place.got(VoiceUsable)


async def test_a_lost_engine_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CLONE_RETRY_S", 0.02)
    async with room(Refusing(EngineCrashed("gone"), 2)) as place:
        place.listener.start("v1")
        await place.hear_all(vowel(2.6))
        await place.until(lambda: place.got(VoiceReady))
        assert place.got(VoiceUsable)
        assert not place.got(VoiceRejected)


class Deaf(LocalEngine):
    """Its voice activity model fails a few times."""

    failures = 3

    async def score(self, windows: Pcm, memory: VadMemory | None) -> tuple[list[float], VadMemory]:
        if self.failures:
            self.failures -= 1
            raise EngineCrashed("gone")
        return await super().score(windows, memory)


async def test_listening_goes_on_after_a_model_was_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TICK_S", 0.02)
    async with room(Deaf()) as place:
        place.listener.start("v1")
        await place.hear_all(vowel(0.3))
        await place.hear_all(vowel(3.0))
        await place.until(lambda: place.got(VoiceReady))


async def test_a_slow_engine_loses_no_speech() -> None:
    class Slow(LocalEngine):
        async def score(
            self, windows: Pcm, memory: VadMemory | None
        ) -> tuple[list[float], VadMemory]:
            await asyncio.sleep(0.05)
            return await super().score(windows, memory)

    async with room(Slow()) as place:
        place.listener.start("v1")
        await place.hear_all(vowel(2.6))
        await place.until(lambda: place.got(VoiceReady))
        assert place.mic.counters.overflowed == 0


async def test_sparing_embeds_less_and_still_learns_the_voice() -> None:
    counts = []
    for sparing in (False, True):
        async with room() as place:
            place.listener.spare(sparing)
            place.listener.start("v1")
            await place.hear_all(vowel(6.0))
            await place.until(partial(place.got, VoiceReady))
            counts.append(place.observer.names().count("embedded"))
    usual, fewer = counts
    assert fewer < usual

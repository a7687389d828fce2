"""The queue of speech without a connection: frames are taken as fast as they come."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import numpy as np
import pytest

from engines.api import Chunk, Controls, Segment, Voice, WordMark
from engines.fakes import AMPLITUDE, CHAR_MS, Script
from tests.peers.caller import Counting
from tests.peers.engine import LocalEngine
from voicepeer.core.errors import AtCapacity, TextRejected, VoiceNotReady, VoicePeerError
from voicepeer.core.messages import (
    Accepted,
    Append,
    Cancel,
    Cancelled,
    Caption,
    Done,
    End,
    Failed,
    Flush,
    LexiconSet,
    ServerMessage,
    SetControls,
    SetLexicon,
    Speak,
    Started,
    Viseme,
    Word,
)
from voicepeer.core.pcm import FRAME_SAMPLES, Pcm16
from voicepeer.core.rtvi import SendText
from voicepeer.core.speaking.emotion import RECIPES
from voicepeer.core.speaking.pacer import Pacer
from voicepeer.core.speaking.queue import MAX_UTTERANCES
from voicepeer.speech import MAX_LEXICONS, PREFETCH_MS, SpeechQueue

pytestmark = pytest.mark.unit


@dataclass
class Stage:
    """A queue, its pacer with a clock of its own, and everything that came out."""

    engine: LocalEngine
    pacer: Pacer = field(default_factory=Pacer)
    observer: Counting = field(default_factory=Counting)
    messages: list[ServerMessage] = field(default_factory=list)
    frames: list[Pcm16] = field(default_factory=list)
    ticks: int = 0

    def __post_init__(self) -> None:
        self.queue = SpeechQueue(self.engine, self.pacer, self.messages.append, self.observer)

    def got(self, kind: type[ServerMessage]) -> list[ServerMessage]:
        return [message for message in self.messages if isinstance(message, kind)]

    def tick(self) -> None:
        """Send one frame."""
        frame = self.pacer.take(self.ticks * 0.02)
        self.ticks += 1
        self.frames.append(frame.pcm)
        self.queue.on_played(frame.events, time.monotonic())

    async def until(self, condition: Callable[[], object], frames: bool = True) -> None:
        """Send frames, or only let time pass, until something is the case."""
        async with asyncio.timeout(30):
            while not condition():
                if frames:
                    self.tick()
                await asyncio.sleep(0.001)

    async def finished(self, count: int = 1) -> None:
        ends = (Done, Cancelled, Failed)
        await self.until(lambda: len([m for m in self.messages if isinstance(m, ends)]) >= count)

    def sound_ms(self) -> float:
        return float(np.count_nonzero(np.concatenate(self.frames)) / 48)


@asynccontextmanager
async def stage(
    engine: LocalEngine | None = None, voice: str | None = "mid"
) -> AsyncIterator[Stage]:
    on = Stage(engine or LocalEngine())
    if voice is not None:
        on.queue.voice = (await on.engine.stock_voices())[voice]
    running = asyncio.create_task(on.queue.run())
    yield on
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


def speak(utterance_id: str, text: str, interrupt: bool = False) -> Speak:
    return Speak(utterance_id=utterance_id, text=text, interrupt=interrupt)


async def test_speech_comes_out_as_long_as_it_was_made() -> None:
    async with stage() as on:
        on.queue.speak(speak("a", "Twelve chars"))
        await on.until(lambda: on.pacer.buffered_ms(1) > 700, frames=False)
        await on.finished()
        (done,) = on.got(Done)
        assert isinstance(done, Done)
        assert done.audio_ms == pytest.approx(12 * CHAR_MS, abs=0.1)
        assert on.sound_ms() == pytest.approx(done.audio_ms, rel=0.03)
        assert done.rtf is not None
        assert 0 < done.rtf < 1
        assert np.abs(np.concatenate(on.frames)).max() / 32767 == pytest.approx(AMPLITUDE, abs=0.02)


async def test_words_of_later_pieces_are_placed_in_the_whole_utterance() -> None:
    text = "One two three four, five six seven eight. Nine ten, eleven twelve."
    async with stage() as on:
        on.queue.speak(speak("a", text))
        await on.finished()
        assert len(on.engine.segments) >= 2
        words = [message for message in on.messages if isinstance(message, Word)]
        assert [text[word.char_start : word.char_end] for word in words] == text.split()
        starts = [word.start_ms for word in words]
        assert starts == sorted(starts)
        said_ms = sum(len(segment.text) for segment in on.engine.segments) * CHAR_MS
        assert said_ms - 12 * CHAR_MS < starts[-1] < said_ms


async def test_the_first_and_last_piece_are_marked_for_the_engine() -> None:
    async with stage() as on:
        on.queue.speak(speak("a", "This is the first sentence. This is the second one."))
        await on.finished()
        flags = [(segment.first, segment.last) for segment in on.engine.segments]
        assert flags[0] == (True, False)
        assert flags[-1] == (False, True)


async def test_without_a_voice_nothing_is_accepted() -> None:
    async with stage(voice=None) as on:
        with pytest.raises(VoiceNotReady, match=r"enrol\.start"):
            on.queue.speak(speak("a", "x"))
        with pytest.raises(VoiceNotReady, match=r"voice\.use"):
            on.queue.send_text(SendText(content="x"))
        with pytest.raises(VoiceNotReady):
            on.queue.append(Append(utterance_id="a", text="x"))
        assert on.messages == []


async def test_a_refused_interruption_interrupts_nothing() -> None:
    async with stage() as on:
        on.queue.speak(speak("a", "Keep on speaking please."))
        with pytest.raises(TextRejected):
            on.queue.speak(Speak(utterance_id="b", text="x", speed=50, interrupt=True))
        with pytest.raises(VoicePeerError):
            on.queue.speak(speak("a", "the same id again", interrupt=True))
        await on.finished()
        assert [type(message) for message in on.messages if not isinstance(message, Word)] == [
            Accepted,
            Started,
            Done,
        ]


async def test_the_voice_of_an_utterance_is_the_one_it_was_accepted_with() -> None:
    async with stage() as on:
        on.queue.speak(speak("a", "In the middle voice."))
        stock = await on.engine.stock_voices()
        on.queue.voice = stock["high"]
        on.queue.speak(speak("b", "In the high voice."))
        await on.finished(2)
        assert on.engine.spoken_as == [stock["mid"], stock["high"]]


async def test_controls_reach_the_engine_within_its_limits() -> None:
    async with stage() as on:
        on.queue.speak(Speak(utterance_id="a", text="Twelve chars", speed=2.0))
        await on.finished()
        (done,) = on.got(Done)
        assert isinstance(done, Done)
        assert done.audio_ms == pytest.approx(6 * CHAR_MS, abs=0.1)
        with pytest.raises(TextRejected, match=r"speed can be 0\.5 to 2"):
            on.queue.speak(Speak(utterance_id="b", text="x", speed=2.1))
        with pytest.raises(TextRejected, match="energy"):
            on.queue.speak(Speak(utterance_id="c", text="x", energy=float("nan")))


async def test_the_engine_is_told_what_the_listener_has_in_hand() -> None:
    async with stage() as on:
        on.queue.speak(speak("a", "A sentence that is long. " * 8))
        on.queue.speak(speak("b", "Another utterance."))
        await on.finished(2)
        first, *others = on.engine.in_hand_s
        assert first is None, "nothing is heard yet"
        assert len(others) >= 2
        assert all(one is not None and 0.0 <= one <= PREFETCH_MS / 1000 + 0.7 for one in others)
        assert max(one or 0.0 for one in others) > 0.5


async def test_an_utterance_after_silence_is_told_as_new() -> None:
    async with stage() as on:
        for name in ("a", "b"):
            on.queue.speak(speak(name, "Short."))
            await on.finished()
            on.messages.clear()
        assert on.engine.in_hand_s == [None, None]


async def test_the_engine_is_paused_when_enough_is_made_ahead() -> None:
    async with stage() as on:
        on.queue.speak(speak("a", "A sentence that is long. " * 20))
        await asyncio.sleep(0.5)
        ahead_ms = on.pacer.buffered_ms(1)
        assert PREFETCH_MS <= ahead_ms < PREFETCH_MS + 700


async def test_cancel_stops_the_engine_and_clears_what_is_queued() -> None:
    async with stage(LocalEngine(Script(chunk_delay_ms=5))) as on:
        on.queue.speak(speak("a", "This is a long sentence that will not be finished."))
        on.queue.speak(speak("b", "Nor this."))
        await on.until(lambda: on.got(Started))
        for _ in range(10):
            on.tick()
        on.queue.cancel(Cancel())
        assert [type(message) for message in on.messages[-2:]] == [Cancelled, Cancelled]
        made = len(on.engine.streams)
        played_ms = max(m.played_ms for m in on.messages if isinstance(m, Cancelled))
        for _ in range(20):
            on.tick()
            await asyncio.sleep(0.002)
        assert on.sound_ms() == pytest.approx(played_ms, abs=25)
        assert len(on.engine.streams) == made
        assert all(stream.cancelled for stream in on.engine.streams)
        on.queue.speak(speak("c", "Alive"))
        await on.until(lambda: on.got(Done))


async def test_cancelling_one_of_several_lets_the_others_be_spoken() -> None:
    async with stage() as on:
        for name in ("a", "b", "c"):
            on.queue.speak(speak(name, f"Utterance {name}"))
        await on.until(lambda: on.got(Started))
        on.queue.cancel(Cancel(utterance_id="b"))
        await on.finished(3)
        done = [message.utterance_id for message in on.messages if isinstance(message, Done)]
        assert done == ["a", "c"]


async def test_too_many_utterances_are_refused() -> None:
    async with stage() as on:
        for index in range(MAX_UTTERANCES):
            on.queue.speak(speak(str(index), "x"))
        with pytest.raises(AtCapacity):
            on.queue.speak(speak("over", "x"))
        on.queue.speak(speak("instead", "x", interrupt=True))
        assert len(on.got(Cancelled)) == MAX_UTTERANCES
        await on.until(lambda: on.got(Done))


async def test_text_for_an_utterance_that_is_over_is_refused() -> None:
    async with stage() as on:
        on.queue.append(Append(utterance_id="a", text="hello"))
        on.queue.end(End(utterance_id="a"))
        await on.finished()
        with pytest.raises(TextRejected):
            on.queue.append(Append(utterance_id="a", text="more"))
        with pytest.raises(TextRejected):
            on.queue.flush(Flush(utterance_id="a"))
        with pytest.raises(TextRejected):
            on.queue.end(End(utterance_id="a"))


async def test_appending_with_interrupt_interrupts_others_only() -> None:
    async with stage() as on:
        on.queue.speak(speak("old", "Something that is interrupted."))
        await on.until(lambda: on.got(Started))
        for piece in ("A new ", "one begins."):
            on.queue.append(Append(utterance_id="new", text=piece, interrupt=True))
        on.queue.end(End(utterance_id="new"))
        await on.finished(2)
        assert [m.utterance_id for m in on.messages if isinstance(m, Cancelled)] == ["old"]
        assert [m.utterance_id for m in on.messages if isinstance(m, Done)] == ["new"]


def all_made(pacer: Pacer, settle_s: float = 0.3) -> Callable[[], bool]:
    """Whether no more speech is being added, so that taking it fast cannot overtake the engine."""
    last_ms, since_s = -1.0, 0.0

    def check() -> bool:
        nonlocal last_ms, since_s
        buffered_ms, now_s = pacer.buffered_ms(1), time.monotonic()
        if buffered_ms != last_ms:
            last_ms, since_s = buffered_ms, now_s
        return buffered_ms > 200 and now_s - since_s > settle_s

    return check


async def test_waiting_for_text_is_no_underrun() -> None:
    async with stage() as on:
        on.queue.append(Append(utterance_id="a", text="One. "))
        on.queue.flush(Flush(utterance_id="a"))
        await on.until(all_made(on.pacer), frames=False)
        for _ in range(60):
            on.tick()
        on.queue.append(Append(utterance_id="a", text="Two."))
        on.queue.end(End(utterance_id="a"))
        await on.until(all_made(on.pacer), frames=False)
        await on.finished()
        assert on.pacer.counters.underruns == 0


async def test_waiting_for_the_engine_is_an_underrun() -> None:
    async with stage(LocalEngine(Script(chunk_delay_ms=10))) as on:
        on.queue.speak(speak("a", "Frames are taken faster than made."))
        await on.finished()
        assert on.pacer.counters.underruns >= 1
        (done,) = on.got(Done)
        assert isinstance(done, Done)
        assert done.underruns == on.pacer.counters.underruns


async def test_a_closed_queue_says_nothing_any_more() -> None:
    async with stage() as on:
        on.queue.speak(speak("a", "Cut off."))
        await on.until(lambda: on.got(Started))
        before = len(on.messages)
        on.queue.close()
        for _ in range(10):
            on.tick()
            await asyncio.sleep(0.001)
        assert len(on.messages) == before
        assert not on.frames[-1].any()


async def test_the_observer_is_told_of_every_end() -> None:
    script = Script(fault="refuse", fault_text="bad")
    async with stage(LocalEngine(script)) as on:
        on.queue.speak(speak("a", "Good."))
        on.queue.speak(speak("b", "A bad one."))
        on.queue.speak(speak("c", "Never heard."))
        on.queue.cancel(Cancel(utterance_id="c"))
        await on.finished(3)
        names = on.observer.names()
        assert sorted(set(names)) == [
            "speech_paced",
            "utterance_accepted",
            "utterance_cancelled",
            "utterance_done",
            "utterance_failed",
            "utterance_started",
        ]
        assert names.count("utterance_accepted") == names.count("speech_paced") == 3


class LateMarks(LocalEngine):
    """Marks a word beyond the end of its speech."""

    def speak(  # type: ignore[override]
        self, segment: Segment, voice: Voice, controls: Controls, in_hand_s: float | None = None
    ) -> LateStream:
        return LateStream()


class LateStream:
    """One frame with one impossible mark."""

    async def __aiter__(self) -> AsyncIterator[Chunk]:
        mark = WordMark("late", 9_000.0, 9_100.0, 0, 4)
        yield Chunk(np.full(FRAME_SAMPLES // 2, 0.3, np.float32), (mark,))

    def cancel(self) -> None:
        """Nothing to stop."""


async def test_a_word_that_is_marked_beyond_the_speech_is_told_at_its_end() -> None:
    async with stage(LateMarks()) as on:
        on.queue.speak(speak("a", "late"))
        await on.finished()
        kinds = [type(message) for message in on.messages]
        assert kinds == [Accepted, Started, Word, Done]


async def test_text_without_an_end_is_spoken_when_no_more_comes() -> None:
    async with stage() as on:
        on.queue.append(Append(utterance_id="a", text="well then"))
        await on.until(lambda: on.engine.segments)
        assert on.engine.segments[0].text == "well then"


async def test_closing_leaves_no_timer_behind() -> None:
    async with stage() as on:
        on.queue.append(Append(utterance_id="a", text="well then"))
        on.queue.close()
        assert on.queue._idle_timer is None


def controls_of(on: Stage) -> list[Controls]:
    return [stream.controls for stream in on.engine.streams]


async def test_controls_that_are_set_hold_for_what_is_made_from_then_on() -> None:
    async with stage() as on:
        on.queue.set_controls(SetControls(speed=1.5, emotion="sad", emotion_strength=0.5))
        on.queue.speak(speak("a", "One."))
        on.queue.speak(Speak(utterance_id="b", text="Two.", speed=0.9, emotion="neutral"))
        await on.finished(2)
        first, second = controls_of(on)
        assert first.speed == pytest.approx(1.5 * RECIPES["sad"].at(0.5).speed)
        assert second == Controls(speed=0.9)


async def test_controls_of_one_utterance_are_no_others() -> None:
    async with stage() as on:
        on.queue.speak(speak("a", "One."))
        on.queue.speak(speak("b", "Two."))
        on.queue.set_controls(SetControls(utterance_id="b", pitch=0.25))
        await on.finished(2)
        assert [one.pitch_semitones for one in controls_of(on)] == [0.0, 6.0]
        with pytest.raises(TextRejected, match="no utterance 'a'"):
            on.queue.set_controls(SetControls(utterance_id="a", speed=1.0))
        with pytest.raises(TextRejected, match="speed can be"):
            on.queue.set_controls(SetControls(speed=9.0))


async def test_volume_changes_with_the_next_frame() -> None:
    async with stage() as on:
        on.queue.speak(speak("a", "Twenty characters ok"))
        await on.until(lambda: on.pacer.buffered_ms(1) > 1_000, frames=False)
        on.tick()
        loud = np.abs(on.frames[-1]).max()
        on.queue.set_controls(SetControls(volume=0.25))
        on.tick()
        on.tick()
        assert np.abs(on.frames[-1]).max() == pytest.approx(loud / 4, rel=0.1)


async def test_every_utterance_has_its_voice() -> None:
    async with stage() as on:
        voices = await on.engine.stock_voices()
        on.queue.speak(speak("a", "One."), voices["low"])
        on.queue.speak(speak("b", "Two."))
        on.queue.append(Append(utterance_id="c", text="Three."), voices["high"])
        on.queue.end(End(utterance_id="c"))
        await on.finished(3)
        assert on.engine.spoken_as == [voices["low"], voices["mid"], voices["high"]]


async def test_the_urgent_is_heard_before_what_was_made_ahead() -> None:
    async with stage() as on:
        on.queue.speak(speak("a", "First one here."))
        on.queue.speak(speak("b", "Second. " + "It is very long indeed. " * 8))
        await on.until(lambda: len(on.engine.segments) > 3, frames=False)
        on.queue.speak(Speak(utterance_id="c", text="Urgent.", priority=5))
        await on.finished(3)
        heard = [m.text for m in on.messages if isinstance(m, Word)]
        expected = "First one here. Urgent. Second. " + "It is very long indeed. " * 8
        assert heard == expected.split()
        assert [m.utterance_id for m in on.messages if isinstance(m, Done)] == ["a", "c", "b"]
        assert not on.got(Failed)


async def test_sounds_and_captions_are_told_to_those_who_ask() -> None:
    async with stage() as on:
        on.queue.speak(Speak(utterance_id="a", text="One two.", visemes=True, captions=True))
        on.queue.speak(speak("b", "Three."))
        await on.finished(2)
        told = [m for m in on.messages if isinstance(m, (Word, Viseme, Caption))]
        assert [type(m) for m in told if m.utterance_id == "a"] == [
            Caption,
            Word,
            Viseme,
            Word,
            Viseme,
        ]
        assert [type(m) for m in told if m.utterance_id == "b"] == [Word]


async def test_words_are_said_as_the_lexicon_of_the_session_and_of_the_voice_has_it() -> None:
    async with stage() as on:
        on.queue.set_lexicon(SetLexicon(words={"sql": "sequel", "db": "data base"}))
        on.queue.set_lexicon(SetLexicon(words={"db": "deebee"}, voice_id="v"))
        on.queue.speak(speak("a", "SQL DB."))
        on.queue.speak(Speak(utterance_id="b", text="SQL DB.", voice_id="v"))
        await on.finished(2)
        assert [one.text for one in on.engine.segments] == ["sequel data base.", "sequel deebee."]
        assert on.got(LexiconSet) == [LexiconSet(entries=2), LexiconSet(entries=1, voice_id="v")]
        with pytest.raises(TextRejected, match="1 to 256 characters"):
            on.queue.set_lexicon(SetLexicon(words={"a": ""}))


async def test_there_are_only_so_many_lexicons() -> None:
    async with stage() as on:
        for name in range(MAX_LEXICONS):
            on.queue.set_lexicon(SetLexicon(words={}, voice_id=str(name)))
        with pytest.raises(AtCapacity, match="lexicons"):
            on.queue.set_lexicon(SetLexicon(words={}, voice_id="one more"))
        on.queue.set_lexicon(SetLexicon(words={"a": "b"}, voice_id="0"))


async def test_a_break_is_heard_as_silence_of_its_length() -> None:
    async with stage() as on:
        text = "One.<break time='400ms'/><prosody volume='50%'>Two.</prosody>"
        on.queue.speak(Speak(utterance_id="a", text=text, ssml=True))
        await on.finished()
        done = on.got(Done)[0]
        assert isinstance(done, Done)
        assert done.audio_ms == pytest.approx(8 * CHAR_MS + 400.0, abs=0.1)
        assert on.sound_ms() == pytest.approx(8 * CHAR_MS, rel=0.06)
        words = [m for m in on.messages if isinstance(m, Word)]
        assert words[1].start_ms == pytest.approx(4 * CHAR_MS + 400.0, abs=0.1)
        pcm = np.concatenate(on.frames)
        assert np.abs(pcm[-9_600:]).max() <= 0.6 * np.abs(pcm).max()


async def test_bad_markup_is_refused_and_nothing_of_it_spoken() -> None:
    async with stage() as on:
        with pytest.raises(TextRejected, match="line 1, column 5"):
            on.queue.speak(Speak(utterance_id="a", text="One <b>two</b>.", ssml=True))
        on.queue.speak(speak("b", "Fine."))
        await on.finished()
        assert [one.text for one in on.engine.segments] == ["Fine."]


async def test_the_urgent_may_come_just_after_something_was_cancelled() -> None:
    async with stage() as on:
        on.queue.speak(speak("a", "First one here."))
        on.queue.speak(speak("b", "Second. " + "It is very long indeed. " * 40))
        on.queue.speak(speak("c", "Third."))
        await on.until(lambda: len(on.engine.segments) > 3, frames=False)
        on.queue.cancel(Cancel(utterance_id="b"))
        on.queue.speak(Speak(utterance_id="d", text="Urgent.", priority=5))
        await on.finished(4)
        assert [m.utterance_id for m in on.messages if isinstance(m, Done)] == ["a", "d", "c"]

"""A session as a caller sees it, over a real connection and with the fake models."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable

import numpy as np
import pytest

from engines.fakes import CHAR_MS, FakeSpeechEngine, Script, tone_hz
from signaling.sessions import SessionRefused
from tests.peers import glitches
from tests.peers.caller import Connected, connected, unconnected
from tests.peers.clock import unhurried
from tests.peers.engine import LocalEngine
from tests.peers.leaks import nothing_left_behind
from tests.peers.sounds import vowel
from voicepeer import call as call_module
from voicepeer.benches.network import Impairment, impair
from voicepeer.call import Call
from voicepeer.core.listening.enrolment import EnrolmentSettings
from voicepeer.core.messages import (
    Accepted,
    Append,
    Cancel,
    Cancelled,
    Done,
    End,
    EnrolStart,
    EnrolStop,
    Failed,
    Flush,
    Ping,
    Speak,
    Started,
    Stats,
    StatsGet,
    VoiceProgress,
    VoiceReady,
    VoiceRejected,
    VoiceSave,
    VoiceSaved,
    VoiceSelected,
    VoiceUsable,
    VoiceUse,
    Word,
)
from voicepeer.core.rtvi import BotReady, Error, SendText, SendTextOptions
from voicepeer.session_state import SessionSettings

pytestmark = pytest.mark.peer

MID = "mid"
QUICK = SessionSettings(enrolment=EnrolmentSettings(usable_s=1.7, ready_s=2.1))


def speak(utterance_id: str, text: str, interrupt: bool = False) -> Speak:
    return Speak(utterance_id=utterance_id, text=text, interrupt=interrupt)


# --- saying -----------------------------------------------------------------------------------


@unhurried
async def test_a_text_is_accepted_started_told_word_by_word_and_done() -> None:
    async with nothing_left_behind(), connected() as both:
        await both.use_stock_voice()
        both.send(speak("a", "Hello there, my friend."))
        done = await both.wait_for(Done)
        kinds = [type(message) for message in both.messages]
        assert kinds == [BotReady, VoiceSelected, Accepted, Started, Word, Word, Word, Word, Done]
        words = both.got(Word)
        assert [word.text for word in words] == ["Hello", "there,", "my", "friend."]
        assert [word.char_start for word in words] == [0, 6, 13, 16]
        assert done.audio_ms == pytest.approx(23 * CHAR_MS, abs=1)
        assert done.underruns == 0
        assert done.first_audible_ms == both.got(Started)[0].latency_ms


@unhurried
async def test_what_is_said_is_heard_whole_in_the_selected_voice() -> None:
    async with connected() as both:
        await both.use_stock_voice("high")
        sent_s = time.monotonic()
        both.send(speak("a", "Only one clause"))
        done = await both.wait_for(Done)
        await asyncio.sleep(0.3)
        heard = both.call.recorder.pcm(sent_s)
    stock = FakeSpeechEngine().stock_voices()["high"]
    found = glitches.count(heard, tone_hz("Only one clause", stock))
    assert (found.phase_jumps, found.longest_hole_ms) == (0, 0.0)
    assert found.tone_ms == pytest.approx(done.audio_ms, abs=40)


@unhurried
async def test_words_are_told_when_they_are_heard() -> None:
    async with connected() as both:
        await both.use_stock_voice()
        both.send(speak("a", "One two three four five."))
        await both.wait_for(Started)
        started_s = time.monotonic()
        for count in (2, 4):
            word = await both.wait_for(Word, count)
            lag_s = time.monotonic() - started_s - word.start_ms / 1000
            assert -0.03 < lag_s < 0.3


@unhurried
async def test_text_that_comes_in_pieces_is_spoken_as_one_utterance() -> None:
    async with connected() as both:
        await both.use_stock_voice()
        for piece in ("Good mor", "ning to all of you, ", "and wel", "come."):
            both.send(Append(utterance_id="s", text=piece))
        both.send(End(utterance_id="s"))
        await both.wait_for(Done)
        assert len(both.got(Accepted)) == 1
        words = both.got(Word)
        assert [word.text for word in words][:2] == ["Good", "morning"]
        assert words[-1].text == "welcome."
        assert [word.start_ms for word in words] == sorted(word.start_ms for word in words)


@unhurried
async def test_flush_speaks_an_unfinished_clause_and_waiting_for_text_is_no_underrun() -> None:
    async with connected() as both:
        await both.use_stock_voice()
        both.send(Append(utterance_id="s", text="well then"), Flush(utterance_id="s"))
        await both.wait_for(Started)
        await asyncio.sleep(1.0)
        assert not both.got(Done)
        both.send(Append(utterance_id="s", text=" go on"), End(utterance_id="s"))
        assert (await both.wait_for(Done)).underruns == 0


@pytest.mark.parametrize("text", ["", "   ", "...", "😊👍", "\n\t"])
@unhurried
async def test_nothing_to_say_is_done_at_once(text: str) -> None:
    async with connected() as both:
        await both.use_stock_voice()
        both.send(speak("a", text))
        done = await both.wait_for(Done, within_s=1)
        assert (done.audio_ms, done.first_audible_ms, done.rtf) == (0, None, None)


@unhurried
async def test_utterances_follow_each_other_in_order() -> None:
    async with connected() as both:
        await both.use_stock_voice()
        waits = SendTextOptions(run_immediately=False)
        third = SendText(content="Third.", options=waits)
        both.send(speak("a", "First one."), speak("b", "Second one."), third)
        await both.wait_for(Done, 3)
        done = [message.utterance_id for message in both.got(Done)]
        assert done[:2] == ["a", "b"]
        assert [message.queued for message in both.got(Accepted)] == [0, 1, 2]
        assert (await both.wait_for(Word)).utterance_id == "a"


@unhurried
async def test_the_engine_works_ahead_but_not_without_limit() -> None:
    engine = LocalEngine()
    async with connected(engine) as both:
        await both.use_stock_voice()
        both.send(*(speak(f"u{index}", "This is a sentence of some length.") for index in range(9)))
        await both.wait_for(Started)
        await asyncio.sleep(0.5)
        assert 2 <= len(engine.segments) <= 5, "about four seconds are made ahead"


# --- falling silent ---------------------------------------------------------------------------


@unhurried
async def test_cancel_silences_within_100_ms_and_tells_what_was_played() -> None:
    async with connected() as both:
        await both.use_stock_voice()
        both.send(speak("a", "A long sentence that nobody wants to hear until its very end."))
        await both.wait_for(Started)
        started_s = time.monotonic()
        await asyncio.sleep(0.6)
        both.send(Cancel(utterance_id="a"))
        cancelled = await both.wait_for(Cancelled)
        played_s = time.monotonic() - started_s
        await asyncio.sleep(0.4)
        heard = both.call.recorder.pcm(started_s - 0.2)
        assert cancelled.played_ms == pytest.approx(played_s * 1000, abs=200)
        audible_ms = np.count_nonzero(np.abs(heard) > 0.01) / 48
        assert audible_ms == pytest.approx(cancelled.played_ms, rel=0.08, abs=40)
        assert not both.got(Done)


@unhurried
async def test_cancelling_twice_or_for_nothing_is_harmless() -> None:
    async with connected() as both:
        await both.use_stock_voice()
        both.send(Cancel(), Cancel(utterance_id="never"), speak("a", "Hi."))
        await both.wait_for(Done)
        both.send(Cancel(utterance_id="a"), Ping())
        both.send(speak("b", "Still here."))
        await both.wait_for(Done, 2)
        assert not both.got(Cancelled)
        assert not both.got(Error)


@unhurried
async def test_an_interrupting_text_replaces_everything_before_it() -> None:
    engine = LocalEngine()
    async with connected(engine) as both:
        await both.use_stock_voice()
        both.send(speak("a", "This goes on and on and on."), speak("b", "And so does this."))
        await both.wait_for(Started)
        both.send(speak("c", "Stop.", interrupt=True))
        done = await both.wait_for(Done)
        assert done.utterance_id == "c"
        assert {message.utterance_id for message in both.got(Cancelled)} == {"a", "b"}
        assert {message.utterance_id: message.played_ms for message in both.got(Cancelled)}[
            "b"
        ] == 0
        assert all(stream.cancelled for stream in engine.streams)


@unhurried
async def test_nothing_of_an_old_utterance_is_heard_after_the_new_one_begins() -> None:
    old_text, new_text = "This old one is long enough", "New text"
    stock = FakeSpeechEngine().stock_voices()[MID]
    async with connected() as both:
        await both.use_stock_voice()
        for index in range(4):
            both.send(speak(f"old{index}", old_text))
            await both.wait_for(Started, 2 * index + 1)
            await asyncio.sleep(0.03 * index)
            sent_s = time.monotonic()
            both.send(speak(f"new{index}", new_text, interrupt=True))
            await both.wait_for(Done, index + 1)
            await asyncio.sleep(0.2)
            heard = both.call.recorder.pcm(sent_s)
            new = np.abs(glitches.tone_level(heard, tone_hz(new_text, stock)))
            old = np.abs(glitches.tone_level(heard, tone_hz(old_text, stock)))
            begins = int(np.flatnonzero(new > 0.15)[0])
            assert not (old[begins + 2 :] > 0.15).any()
            assert np.count_nonzero(new > 0.08) * 10 >= len(new_text) * CHAR_MS - 40


# --- refusals and faults ----------------------------------------------------------------------


@unhurried
async def test_text_before_there_is_a_voice_is_refused_and_the_session_lives() -> None:
    async with connected() as both:
        both.send(speak("a", "Too early."))
        error = await both.wait_for(Error)
        assert (error.code, error.utterance_id) == ("voice_not_ready", "a")
        await both.use_stock_voice()
        both.send(speak("a", "Now."))
        await both.wait_for(Done)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ("{", "bad_message"),
        ("", "bad_message"),
        ("[1, 2]", "bad_message"),
        ('{"label": "rtvi-ai", "type": "no-such"}', "bad_message"),
        ("x" * 20_000, "bad_message"),
        (b"\xff\xfe\x00", "bad_message"),
    ],
)
@unhurried
async def test_malformed_messages_are_refused_and_the_session_lives(
    data: str | bytes, code: str
) -> None:
    async with connected() as both:
        both.call.channel.send(data)
        assert (await both.wait_for(Error)).code == code
        both.send(StatsGet())
        await both.wait_for(Stats)


@pytest.mark.parametrize(
    "message",
    [
        Speak(utterance_id="a", text="x", speed=9.0),
        Speak(utterance_id="a", text="x", pitch_semitones=-40.0),
        Speak(utterance_id="a", text="x" * 14_000, energy=float("1e9")),
        Flush(utterance_id="none"),
        End(utterance_id="none"),
    ],
)
@unhurried
async def test_what_cannot_be_spoken_is_refused_with_its_id(
    message: Speak | Flush | End,
) -> None:
    async with connected() as both:
        await both.use_stock_voice()
        both.send(message)
        error = await both.wait_for(Error)
        assert (error.code, error.utterance_id) == ("text_rejected", message.utterance_id)


@unhurried
async def test_too_much_text_is_refused_but_what_was_taken_is_spoken() -> None:
    async with connected() as both:
        await both.use_stock_voice()
        for _ in range(4):
            both.send(Append(utterance_id="a", text="y " * 7_000))
        assert (await both.wait_for(Error)).code == "text_rejected"
        await both.wait_for(Started)
        both.send(Cancel())
        await both.wait_for(Cancelled)


@unhurried
async def test_a_language_the_engine_lacks_fails_that_utterance_only() -> None:
    async with connected() as both:
        await both.use_stock_voice()
        both.send(Speak(utterance_id="a", text="Bonjour.", language="fr-fr"))
        failed = await both.wait_for(Failed)
        assert (failed.code, failed.retryable, failed.played_ms) == ("text_rejected", False, 0)
        both.send(speak("b", "Hello."))
        await both.wait_for(Done)


@pytest.mark.parametrize("fault", ["refuse", "bug"])
@unhurried
async def test_an_engine_fault_fails_that_utterance_and_the_next_is_spoken(fault: str) -> None:
    script = Script.from_options(
        {"fake.fault": fault, "fake.fault_after": "5", "fake.fault_text": "bad"}
    )
    async with nothing_left_behind(), connected(LocalEngine(script)) as both:
        await both.use_stock_voice()
        both.send(speak("a", "This is bad luck indeed."), speak("b", "This is fine."))
        failed = await both.wait_for(Failed)
        assert (failed.utterance_id, failed.code) == ("a", "engine_failed")
        assert "told to" not in failed.message or fault == "refuse"
        assert (await both.wait_for(Done)).utterance_id == "b"


@pytest.mark.parametrize("fault", ["nan", "inf", "short", "empty", "huge"])
@unhurried
async def test_odd_chunks_are_survived(fault: str) -> None:
    script = Script.from_options(
        {"fake.fault": fault, "fake.fault_after": "1", "fake.fault_text": "odd"}
    )
    async with connected(LocalEngine(script)) as both:
        await both.use_stock_voice()
        both.send(speak("a", "An odd one."))
        await both.wait_for(Started)
        both.send(speak("b", "Fine.", interrupt=fault == "huge"))
        await both.wait_for(Done, 1 if fault == "huge" else 2)
        assert both.got(Done)[-1].utterance_id == "b"


async def test_a_slow_engine_is_silence_that_is_counted() -> None:
    engine = LocalEngine(Script(chunk_delay_ms=160))
    async with connected(engine) as both:
        await both.use_stock_voice()
        both.send(speak("a", "Slow speech"))
        done = await both.wait_for(Done)
        assert done.underruns >= 1
        both.send(StatsGet())
        stats = await both.wait_for(Stats)
        assert stats.underruns == done.underruns
        assert stats.lead_ms > 50


# --- learning a voice -------------------------------------------------------------------------


@unhurried
async def test_five_seconds_of_a_voice_become_a_voice_to_speak_with() -> None:
    engine = LocalEngine()
    async with nothing_left_behind(), connected(engine, QUICK) as both:
        both.send(EnrolStart(consent="I agree.", name="Ada"))
        both.call.speak_into_microphone(vowel(2.6))
        usable = await both.wait_for(VoiceUsable)
        assert both.got(VoiceProgress)
        ready = await both.wait_for(VoiceReady)
        assert ready.voice_id == usable.voice_id
        assert 1.7 <= usable.heard_s <= 2.1 <= ready.heard_s
        assert 1_500 < usable.elapsed_ms < 2_600 < ready.elapsed_ms + 700
        assert 0 <= ready.clone_ms < 700
        both.send(speak("a", "Hello."), VoiceSave(name="Ada's voice"))
        await both.wait_for(VoiceSaved)
        await both.wait_for(Done)
        kept = both.shelf.kept[ready.voice_id]
        assert (kept.name, kept.saved) == ("Ada's voice", True)
        assert (kept.consent.statement, kept.consent.who) == ("I agree.", "Ada")
        assert kept.session_id == both.session.session_id
        assert engine.spoken_as[0] == kept.voice
    assert {"voice_usable", "voice_ready"} <= set(both.observer.names())


@unhurried
async def test_a_lost_engine_is_asked_again_for_the_clone() -> None:
    engine = LocalEngine()
    engine.crashes = 2
    async with connected(engine, QUICK) as both:
        both.send(EnrolStart(consent="I agree."))
        both.call.speak_into_microphone(vowel(2.6))
        await both.wait_for(VoiceReady, within_s=10)


@unhurried
async def test_a_voice_is_not_learned_without_consent() -> None:
    engine = LocalEngine()
    async with connected(engine, QUICK) as both:
        for consent in ("", "   ", "x" * 3_000):
            both.send(EnrolStart(consent=consent))
        assert (await both.wait_for(Error, 3)).code == "bad_message"
        both.call.speak_into_microphone(vowel(0.5))
        await asyncio.sleep(1.5)
        assert not engine.references
        assert not both.got(VoiceProgress)


@unhurried
async def test_after_enrol_stop_nothing_more_is_learned() -> None:
    async with connected(settings=QUICK) as both:
        both.send(EnrolStart(consent="I agree."))
        both.call.speak_into_microphone(vowel(2.6))
        await both.wait_for(VoiceProgress)
        both.send(EnrolStop())
        await asyncio.sleep(2.2)
        assert not both.got(VoiceUsable)
        assert not both.got(VoiceRejected)


@unhurried
async def test_our_own_voice_is_never_learned() -> None:
    async with connected(settings=QUICK) as both:
        await both.use_stock_voice()
        both.send(EnrolStart(consent="I agree."))
        both.send(speak("a", "I am speaking all the while that the microphone hears something."))
        await both.wait_for(Started)
        both.call.speak_into_microphone(vowel(2.2))
        await asyncio.sleep(2.9)
        assert not both.got(VoiceUsable)
        assert all(message.heard_s == 0 for message in both.got(VoiceProgress))


@unhurried
async def test_an_unknown_voice_and_a_save_without_one_are_refused() -> None:
    async with connected() as both:
        both.send(VoiceUse(voice_id="nobody"))
        assert (await both.wait_for(Error)).code == "voice_not_found"
        both.send(VoiceSave(name="x"))
        assert (await both.wait_for(Error, 2)).code == "voice_not_ready"


# --- life of a session ------------------------------------------------------------------------


@unhurried
async def test_stats_count_both_ways() -> None:
    async with connected() as both:
        await both.use_stock_voice()
        both.send(speak("a", "Count me."))
        await both.wait_for(Done)
        both.send(StatsGet())
        stats = await both.wait_for(Stats)
        assert stats.frames_sent > 20
        assert stats.mic_frames > 10
        assert (stats.utterances, stats.stale_dropped, stats.underruns) == (1, 0, 0)


@pytest.mark.parametrize(
    ("break_it", "reason"),
    [
        (lambda sdp: "", "bad_sdp"),
        (lambda sdp: "v=0\r\n", "not_acceptable"),
        (lambda sdp: sdp[: sdp.index("m=application")], "not_acceptable"),
        (lambda sdp: sdp.replace("opus/48000", "opal/48000"), "not_acceptable"),
        (lambda sdp: sdp.replace("a=fingerprint", "a=fingerprin"), "bad_fingerprint"),
    ],
)
@unhurried
async def test_a_bad_offer_is_refused_and_a_good_one_is_taken_after_it(
    break_it: Callable[[str], str], reason: str
) -> None:
    async with nothing_left_behind(), unconnected(LocalEngine()) as both:
        offer = await both.call.offer()
        with pytest.raises(SessionRefused) as refused:
            await both.session.answer(break_it(offer))
        assert refused.value.code == reason
        await both.call.accept(await both.session.answer(offer))
        await both.wait_for(BotReady)


@unhurried
async def test_an_offer_of_another_connection_is_refused_and_the_call_goes_on() -> None:
    async with connected() as both:
        other = Call()
        offer = await other.offer()
        with pytest.raises(SessionRefused, match="join again"):
            await both.session.answer(offer)
        await other.close()
        both.send(StatsGet())
        await both.wait_for(Stats)


@unhurried
async def test_the_same_connection_may_renegotiate() -> None:
    async with connected() as both:
        answer = await both.session.answer(await both.call.offer())
        assert "useinbandfec=1" in answer
        await both.use_stock_voice()
        both.send(speak("a", "Still speaking."))
        await both.wait_for(Done)


@unhurried
async def test_candidates_are_taken_after_the_offer_and_checked() -> None:
    async with unconnected(LocalEngine()) as both:
        offer = await both.call.offer()
        bare = "".join(line for line in offer.splitlines(keepends=True) if "candidate" not in line)
        answer = await both.session.answer(bare)
        for line in offer.splitlines():
            if line.startswith("a=candidate"):
                await both.session.add_candidate(line.removeprefix("a="), "0", 0)
        with pytest.raises(SessionRefused):
            await both.session.add_candidate("candidate:nonsense", "0", 0)
        await both.session.add_candidate(None, None, None)
        await both.call.accept(answer)
        await both.wait_for(BotReady)


@unhurried
async def test_closing_the_channel_in_mid_utterance_ends_the_session() -> None:
    engine = LocalEngine()
    async with nothing_left_behind(), connected(engine) as both:
        await both.use_stock_voice()
        both.send(speak("a", "A sentence that is cut off by the end of the channel."))
        await both.wait_for(Started)
        both.call.channel.close()
        await closed(both, 3)
        assert both.closed_for == ["channel_closed"]
        assert all(stream.cancelled for stream in engine.streams)


@unhurried
async def test_a_client_that_vanishes_in_mid_utterance_is_noticed_within_5_seconds() -> None:
    async with nothing_left_behind(), connected() as both:
        await both.use_stock_voice()
        both.send(speak("a", "This is heard by nobody " * 20))
        await both.wait_for(Started)
        impair(both.call.peer).blackout = True
        vanished_s = time.monotonic()
        await closed(both, 8)
        assert time.monotonic() - vanished_s <= 5.0
        assert both.closed_for[0] in ("client_vanished", "connection_lost")


@unhurried
async def test_a_client_that_never_connects_is_given_up() -> None:
    settings = SessionSettings(connect_timeout_s=0.5)
    async with nothing_left_behind(), unconnected(LocalEngine(), settings) as both:
        await both.session.answer(await both.call.offer())
        await closed(both, 3)
        assert both.closed_for == ["connect_timeout"]


@pytest.mark.parametrize("after_s", [None, 0.0, 0.01, 0.05, 0.3])
@unhurried
async def test_close_frees_everything_from_any_state(after_s: float | None) -> None:
    async with nothing_left_behind(), unconnected(LocalEngine()) as both:
        if after_s is not None:
            await both.session.answer(await both.call.offer())
            await asyncio.sleep(after_s)
        await asyncio.gather(both.session.close("first"), both.session.close("second"))
        await both.session.close("third")
        late: list[str] = []
        both.session.on_closed(late.append)
        assert both.closed_for == late == ["first"]
        with pytest.raises(SessionRefused):
            await both.session.answer(await both.call.offer())
    assert both.observer.names().count("session_closed") == 1


@unhurried
async def test_close_in_the_middle_of_many_handshakes_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(call_module, "CONNECT_TIMEOUT_S", 0.4)
    chance = random.Random(2)

    async def once() -> None:
        async with unconnected(LocalEngine()) as both:
            answer = await both.session.answer(await both.call.offer())
            accepting = asyncio.create_task(both.call.accept(answer))
            await asyncio.sleep(chance.random() * 0.12)
            await both.session.close("test")
            await asyncio.gather(accepting, return_exceptions=True)

    async with nothing_left_behind():
        for _ in range(3):
            await asyncio.gather(*(once() for _ in range(8)))


@unhurried
async def test_a_flood_of_messages_is_refused_in_part_and_survived() -> None:
    async with connected() as both:
        for _ in range(2_000):
            both.send(Cancel())
        both.send(StatsGet())
        await asyncio.sleep(1.0)
        both.send(StatsGet())
        await both.wait_for(Stats)


@unhurried
async def test_the_encoder_follows_the_losses_that_the_other_side_reports() -> None:
    async with connected() as both:
        clean = both.session.track.encoding.expected_loss_percent
        await both.use_stock_voice()
        assert both.session.peer is not None
        network = impair(both.session.peer, Impairment(loss=0.3))
        both.send(speak("a", "This sentence loses a third of itself on its way."))
        async with asyncio.timeout(8):
            while both.session.track.encoding.expected_loss_percent == clean:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert network.dropped
        assert both.session.track.encoding.expected_loss_percent > 10


async def closed(both: Connected, within_s: float) -> None:
    """Wait until the session says that it is closed."""
    is_closed = asyncio.Event()
    both.session.on_closed(lambda reason: is_closed.set())
    async with asyncio.timeout(within_s):
        await is_closed.wait()

"""Sessions in one room, as their clients see and hear it; on a scripted clock, so that nothing is
ever late."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from functools import partial

import numpy as np
import pytest

from engines.fakes import FakeSpeechEngine, tone_hz
from signaling.sessions import SessionRefused
from tests.peers import glitches
from tests.peers.clock import ScriptedClock, scripted
from tests.peers.glitches import tone, tone_level
from tests.peers.room import Attendee, attendee, request_of, until
from voicepeer import rtc
from voicepeer.benches.network import Impairment, impair
from voicepeer.conference import Conferences
from voicepeer.core.messages import ClientMessage, Done, Speak, Stats, StatsGet
from voicepeer.core.pcm import Pcm
from voicepeer.core.room_messages import (
    RoomEnd,
    RoomGone,
    RoomJoin,
    RoomKick,
    RoomLeave,
    RoomLeft,
    RoomMute,
    RoomPublish,
    RoomSpeaking,
)
from voicepeer.core.rtvi import Error
from voicepeer.presence import COMMAND_BURST, is_kept_out, participant_of
from voicepeer.room_ears import RoomEars

pytestmark = pytest.mark.peer

ADA_HZ, BOB_HZ, CAT_HZ = 440.0, 660.0, 880.0
SETTLE_S = 0.3
TALK_S = 8.0


def has_tone(pcm: Pcm, frequency_hz: float) -> bool:
    """Whether a tone sounds for 200 ms at least."""
    return int(np.count_nonzero(np.abs(tone_level(pcm, frequency_hz)) > 0.1)) >= 20


def is_whole(listener: Attendee, mid: str) -> bool:
    """Whether a stream came through without holes."""
    counters = listener.ears.recorders[mid].receiver.counters
    return (counters.late, counters.concealed, counters.restarts) == (0, 0, 0)


def is_heard(listener: Attendee, one: Attendee) -> bool:
    """Whether a listener was told of a section that brings somebody."""
    return one.participant in listener.slots.values()


# --- hearing each other -----------------------------------------------------------------------


@scripted
async def test_those_in_a_room_hear_each_other_and_not_themselves(clock: ScriptedClock) -> None:
    conferences = Conferences()
    async with AsyncExitStack() as stack:
        ada, bob, cat = [
            await stack.enter_async_context(attendee(conferences, name)) for name in "abc"
        ]
        for one, frequency_hz in ((ada, ADA_HZ), (bob, BOB_HZ)):
            one.both.call.speak_into_microphone(tone(1.0, frequency_hz))
        await asyncio.sleep(1.0 + SETTLE_S)
        for one in (ada, bob, cat):
            assert set(one.slots.values()) == {
                None,
                *(other.participant for other in (ada, bob, cat) if other is not one),
            }
        found = glitches.count(cat.heard(cat.mid_of(ada.participant)), ADA_HZ)
        assert (found.phase_jumps, found.longest_hole_ms) == (0, 0.0)
        assert found.tone_ms == pytest.approx(1000, abs=40)
        assert has_tone(ada.heard(ada.mid_of(bob.participant)), BOB_HZ)
        assert not any(has_tone(ada.heard(mid), ADA_HZ) for mid in ada.slots)
        assert len(conferences) == 1
    assert len(conferences) == 0


@scripted
async def test_the_roster_tells_who_is_there_and_what_becomes_of_them(clock: ScriptedClock) -> None:
    conferences = Conferences()
    async with attendee(conferences, "Ada", voices=0) as ada:
        async with attendee(conferences, "Bob", "voice", voices=0) as bob:
            await until(lambda: len(ada.roster) == 2)
            names = {one.name: (one.publish, one.muted) for one in ada.roster.values()}
            assert names == {"Ada": ("mic", False), "Bob": ("voice", False)}
            await until(lambda: ada.roster == bob.roster)
            bob.send(RoomPublish(publish="nothing"))
            await until(lambda: ada.roster[bob.participant].publish == "nothing")
        gone = await ada.both.wait_for(RoomGone)
        assert (gone.participant, gone.reason) == (bob.participant, "left")
        assert list(ada.roster) == [ada.participant]


@scripted
async def test_whoever_speaks_is_named_and_then_no_more(clock: ScriptedClock) -> None:
    conferences = Conferences()
    async with attendee(conferences, voices=0) as ada, attendee(conferences, voices=0) as bob:
        ada.both.call.speak_into_microphone(tone(0.5, ADA_HZ))
        begun = await bob.both.wait_for(RoomSpeaking)
        assert begun.participants == [ada.participant]
        ended = await bob.both.wait_for(RoomSpeaking, 2)
        assert ended.participants == []
        assert [one.participants for one in ada.both.got(RoomSpeaking)] == [[ada.participant], []]


@scripted
async def test_what_a_session_says_goes_out_as_its_track(clock: ScriptedClock) -> None:
    text = "The others hear this clause"
    conferences = Conferences()
    async with (
        attendee(conferences, publish="nothing") as ada,
        attendee(conferences, publish="voice", voices=0) as bot,
    ):
        await until(partial(is_heard, ada, bot))
        await bot.both.use_stock_voice()
        bot.both.call.speak_into_microphone(tone(1.0, CAT_HZ))
        bot.send(Speak(utterance_id="a", text=text))
        done = await bot.both.wait_for(Done)
        await asyncio.sleep(SETTLE_S)
        heard = ada.heard(ada.mid_of(bot.participant))
        speaking = [one.participants for one in ada.both.got(RoomSpeaking)]
    found = glitches.count(heard, tone_hz(text, FakeSpeechEngine().stock_voices()["mid"]))
    assert (found.phase_jumps, found.longest_hole_ms) == (0, 0.0)
    assert found.tone_ms == pytest.approx(done.audio_ms, abs=40)
    assert not has_tone(heard, CAT_HZ)
    assert speaking[0] == [bot.participant]


@scripted
async def test_a_microphone_gives_way_to_the_voice_without_a_break_in_the_stream(
    clock: ScriptedClock,
) -> None:
    conferences = Conferences()
    async with attendee(conferences, publish="nothing") as ada, attendee(conferences) as bob:
        bob.both.call.speak_into_microphone(tone(0.6, BOB_HZ))
        await asyncio.sleep(0.6 + SETTLE_S)
        await bob.both.use_stock_voice()
        bob.send(RoomPublish(publish="voice"), Speak(utterance_id="a", text="Now in my voice"))
        await bob.both.wait_for(Done)
        await asyncio.sleep(SETTLE_S)
        mid = ada.mid_of(bob.participant)
        heard = ada.heard(mid)
        frequency_hz = tone_hz("Now in my voice", FakeSpeechEngine().stock_voices()["mid"])
        assert has_tone(heard, BOB_HZ)
        assert has_tone(heard, frequency_hz)
        assert is_whole(ada, mid)


# --- fewer sections than speakers -------------------------------------------------------------


@scripted
async def test_one_section_brings_whoever_speaks(clock: ScriptedClock) -> None:
    conferences = Conferences()
    async with AsyncExitStack() as stack:
        ada = await stack.enter_async_context(attendee(conferences, publish="nothing", voices=1))
        bob, cat = [
            await stack.enter_async_context(attendee(conferences, voices=0)) for _ in range(2)
        ]
        await until(lambda: list(ada.slots.values()) == [bob.participant])
        [mid] = ada.slots
        for one, frequency_hz in ((bob, BOB_HZ), (cat, CAT_HZ), (bob, BOB_HZ)):
            begun_s = time.monotonic()
            one.both.call.speak_into_microphone(tone(0.5, frequency_hz))
            await until(partial(is_heard, ada, one))
            await asyncio.sleep(0.7 + SETTLE_S)
            assert has_tone(ada.heard(mid, begun_s), frequency_hz)
        assert is_whole(ada, mid)


@scripted
async def test_somebody_who_comes_late_hears_who_is_speaking(clock: ScriptedClock) -> None:
    conferences = Conferences()
    async with attendee(conferences, voices=0) as bob:
        bob.both.call.speak_into_microphone(tone(4.0, BOB_HZ))
        async with attendee(conferences) as ada:
            await until(partial(is_heard, ada, bob))
            since_s = time.monotonic()
            await asyncio.sleep(0.6)
            found = glitches.count(ada.heard(ada.mid_of(bob.participant), since_s), BOB_HZ)
            assert found.tone_ms >= 400
            assert found.phase_jumps == 0
            assert ada.both.got(RoomSpeaking)[0].participants == [bob.participant]


@scripted
async def test_sections_can_be_added_and_the_connection_made_anew(clock: ScriptedClock) -> None:
    conferences = Conferences()
    async with AsyncExitStack() as stack:
        ada = await stack.enter_async_context(attendee(conferences, voices=1))
        for _ in range(2):
            await stack.enter_async_context(attendee(conferences, voices=0))
        await until(lambda: None not in ada.slots.values())
        old = ada.ears
        ada.ears = RoomEars(3)
        stack.push_async_callback(ada.ears.close)
        await ada.connect_ears()
        await until(lambda: len(ada.slots) == 3)
        assert list(ada.slots.values()).count(None) == 1
        await until(lambda: old.peer.connectionState == "closed")


@scripted
async def test_a_later_offer_of_the_same_connection_can_add_sections(clock: ScriptedClock) -> None:
    conferences = Conferences()
    async with attendee(conferences, voices=1) as ada:
        old = dict(ada.slots)
        ada.ears.peer.addTransceiver("audio", direction="recvonly")
        answer = await ada.both.session.answer(await ada.ears.offer(), "room")
        assert answer.count("m=audio") == 2
        await until(lambda: len(ada.slots) == 2)
        assert set(old) < set(ada.slots)


@scripted
async def test_a_session_that_has_ended_makes_no_connection(clock: ScriptedClock) -> None:
    async with attendee(Conferences(), voices=0) as ada:
        late = RoomEars(1)
        offer = await late.offer()
        await ada.both.session.close("test over")
        with pytest.raises(SessionRefused) as refusal:
            await ada.both.session.answer(offer, "room")
        assert refusal.value.code == "closed"
        await late.close()


@scripted
async def test_a_connection_that_ends_is_given_up(clock: ScriptedClock) -> None:
    conferences = Conferences()
    async with attendee(conferences, voices=1) as ada, attendee(conferences, voices=0) as bob:
        await until(partial(is_heard, ada, bob))
        await ada.ears.close()
        await until(lambda: ada.slots == {}, within_s=10)
        assert not ada.both.closed_for


@scripted
async def test_others_see_the_name_that_was_given_on_the_way_in_or_later(
    clock: ScriptedClock,
) -> None:
    conferences = Conferences()
    async with (
        attendee(conferences, "Ada", voices=0) as ada,
        attendee(conferences, "Bob", None, voices=0) as bob,
    ):
        bob.send(RoomJoin(name="Robert"))
        await until(lambda: "Robert" in [one.name for one in ada.roster.values()])
        bob.send(RoomJoin(publish="nothing", name="Bobby"))
        await until(lambda: "Bobby" in [one.name for one in ada.roster.values()])
        (renamed,) = [one for one in ada.roster.values() if one.name == "Bobby"]
        assert renamed.publish == "nothing"
        bob.send(RoomJoin(publish="voice"))
        await until(lambda: ada.roster[renamed.participant].publish == "voice")
        assert ada.roster[renamed.participant].name == "Bobby"
        for name in ("x" * 65, "\N{BELL SYMBOL}\x07"):
            assert await refused(bob, RoomJoin(name=name)) == "bad_message"


# --- who may do what --------------------------------------------------------------------------


async def refused(one: Attendee, message: ClientMessage) -> str:
    before = len(one.both.got(Error))
    one.send(message)
    return (await one.both.wait_for(Error, before + 1)).code


@scripted
async def test_muting_silences_until_whoever_is_muted_ends_it(clock: ScriptedClock) -> None:
    conferences = Conferences()
    async with attendee(conferences) as ada, attendee(conferences, voices=0) as bob:
        await until(partial(is_heard, ada, bob))
        mid = ada.mid_of(bob.participant)
        bob.both.call.speak_into_microphone(tone(10.0, BOB_HZ))
        await ada.both.wait_for(RoomSpeaking)
        ada.send(RoomMute(participant=bob.participant, muted=True))
        await until(lambda: ada.roster[bob.participant].muted)
        await asyncio.sleep(SETTLE_S)
        muted_s = time.monotonic()
        await asyncio.sleep(0.5)
        assert not has_tone(ada.heard(mid, muted_s), BOB_HZ)
        assert ada.both.got(RoomSpeaking)[-1].participants == []
        wish = RoomMute(participant=bob.participant, muted=False)
        assert await refused(ada, wish) == "forbidden"
        bob.send(RoomMute(muted=False))
        await until(lambda: not ada.roster[bob.participant].muted)
        since_s = time.monotonic()
        await asyncio.sleep(0.3 + SETTLE_S)
        assert has_tone(ada.heard(ada.mid_of(bob.participant), since_s), BOB_HZ)
        assert is_whole(ada, mid)


@scripted
async def test_a_kick_puts_one_out_and_an_end_everybody(clock: ScriptedClock) -> None:
    conferences = Conferences()
    async with AsyncExitStack() as stack:
        ada, bob, cat = [
            await stack.enter_async_context(attendee(conferences, voices=0)) for _ in range(3)
        ]
        ada.send(RoomKick(participant=bob.participant))
        assert (await bob.both.wait_for(RoomLeft)).reason == "kicked"
        assert (await cat.both.wait_for(RoomGone)).reason == "kicked"
        assert await refused(bob, RoomLeave()) == "not_in_room"
        assert await refused(ada, RoomKick(participant=bob.participant)) == "participant_not_found"
        assert await refused(bob, RoomJoin()) == "kept_out"
        assert "join it again in" in bob.both.got(Error)[-1].error
        ada.send(RoomEnd())
        for one in (ada, cat):
            assert (await one.both.wait_for(RoomLeft)).reason == "room_ended"
        assert len(conferences) == 0
        for one in (ada, bob, cat):
            assert not one.both.closed_for


@scripted
async def test_what_the_room_decides_is_so_for_those_who_listen_by_other_ways(
    clock: ScriptedClock,
) -> None:
    conferences = Conferences()
    request = request_of("Bob", subject="bob")
    async with (
        attendee(conferences, voices=0) as ada,
        attendee(conferences, publish=None, voices=0, request=request) as bob,
    ):
        presence = bob.both.session._presence
        assert not presence.is_withheld, "who has not joined is heard as before"
        await bob.join("voice")
        assert not presence.is_withheld
        for quiet, loud in (
            (RoomMute(muted=True), RoomMute(muted=False)),
            (RoomPublish(publish="nothing"), RoomPublish(publish="voice")),
            (RoomPublish(publish="mic"), RoomPublish(publish="voice")),
        ):
            bob.send(quiet)
            await until(lambda: presence.is_withheld)
            bob.send(loud)
            await until(lambda: not presence.is_withheld)
        assert not is_kept_out(request, conferences)
        ada.send(RoomKick(participant=bob.participant))
        await bob.both.wait_for(RoomLeft)
        assert presence.is_withheld
        assert is_kept_out(request, conferences)
        assert not is_kept_out(request_of("Cat", subject="cat"), conferences)
        ada.send(RoomLeave())
        await ada.both.wait_for(RoomLeft)
        assert is_kept_out(request, conferences), "also when nobody is left in the room"


@scripted
async def test_rights_decide_who_is_heard_who_hears_and_who_manages(clock: ScriptedClock) -> None:
    conferences = Conferences()
    async with AsyncExitStack() as stack:
        deaf, dumb = [
            await stack.enter_async_context(
                attendee(conferences, publish=None, voices=0, request=request)
            )
            for request in (request_of("deaf", "speak"), request_of("dumb", "listen"))
        ]
        ears = RoomEars(1)
        stack.push_async_callback(ears.close)
        with pytest.raises(SessionRefused) as refusal:
            await deaf.both.session.answer(await ears.offer(), "room")
        assert refusal.value.code == "forbidden"
        assert await refused(dumb, RoomJoin()) == "forbidden"
        await deaf.join()
        await dumb.join("nothing")
        assert await refused(dumb, RoomPublish(publish="mic")) == "forbidden"
        for wish in (RoomKick(participant=deaf.participant), RoomEnd()):
            assert await refused(dumb, wish) == "forbidden"
        mute = RoomMute(participant=deaf.participant, muted=True)
        assert await refused(dumb, mute) == "forbidden"


@scripted
async def test_the_same_user_is_in_a_room_once(clock: ScriptedClock) -> None:
    conferences = Conferences()
    async with AsyncExitStack() as stack:
        first, second = [
            await stack.enter_async_context(
                attendee(conferences, voices=0, request=request_of("Ada", subject="ada"))
            )
            for _ in range(2)
        ]
        assert (await first.both.wait_for(RoomLeft)).reason == "replaced"
        await until(lambda: list(second.roster) == [second.participant])


@scripted
async def test_joining_twice_is_told_again_and_changes_what_is_published(
    clock: ScriptedClock,
) -> None:
    conferences = Conferences()
    async with attendee(conferences, voices=0) as ada:
        mine = ada.participant
        assert await ada.join("voice") == mine
        await until(lambda: mine in ada.roster)
        assert ada.roster[mine].publish == "voice"


@scripted
async def test_a_token_that_expires_ends_the_part_in_the_room(clock: ScriptedClock) -> None:
    conferences = Conferences()
    soon = request_of("guest", expires_at_s=time.time() + 1.0)
    async with (
        attendee(conferences, voices=0) as ada,
        attendee(conferences, voices=0, request=soon) as guest,
    ):
        assert (await guest.both.wait_for(RoomLeft)).reason == "token_expired"
        assert (await ada.both.wait_for(RoomGone)).reason == "token_expired"
        for publish in ("mic", "nothing"):
            assert await refused(guest, RoomJoin(publish=publish)) == "forbidden"
        assert not guest.both.closed_for
        assert len(ada.both.got(RoomGone)) == 1


@scripted
async def test_a_new_token_is_the_one_that_counts(clock: ScriptedClock) -> None:
    conferences = Conferences()
    soon = request_of("guest", expires_at_s=time.time() + 1.0)
    async with attendee(conferences, voices=0, request=soon) as guest:
        guest.both.session.renew(time.time() + 3.0)
        await asyncio.sleep(2.0)
        assert guest.both.got(RoomLeft) == []
        assert (await guest.both.wait_for(RoomLeft)).reason == "token_expired"
        assert await refused(guest, RoomJoin()) == "forbidden"
        guest.both.session.renew(None)
        await guest.join()
        guest.both.session.renew(time.time())
        assert (await guest.both.wait_for(RoomLeft, 2)).reason == "token_expired"


@scripted
async def test_who_was_put_out_may_come_back_later(clock: ScriptedClock) -> None:
    conferences = Conferences(2.0)
    async with attendee(conferences, "Ada", voices=0) as ada:
        async with attendee(conferences, "Bob", voices=0) as bob:
            ada.send(RoomKick(participant=bob.participant))
            await bob.both.wait_for(RoomLeft)
        async with attendee(conferences, "Bob", None, voices=0) as bob:
            assert await refused(bob, RoomJoin()) == "kept_out"
            await asyncio.sleep(2.0)
            await bob.join()


@scripted
async def test_who_may_not_listen_learns_nothing_of_the_others(clock: ScriptedClock) -> None:
    conferences = Conferences()
    async with attendee(conferences, "Ada", voices=0) as ada:
        spy = request_of("Spy", "enrol", "speak")
        async with attendee(conferences, publish="nothing", voices=0, request=spy) as one:
            await until(lambda: one.participant in one.roster)
            ada.send(RoomPublish(publish="voice"), RoomLeave())
            await ada.both.wait_for(RoomLeft)
            await asyncio.sleep(0.2)
            assert list(one.roster) == [one.participant]
            assert one.both.got(RoomGone) == []


@scripted
async def test_a_flood_of_commands_reaches_nobody(clock: ScriptedClock) -> None:
    conferences = Conferences()
    async with (
        attendee(conferences, voices=0) as ada,
        attendee(conferences, voices=0) as bob,
    ):
        before = len(ada.both.messages)
        for _ in range(50):
            bob.send(RoomPublish(publish="nothing"), RoomPublish(publish="mic"))
        for _ in range(20):
            bob.send(RoomMute(muted=True), RoomMute(muted=False))
        bob.send(RoomPublish(publish="nothing"), RoomMute(muted=True), StatsGet())
        await bob.both.wait_for(Stats)
        refusals = [one for one in bob.both.got(Error) if one.code == "rate_limited"]
        assert len(refusals) >= 40
        assert "try again in 1 s" in refusals[0].error
        await until(lambda: ada.roster[bob.participant].muted, 1)
        assert ada.roster[bob.participant].publish == "nothing", "silence is always let through"
        assert len(ada.both.messages) - before <= 2 * (COMMAND_BURST + 5)
        await asyncio.sleep(1.0)
        bob.send(RoomPublish(publish="mic"), RoomMute(muted=False))
        await until(lambda: not ada.roster[bob.participant].muted)
        bob.send(RoomLeave())
        await bob.both.wait_for(RoomLeft)


def test_keys_and_rooms_do_not_meet() -> None:
    ada = participant_of(request_of("Ada", subject="ada"), "mic", None, 100.0, 5.0)
    assert (ada.user, ada.expires_at, ada.may_manage) == ("key/ada", None, True)
    guest = participant_of(request_of("g", "listen"), "nothing", 130.0, 100.0, 5.0)
    assert (guest.user, guest.expires_at) == ("", 35.0)
    assert (guest.may_publish, guest.may_manage) == (False, False)


# --- a bad network ----------------------------------------------------------------------------


@scripted
async def test_losses_stay_losses_and_are_reported_to_whoever_sends(clock: ScriptedClock) -> None:
    conferences = Conferences()
    async with attendee(conferences, voices=1) as ada, attendee(conferences, voices=0) as bob:
        await until(partial(is_heard, ada, bob))
        [mid] = ada.slots
        ear = ada.both.session._presence._ear
        assert ear is not None
        assert ear.negotiation.peer is not None
        impair(ear.negotiation.peer, Impairment(loss=0.2), seed=3)
        bob.both.call.speak_into_microphone(tone(5.0, BOB_HZ))
        await asyncio.sleep(4.5)
        counters = ada.ears.recorders[mid].receiver.counters
        lost = counters.recovered + counters.concealed
        assert 0.1 < lost / counters.received < 0.35
        assert counters.recovered > counters.concealed
        report = await rtc.receiver_report(bob.both.call.peer.getSenders()[0])
        assert report is not None
        assert report.fraction_lost > 0.05


@scripted
async def test_our_own_speech_is_encoded_for_those_who_lose_most(clock: ScriptedClock) -> None:
    conferences = Conferences()
    async with (
        attendee(conferences, publish="nothing", voices=1) as ada,
        attendee(conferences, publish="voice", voices=0) as bot,
    ):
        await until(partial(is_heard, ada, bot))
        ear = ada.both.session._presence._ear
        assert ear is not None
        assert ear.negotiation.peer is not None
        impair(ear.negotiation.peer, Impairment(loss=0.2), seed=3)
        await until(lambda: bot.both.session.track.encoding.expected_loss_percent > 5, 8)
        bot.send(StatsGet())
        assert (await bot.both.wait_for(Stats)).loss_expected_percent > 5


@scripted
async def test_a_slow_link_is_its_listeners_own(clock: ScriptedClock) -> None:
    conferences = Conferences()
    async with AsyncExitStack() as stack:
        ada, slow, bob = [
            await stack.enter_async_context(attendee(conferences, name, voices=2))
            for name in ("Ada", "slow", "Bob")
        ]
        ear = slow.both.session._presence._ear
        assert ear is not None
        assert ear.negotiation.peer is not None
        impair(ear.negotiation.peer, Impairment(rate_bps=20_000))
        since_s = time.monotonic()
        bob.both.call.speak_into_microphone(tone(3.0, BOB_HZ))
        await asyncio.sleep(3.0 + SETTLE_S)
        mid = ada.mid_of(bob.participant)
        found = glitches.count(ada.heard(mid, since_s), BOB_HZ)
        assert (found.phase_jumps, found.longest_hole_ms) == (0, 0.0)
        assert is_whole(ada, mid)
        assert not is_whole(slow, slow.mid_of(bob.participant))


@scripted
async def test_one_who_vanishes_is_soon_gone_and_frees_their_place(clock: ScriptedClock) -> None:
    conferences = Conferences()
    async with attendee(conferences, voices=1) as ada, attendee(conferences, voices=1) as bob:
        await until(partial(is_heard, ada, bob))
        for peer in (bob.both.call.peer, bob.ears.peer, bob.both.session.peer):
            assert peer is not None
            impair(peer).blackout = True
        vanished_s = time.monotonic()
        gone = await ada.both.wait_for(RoomGone, within_s=15)
        assert gone.participant == bob.participant
        assert time.monotonic() - vanished_s < 12
        await until(lambda: set(ada.slots.values()) == {None})


@scripted
async def test_a_room_of_one_costs_nobody_anything(clock: ScriptedClock) -> None:
    conferences = Conferences()
    async with attendee(conferences, voices=2) as ada:
        ada.both.call.speak_into_microphone(tone(0.3, ADA_HZ))
        await asyncio.sleep(0.3 + SETTLE_S)
        assert set(ada.slots.values()) == {None}
        assert all(
            recorder.receiver.counters.received == 0 for recorder in ada.ears.recorders.values()
        )
        assert ada.both.got(RoomSpeaking)[0].participants == [ada.participant]


# --- coming and going, again and again --------------------------------------------------------


@scripted
async def test_three_talk_at_once_without_a_glitch(clock: ScriptedClock) -> None:
    conferences = Conferences()
    async with AsyncExitStack() as stack:
        people = [await stack.enter_async_context(attendee(conferences, name)) for name in "abc"]
        begun_s = time.monotonic()
        for one, frequency_hz in zip(people, (ADA_HZ, BOB_HZ, CAT_HZ), strict=True):
            one.both.call.speak_into_microphone(tone(TALK_S, frequency_hz))
        await asyncio.sleep(TALK_S + SETTLE_S)
        for one in people:
            for other, frequency_hz in zip(people, (ADA_HZ, BOB_HZ, CAT_HZ), strict=True):
                if other is not one:
                    mid = one.mid_of(other.participant)
                    found = glitches.count(one.heard(mid, begun_s), frequency_hz)
                    assert (found.phase_jumps, found.longest_hole_ms) == (0, 0.0)
                    assert found.tone_ms == pytest.approx(TALK_S * 1000, abs=40)
                    assert is_whole(one, mid)


@scripted
async def test_nothing_is_left_of_those_who_come_and_go(clock: ScriptedClock) -> None:
    conferences = Conferences()
    async with attendee(conferences, voices=2) as ada:
        for _ in range(10):
            async with attendee(conferences, voices=1) as bob:
                bob.both.call.speak_into_microphone(tone(0.3, BOB_HZ))
                await until(partial(is_heard, ada, bob))
                since_s = time.monotonic()
                await asyncio.sleep(0.3 + SETTLE_S)
                assert has_tone(ada.heard(ada.mid_of(bob.participant), since_s), BOB_HZ)
            await until(lambda: set(ada.slots.values()) == {None})
            assert list(ada.roster) == [ada.participant]

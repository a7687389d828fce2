"""Rooms from the Python client, over a running service."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
import pytest

from engines.fakes import FakeSpeechEngine, tone_hz
from signaling.config import AuthConfig, SignalingConfig
from tests.peers.clock import unhurried
from tests.peers.glitches import tone_level
from tests.peers.leaks import nothing_left_behind
from tests.peers.room import until
from tests.peers.service import LocalService, running
from tests.signaling.tokens import TOKENS, token
from voicepeer.audit import Audit
from voicepeer.benches.network import Impairment, impair
from voicepeer.call import CallEnded
from voicepeer.client import RequestFailed, VoicePeerClient
from voicepeer.conference import Conferences
from voicepeer.core.messages import ServerMessage
from voicepeer.core.room_messages import (
    RoomGone,
    RoomJoined,
    RoomKick,
    RoomLeft,
    RoomMute,
    RoomRecording,
    RoomRoster,
    RoomSlots,
)
from voicepeer.recording_store import RecordingStore
from voicepeer.recordings import Recordings
from voicepeer.room_figures import RoomFigures
from voicepeer.room_recorder import RecordingLimits
from voicepeer.signaling_client import SignalingFailed

pytestmark = pytest.mark.peer

MessageT = TypeVar("MessageT", bound=ServerMessage)


@unhurried
async def test_a_bot_is_heard_by_whoever_is_in_its_room() -> None:
    text = "The bot says this"
    async with (
        nothing_left_behind(),
        running() as service,
        VoicePeerClient(service.url, room="hall", name="Ada") as ada,
        VoicePeerClient(service.url, room="hall", name="bot") as bot,
    ):
        told: list[ServerMessage] = []
        with ada.call.listening() as messages:
            await ada.join_room("nothing", voices=2)
            joined = await bot.join_room("voice")
            async with asyncio.timeout(5):
                async for message in messages:
                    told.append(message)
                    if isinstance(message, RoomSlots) and message.slots[0].participant:
                        break
        slots = [one for one in told if isinstance(one, RoomSlots)][-1].slots
        [mid] = [slot.mid for slot in slots if slot.participant == joined.participant]
        await bot.use_voice("mid")
        await bot.say(text)
        assert ada.ears is not None
        heard = ada.ears.recorders[mid].pcm()
        frequency_hz = tone_hz(text, FakeSpeechEngine().stock_voices()["mid"])
        assert np.count_nonzero(np.abs(tone_level(heard, frequency_hz)) > 0.1) > 50


@unhurried
async def test_rooms_are_counted_with_what_is_lost_on_the_way_to_listeners() -> None:
    async with running() as service:
        conferences = service.conferences
        assert conferences.figures() == RoomFigures()
        async with (
            VoicePeerClient(service.url, name="Ada") as ada,
            VoicePeerClient(service.url, name="bot") as bot,
        ):
            await ada.join_room("nothing", voices=1)
            await bot.join_room("voice")
            await bot.use_voice("mid")
            figures = conferences.figures()
            assert (figures.rooms, figures.participants) == (1, {"nothing": 1, "voice": 1})
            assert figures.traffic.lost == 0
            said = bot.speak("one two three four five six seven eight nine ten eleven twelve.")
            assert said
            await until(lambda: figures.traffic.forwarded > 20)
            ear = service.sessions[0]._presence._ear
            assert ear is not None
            assert ear.negotiation.peer is not None
            impair(ear.negotiation.peer, Impairment(loss=0.5), seed=1)
            await until(lambda: figures.traffic.lost > 5, 15)
        await until(lambda: len(conferences) == 0)
        after = conferences.figures()
        assert (after.rooms, after.participants) == (0, {})
        assert after.traffic.forwarded > 20


@unhurried
async def test_whoever_leaves_hears_no_more_and_can_come_again() -> None:
    async with running() as service, VoicePeerClient(service.url) as ada:
        first = await ada.join_room("mic", voices=1)
        ears = ada.ears
        assert ears is not None
        assert await ada.leave_room() == RoomLeft(reason="left")
        assert ada.ears is None
        assert ears.peer.connectionState == "closed"
        with pytest.raises(RequestFailed) as refusal:
            await ada.leave_room()
        assert refusal.value.code == "not_in_room"
        again = await ada.join_room("mic", voices=2)
        assert again.participant != first.participant
        assert len(service.conferences) == 1
    assert len(service.conferences) == 0


@unhurried
async def test_hanging_up_leaves_the_room() -> None:
    async with running() as service, VoicePeerClient(service.url) as ada:
        await ada.join_room("mic")
        with ada.call.listening() as messages:
            async with VoicePeerClient(service.url) as bob:
                joined = await bob.join_room("mic", voices=1)
            async with asyncio.timeout(5):
                async for message in messages:
                    if isinstance(message, RoomGone):
                        assert message.participant == joined.participant
                        break
        await until(lambda: len(service.sessions) == 2)


@unhurried
async def test_rights_are_those_of_the_token() -> None:
    config = SignalingConfig(auth=AuthConfig(tokens=TOKENS))
    async with running(LocalService(config=config)) as service:
        speaks, hears = token(rights=["speak"]), token(rights=["listen"])
        async with VoicePeerClient(service.url, token=speaks) as deaf:
            with pytest.raises(SignalingFailed) as refusal:
                await deaf.join_room("voice", voices=1)
            assert refusal.value.code == "forbidden"
            await deaf.join_room("voice")
        async with VoicePeerClient(service.url, token=hears) as dumb:
            with pytest.raises(RequestFailed) as failure:
                await dumb.join_room("mic")
            assert failure.value.code == "forbidden"
            await dumb.join_room("nothing", voices=1)


@unhurried
async def test_whoever_is_not_connected_cannot_hear_a_room() -> None:
    with pytest.raises(CallEnded):
        await VoicePeerClient("http://localhost:1").join_room("mic", voices=1)


# --- coming back ------------------------------------------------------------------------------


async def news(client: VoicePeerClient, told: list[ServerMessage]) -> None:
    async for message in client.events():
        told.append(message)


async def the_next(client: VoicePeerClient, kind: type[MessageT]) -> MessageT:
    async with asyncio.timeout(5):
        async for message in client.events():
            if isinstance(message, kind):
                return message
    raise AssertionError("the call is over")


@unhurried
async def test_who_comes_back_is_in_the_room_as_before_and_is_heard_and_hears() -> None:
    text = "This is said after all"
    async with (
        nothing_left_behind(),
        running() as service,
        VoicePeerClient(service.url, room="hall", name="Ada") as ada,
        VoicePeerClient(service.url, room="hall", name="Bob") as bob,
    ):
        seen: list[ServerMessage] = []
        watching = asyncio.create_task(news(ada, seen))
        await ada.use_voice("low")
        ada_there = await ada.join_room("voice", voices=1)
        await bob.use_voice("mid")
        there = await bob.join_room("voice", voices=2)
        old_ears = bob.ears
        await service.sessions[1].close("connection_lost")
        await until(lambda: any(isinstance(one, RoomGone) for one in seen))
        assert await bob.reconnect() == []
        told: list[ServerMessage] = []
        following = asyncio.create_task(news(bob, told))
        await until(lambda: any(isinstance(one, RoomSlots) for one in told))
        (joined,) = [one for one in told if isinstance(one, RoomJoined)]
        assert joined.participant == there.participant
        roster = [one for one in told if isinstance(one, RoomRoster)]
        names = {one.name: one.publish for part in roster for one in part.participants}
        assert names == {"Ada": "voice", "Bob": "voice"}
        for speaker, listener, voice, participant in (
            (bob, ada, "mid", there.participant),
            (ada, bob, "low", ada_there.participant),
        ):
            await speaker.say(text)
            assert listener.ears is not None
            (mid,) = {
                slot.mid
                for message in (seen if listener is ada else told)
                if isinstance(message, RoomSlots)
                for slot in message.slots
                if slot.participant == participant
            }
            heard = listener.ears.recorders[mid].pcm()
            frequency_hz = tone_hz(text, FakeSpeechEngine().stock_voices()[voice])
            assert np.count_nonzero(np.abs(tone_level(heard, frequency_hz)) > 0.1) > 10
        assert old_ears is not None
        assert bob.ears is not old_ears
        assert old_ears.peer.connectionState == "closed"
        for task in (watching, following):
            task.cancel()
        await asyncio.gather(watching, following, return_exceptions=True)


@unhurried
async def test_who_was_muted_or_has_left_is_so_after_coming_back() -> None:
    async with running() as service, VoicePeerClient(service.url) as ada:
        await ada.join_room("mic")
        ada.call.send(RoomMute(muted=True))
        await ada.stats()
        await service.sessions[-1].close("connection_lost")
        await ada.reconnect()
        (own,) = (await the_next(ada, RoomRoster)).participants
        assert own.muted
        await ada.leave_room()
        await ada.reconnect()
        with pytest.raises(RequestFailed, match="room.join first"):
            await ada.leave_room()


def muted(service: LocalService, joined: RoomJoined) -> bool:
    member = service.sessions[-1]._presence._member
    assert member is not None
    return member.conference.participant(joined.participant).muted


@unhurried
async def test_who_was_muted_stays_muted_when_they_come_in_again() -> None:
    async with running() as service, VoicePeerClient(service.url) as ada:
        await ada.join_room("mic")
        ada.call.send(RoomMute(muted=True))
        await ada.leave_room()
        for _ in range(2):
            joined = await ada.join_room("mic")
            assert muted(service, joined)
            await ada.leave_room()
            await ada.reconnect()
        await ada.join_room("mic")
        ada.call.send(RoomMute(muted=False))
        await ada.leave_room()
        joined = await ada.join_room("mic")
        assert not muted(service, joined), "they themselves have ended it"


@unhurried
async def test_who_was_put_out_without_a_name_stays_out_by_another_connection_and_may_withdraw(
    tmp_path: Path,
) -> None:
    recordings = Recordings(RecordingStore(tmp_path), RecordingLimits(min_free_bytes=0), Audit())
    local = LocalService(conferences=Conferences(recordings=recordings))
    async with (
        running(local) as service,
        VoicePeerClient(service.url) as ada,
        VoicePeerClient(service.url) as bob,
    ):
        await ada.join_room("nothing")
        there = await bob.join_room("voice")
        await ada.record_room()
        await bob.agree_to_recording()
        await bob.use_voice("mid")
        await bob.say("This is not to be kept.")
        ada.call.send(RoomKick(participant=there.participant))
        assert await the_next(bob, RoomLeft) == RoomLeft(reason="kicked")
        await bob.reconnect()
        with pytest.raises(RequestFailed, match="join it again in") as refusal:
            await bob.join_room("voice")
        assert refusal.value.code == "kept_out"
        assert (await bob.agree_to_recording(False)).answer is False
        await ada.record_room(False)
        with pytest.raises(RequestFailed) as over:
            await bob.agree_to_recording(False)
        assert over.value.code == "not_recording"
        await recordings.close()
    assert await asyncio.to_thread(lambda: list(tmp_path.glob("*/track*"))) == []


@unhurried
async def test_a_recording_goes_on_over_a_moment_without_anybody(tmp_path: Path) -> None:
    recordings = Recordings(RecordingStore(tmp_path), RecordingLimits(min_free_bytes=0), Audit())
    local = LocalService(conferences=Conferences(recordings=recordings))
    async with running(local) as service, VoicePeerClient(service.url) as ada:
        await ada.join_room("voice")
        asked = await ada.record_room()
        await ada.agree_to_recording()
        await service.sessions[0].close("connection_lost")
        await ada.reconnect()
        told = await the_next(ada, RoomRecording)
        assert (told.recording_id, told.state, told.answer) == (asked.recording_id, "on", True)
        await recordings.close()


@unhurried
async def test_of_one_user_who_came_in_by_another_way_stays() -> None:
    rules = SignalingConfig(auth=AuthConfig(tokens=TOKENS))
    async with (
        running(LocalService(config=rules)) as service,
        VoicePeerClient(service.url, token=token()) as first,
    ):
        await first.join_room("mic")
        await service.sessions[0].close("connection_lost")
        async with VoicePeerClient(service.url, token=token()) as second:
            await second.join_room("mic")
            await first.reconnect()
            assert await the_next(first, RoomLeft) == RoomLeft(reason="replaced")
            assert await second.leave_room() == RoomLeft(reason="left")


@unhurried
async def test_a_token_with_less_rights_does_not_bring_the_microphone_back() -> None:
    rules = SignalingConfig(auth=AuthConfig(tokens=TOKENS))
    async with (
        running(LocalService(config=rules)) as service,
        VoicePeerClient(service.url, token=token()) as ada,
    ):
        await ada.join_room("mic")
        ada._join = msgspec.structs.replace(ada._join, token=token(rights=["listen"]))
        await ada.reconnect()
        assert await the_next(ada, RoomLeft) == RoomLeft(reason="left")
        assert len(service.conferences) == 0


@unhurried
async def test_a_client_has_a_room_recorded_and_withdraws(tmp_path: Path) -> None:
    store = RecordingStore(tmp_path / "recordings")
    recordings = Recordings(store, RecordingLimits(min_free_bytes=0), Audit())
    local = LocalService(conferences=Conferences(recordings=recordings))
    async with nothing_left_behind():
        async with running(local) as service, VoicePeerClient(service.url, name="bot") as bot:
            assert (await bot.join_room("voice")).records
            with pytest.raises(RequestFailed) as refusal:
                await bot.agree_to_recording()
            assert refusal.value.code == "not_recording"
            asked = await bot.record_room()
            assert (asked.state, asked.answer) == ("asked", None)
            assert (await bot.agree_to_recording()).state == "on"
            assert (await bot.record_room()).recording_id == asked.recording_id
            await bot.use_voice("mid")
            await bot.say("This is kept.")
            assert (await bot.agree_to_recording(False, keep=True)).state == "asked"
            assert (await bot.record_room(False)).reason == "stopped"
            await recordings.close()
        [recorded] = await asyncio.to_thread(store.records)
        assert recorded.recording_id == asked.recording_id
        assert recorded.manifest is not None
        assert [track.words != "" for track in recorded.manifest.tracks] == [True]


@unhurried
async def test_a_service_without_a_folder_says_so() -> None:
    async with running() as service, VoicePeerClient(service.url, name="bot") as bot:
        assert not (await bot.join_room("voice")).records
        with pytest.raises(RequestFailed, match=r"recording\.folder") as refusal:
            await bot.record_room()
        assert refusal.value.code == "recording_unavailable"

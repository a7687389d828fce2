"""Bots in a room of somebody else: what is passed on to it, and what they do when it is lost.

The room is a scripted one; real ones are in ``tests/voicepeer/adapters``.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import numpy as np
import pytest

from engines.fakes import FakeSpeechEngine, tone_hz
from tests.peers.clock import unhurried
from tests.peers.leaks import nothing_left_behind
from tests.peers.room import until
from tests.peers.service import LocalService, running
from tests.voicepeer.bots import PATIENCE_S, sounds, stage
from voicepeer.adapters import RoomError, joined
from voicepeer.bot import Back, BotFailed, Joined, Lost, Place, Said
from voicepeer.client import VoicePeerClient
from voicepeer.core.pcm import WIRE_RATE_HZ, from_pcm16
from voicepeer.forwarding import MediaPacket
from voicepeer.opus import OpusDecoder

pytestmark = pytest.mark.peer

TEXT = "one two three four five six seven."


@dataclass
class ScriptedRoom:
    """Implements ``adapters.RoomAdapter``; does what it is told, and keeps what it gets."""

    refusals: list[RoomError] = field(default_factory=list)
    """Of the next attempts to join, one each."""
    packets: list[MediaPacket] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    inside: bool = False
    left: int = 0
    ends: asyncio.Future[str] | None = None

    async def join(self, name: str) -> str:
        assert not self.inside
        if self.refusals:
            raise self.refusals.pop(0)
        self.names.append(name)
        self.inside, self.ends = True, asyncio.get_running_loop().create_future()
        return f"participant {len(self.names)}"

    def push(self, packet: MediaPacket) -> None:
        if self.inside:
            self.packets.append(packet)

    async def lost(self) -> str:
        assert self.ends is not None
        return await asyncio.shield(self.ends)

    async def leave(self) -> None:
        self.inside = False
        self.left += 1

    def lose(self, how: RoomError | str) -> None:
        """End the connection, for a while or for good."""
        assert self.ends is not None
        self.inside = False
        if isinstance(how, RoomError):
            self.ends.set_exception(how)
        else:
            self.ends.set_result(how)

    def heard(self, text: str) -> int:
        """For how many steps of 10 ms a text was heard so far."""
        decoder = OpusDecoder(WIRE_RATE_HZ)
        frames = [decoder.decode(packet.payload) for packet in self.packets]
        pcm = np.concatenate([np.zeros(0, np.int16), *frames])
        return sounds(from_pcm16(pcm), tone_hz(text, FakeSpeechEngine().stock_voices()["mid"]))


def place(service: LocalService, room: ScriptedRoom) -> Place:
    """Where a bot goes that speaks there."""
    return Place(service.url, "default", elsewhere=lambda: room)


async def begun(service: LocalService) -> None:
    """Wait until the first session speaks."""
    await until(lambda: service.sessions[0].track.last_speech_s is not None, PATIENCE_S)


@unhurried
async def test_packets_are_passed_on_as_they_come_until_the_bot_leaves() -> None:
    room, text = ScriptedRoom(), "Passed on as it is"
    async with (
        nothing_left_behind(),
        running() as service,
        stage(place(service, room), ("Bob", "mid")) as bots,
    ):
        assert [one.participant for one in await bots.told(Joined)] == ["participant 1"]
        assert len(service.conferences) == 0, "it is in no room of the service"
        bots.lines.give(text)
        await bots.told(Said)
        await until(lambda: room.heard(text) > 60, PATIENCE_S)
        assert await bots.end() == 0
    assert (room.names, room.inside, room.left) == (["Bob"], False, 1)
    assert len({packet.ssrc for packet in room.packets}) == 1
    steps = {
        (after.sequence - before.sequence) % 2**16
        for before, after in zip(room.packets, room.packets[1:], strict=False)
    }
    assert steps == {1}, "each packet once and in order"
    loudest = max(packet.level_dbov for packet in room.packets)
    assert -25 < loudest < -5, "as its sender has measured it"


@unhurried
async def test_what_nobody_hears_is_said_when_the_room_is_back() -> None:
    room = ScriptedRoom()
    async with nothing_left_behind(), running() as service:
        async with stage(place(service, room)) as bots:
            await bots.told(Joined)
            bots.lines.give(TEXT)
            await begun(service)
            room.refusals = [RoomError("unreachable", "not yet", retryable=True)]
            room.lose("the room was lost")
            await until(lambda: not service.sessions[0].connected, PATIENCE_S)
            await bots.told(Said)
            assert await bots.end() == 0
        assert [type(one) for one in bots.news] == [Joined, Lost, Joined, Back, Said]
        assert room.refusals == []
        assert service.sessions[-1].resumed


@unhurried
async def test_a_lost_service_is_come_back_to_without_leaving_the_room() -> None:
    room = ScriptedRoom()
    async with nothing_left_behind(), running() as service:
        async with stage(place(service, room)) as bots:
            await bots.told(Joined)
            bots.lines.give(TEXT)
            await begun(service)
            await service.sessions[0].close("connection_lost")
            await bots.told(Said)
            assert await bots.end() == 0
        assert [type(one) for one in bots.news] == [Joined, Lost, Back, Said]
        assert len({packet.ssrc for packet in room.packets}) == 2, "of two connections"
    assert room.names == ["bot"]


@unhurried
async def test_a_service_that_has_forgotten_the_bot_does_not_make_it_join_twice() -> None:
    room = ScriptedRoom()
    async with running() as service, stage(place(service, room)) as bots:
        await bots.told(Joined)
        bots.lines.give("one two three.")
        await begun(service)
        await service.sessions[0].close("shutting_down")
        await bots.told(Said)
        assert [type(one) for one in bots.news] == [Joined, Lost, Back, Said]


@unhurried
async def test_a_room_that_refuses_is_not_tried_again() -> None:
    for retryable in (False, True):
        room = ScriptedRoom([RoomError("room_full", "all places are taken", retryable=retryable)])
        async with nothing_left_behind(), running() as service, stage(place(service, room)) as bots:
            with pytest.raises(BotFailed, match="bot: all places are taken"):
                await bots.told(Joined)
        assert room.left == 1


@unhurried
async def test_who_is_put_out_or_refused_on_coming_back_is_out_for_good() -> None:
    async with nothing_left_behind(), running() as service:
        kicked = ScriptedRoom()
        async with stage(place(service, kicked)) as bots:
            await bots.told(Joined)
            kicked.lose(RoomError("kicked", "somebody has put the bot out"))
            with pytest.raises(BotFailed, match="bot: somebody has put the bot out"):
                await bots.told(Lost)
        refused = ScriptedRoom()
        async with stage(place(service, refused)) as bots:
            await bots.told(Joined)
            refused.refusals = [RoomError("wrong_pin", "the PIN has changed")]
            refused.lose("the room was lost")
            with pytest.raises(BotFailed, match="bot: the PIN has changed"):
                await bots.told(Joined, 2)


@unhurried
async def test_a_room_that_stays_away_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voicepeer.bot.GIVE_UP_S", 0.5)
    room = ScriptedRoom()
    async with nothing_left_behind(), running() as service, stage(place(service, room)) as bots:
        await bots.told(Joined)
        room.refusals = [RoomError("unreachable", "not there", retryable=True)] * 100
        room.lose("the room was lost")
        with pytest.raises(BotFailed, match="is the server of the room running"):
            await bots.told(Joined, 2)


@unhurried
async def test_two_bots_each_have_a_place_of_their_own() -> None:
    rooms, text = [ScriptedRoom(), ScriptedRoom()], "Only one says it"
    left = list(rooms)
    async with nothing_left_behind(), running() as service:
        there = Place(service.url, "default", elsewhere=lambda: left.pop(0))
        async with stage(there, ("Ada", "mid"), ("Bob", "mid")) as bots:
            await bots.told(Joined, 2)
            bots.lines.give(f"Bob: {text}")
            await bots.told(Said)
            await until(lambda: rooms[1].heard(text) > 50, PATIENCE_S)
            assert rooms[0].heard(text) == 0
            assert await bots.end() == 0
    assert [room.names for room in rooms] == [["Ada"], ["Bob"]]


@unhurried
async def test_the_client_passes_speech_on_also_after_coming_back() -> None:
    room, text = ScriptedRoom(), "Nothing of this is decoded"
    async with running() as service, VoicePeerClient(service.url) as client:
        await client.use_voice("mid")
        client.on_speech = room.push
        async with joined(room, "Ada") as participant:
            assert participant == "participant 1"
            await client.suspend()
            await client.reconnect()
            said = await client.say(text)
            assert said.pcm.size == 0
            assert room.heard(text) > 60
        assert room.left == 1
        client.on_speech = None
        assert (await client.say("This is")).pcm.size > 0

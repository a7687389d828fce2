"""Rooms from the Python client, over a running service."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from engines.fakes import FakeSpeechEngine, tone_hz
from signaling.config import AuthConfig, SignalingConfig
from tests.peers.glitches import tone_level
from tests.peers.leaks import nothing_left_behind
from tests.peers.room import until
from tests.peers.service import LocalService, running
from tests.signaling.tokens import TOKENS, token
from voicepeer.call import CallEnded
from voicepeer.client import RequestFailed, VoicePeerClient
from voicepeer.core.messages import ServerMessage
from voicepeer.core.room_messages import RoomGone, RoomLeft, RoomSlots
from voicepeer.signaling_client import SignalingFailed

pytestmark = pytest.mark.peer


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


async def test_whoever_is_not_connected_cannot_hear_a_room() -> None:
    with pytest.raises(CallEnded):
        await VoicePeerClient("http://localhost:1").join_room("mic", voices=1)

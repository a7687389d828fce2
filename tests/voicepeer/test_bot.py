"""Bots in rooms of a running service: what the others hear, and what ends or does not end them."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from engines.fakes import CHAR_MS, FakeSpeechEngine, tone_hz
from signaling.config import AuthConfig, SignalingConfig
from signaling.sessions import SessionHandle, SessionRefused, SessionRequest
from tests.peers.clock import unhurried
from tests.peers.leaks import nothing_left_behind
from tests.peers.room import until
from tests.peers.service import LocalService, running
from tests.signaling.tokens import TOKENS, token
from tests.voicepeer.bots import Lines, sounds, stage
from voicepeer import bot
from voicepeer.bot import Back, Bot, BotFailed, BotNews, Joined, Lost, Place, Refused, Said
from voicepeer.client import VoicePeerClient
from voicepeer.core.messages import ServerMessage
from voicepeer.core.room_messages import RoomEnd, RoomGone, RoomKick, RoomRoster, RoomSlots
from voicepeer.session import Session
from voicepeer.session_state import RESUMABLE
from voicepeer.stage import perform

pytestmark = pytest.mark.peer

HALL = "hall"


def hall(service: LocalService, with_token: str | None = None) -> Place:
    """The room of these tests."""
    return Place(service.url, HALL, with_token)


def of_bots(service: LocalService) -> list[Session]:
    return [one for one in service.sessions if one.connected]


@unhurried
async def test_the_room_hears_each_bot_in_its_voice_and_sees_them_leave() -> None:
    said = "The first bot says this", "And the second one that"
    voices = FakeSpeechEngine().stock_voices()
    async with nothing_left_behind(), running() as service:
        async with VoicePeerClient(service.url, room=HALL, name="Ada") as ada:
            told: list[ServerMessage] = []
            keeping = asyncio.create_task(_keep(ada, told))
            await ada.join_room("nothing", voices=2)
            async with stage(hall(service), ("low one", "low"), ("high one", "high")) as bots:
                await bots.told(Joined, 2)
                await until(lambda: len(_placed(told)) == 2)
                bots.lines.give(f"low one: {said[0]}", f"high one: {said[1]}")
                await bots.told(Said, 2)
                mids = _placed(told)
                assert await bots.end() == 0
            await until(lambda: sum(isinstance(one, RoomGone) for one in told) == 2)
            joined = {one.bot: one.participant for one in bots.news if isinstance(one, Joined)}
            assert ada.ears is not None
            tones_hz = [
                tone_hz(text, voices[voice])
                for text, voice in zip(said, ("low", "high"), strict=True)
            ]
            for own, name in enumerate(("low one", "high one")):
                heard = ada.ears.recorders[mids[joined[name]]].pcm()
                # Much of it comes late where the machine has other work; none comes of the other.
                assert sounds(heard, tones_hz[own]) >= 4
                assert sounds(heard, tones_hz[1 - own]) == 0
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)
        names = {
            one.name: one.publish
            for message in told
            if isinstance(message, RoomRoster)
            for one in message.participants
        }
        assert names == {"Ada": "nothing", "low one": "voice", "high one": "voice"}
        lengths = [one for one in bots.news if isinstance(one, Said)]
        assert [(one.bot, one.line) for one in lengths] == [("low one", 1), ("high one", 2)]
        for one, text in zip(lengths, said, strict=True):
            assert one.audio_ms == pytest.approx(len(text) * CHAR_MS, rel=0.1)


async def _keep(client: VoicePeerClient, told: list[ServerMessage]) -> None:
    async for message in client.events():
        told.append(message)


def _placed(told: list[ServerMessage]) -> dict[str, str]:
    """In which section who is heard."""
    slots = [one for one in told if isinstance(one, RoomSlots)]
    return {slot.participant: slot.mid for slot in slots[-1].slots if slot.participant}


@unhurried
async def test_what_cannot_be_said_is_told_and_the_next_line_goes_on() -> None:
    async with running() as service, stage(hall(service)) as bots:
        bots.lines.give("x" * 40_000, "", "Hello.")
        assert await bots.end() == 1
        (refused,) = [one for one in bots.news if isinstance(one, Refused)]
        assert (refused.line, refused.code) == (1, "bad_message")
        assert "15000 bytes" in refused.message
        assert [one.line for one in bots.news if isinstance(one, Said)] == [3]


@unhurried
async def test_a_bot_without_a_voice_is_told_so() -> None:
    async with running() as service, stage(hall(service), ("bot", None)) as bots:
        bots.lines.give("Hello.")
        assert await bots.end() == 1
        (refused,) = [one for one in bots.news if isinstance(one, Refused)]
        assert refused.code == "voice_not_ready"


@unhurried
async def test_reasons_why_a_bot_cannot_be_there() -> None:
    config = SignalingConfig(auth=AuthConfig(tokens=TOKENS))
    async with nothing_left_behind(), running(LocalService(config=config)) as service:
        for cast, with_token, reason in (
            (("bot", "mid"), None, "bot: .*(key|token)"),
            (("bot", "mid"), "nonsense", "bot: .*token"),
            (("bot", "nobody"), token(rights=["speak"]), "bot: there is no voice 'nobody'"),
            (("deaf", "mid"), token(rights=["listen"]), "deaf: .*right"),
        ):
            async with stage(hall(service, with_token), cast) as bots:
                with pytest.raises(BotFailed, match=reason):
                    await bots.told(Joined)
    with pytest.raises(BotFailed, match="no service at"):
        await perform(Place("http://localhost:1", HALL), [("a", None)], aiter(Lines()), _ignore)


class Starting(LocalService):
    """A service that is not ready for the first ones who ask."""

    asked = 0
    refusals = 2
    code = "not_ready"

    async def open(self, request: SessionRequest) -> SessionHandle:
        self.asked += 1
        if self.asked <= self.refusals:
            raise SessionRefused(self.code, "the models are being loaded: try again soon")
        return await super().open(request)


@unhurried
async def test_a_bot_waits_for_a_service_that_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot, "FIRST_WAIT_S", 0.05)
    async with nothing_left_behind(), running(Starting()) as service:
        async with stage(hall(service)) as bots:
            bots.lines.give("Hello.")
            assert await bots.end() == 0
        assert isinstance(service, Starting)
        assert service.asked == 3


@unhurried
async def test_a_bot_waits_neither_for_ever_nor_for_what_will_not_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bot, "FIRST_WAIT_S", 0.05)
    starting = Starting()
    starting.refusals = 1_000
    async with nothing_left_behind(), running(starting) as service:
        monkeypatch.setattr(bot, "FIRST_JOIN_S", 0.3)
        with pytest.raises(BotFailed, match="models are being loaded"):
            async with Bot(hall(service), "Ada", "low", _ignore):
                pass
        assert starting.asked >= 2
        starting.code, starting.asked = "forbidden", 0
        with pytest.raises(BotFailed, match="Ada"):
            async with Bot(hall(service), "Ada", "low", _ignore):
                pass
        assert starting.asked == 1


def _ignore(news: BotNews) -> None:
    """Nobody wants to know."""


@pytest.mark.parametrize("ends", [True, False], ids=["end", "kick"])
@unhurried
async def test_whoever_manages_the_room_can_put_a_bot_out(ends: bool) -> None:
    local = LocalService(config=SignalingConfig(auth=AuthConfig(tokens=TOKENS)))
    manager, bot = token(rights=["manage", "listen"]), token(rights=["speak"], sub="b")
    async with (
        nothing_left_behind(),
        running(local) as service,
        VoicePeerClient(service.url, room=HALL, token=manager) as ada,
        stage(hall(service, bot)) as bots,
    ):
        await ada.join_room("nothing")
        await bots.told(Joined)
        (joined,) = [one for one in bots.news if isinstance(one, Joined)]
        ada.call.send(RoomEnd() if ends else RoomKick(participant=joined.participant))
        with pytest.raises(BotFailed, match="ended it" if ends else "put it out"):
            async with asyncio.timeout(5):
                await bots.performing


def test_bots_come_back_after_whatever_a_session_can_be_resumed_after() -> None:
    assert RESUMABLE - {"replaced"} | {"shutting_down"} == bot.COMES_BACK_AFTER


@pytest.mark.parametrize("reason", ["connection_lost", "channel_closed"])
@unhurried
async def test_a_lost_bot_comes_back_and_says_the_rest(reason: str) -> None:
    text = "one two three four five six seven eight nine ten eleven twelve."
    async with nothing_left_behind(), running() as service, stage(hall(service)) as bots:
        await bots.told(Joined)
        bots.lines.give(text, "And this.")
        first = of_bots(service)[0]
        await until(lambda: first.track.last_speech_s is not None)
        await first.close(reason)
        await bots.told(Said, 2)
        assert len(service.conferences) == 1, "it is in the room again"
        assert await bots.end() == 0
        kinds = [type(one) for one in bots.news]
        assert kinds == [Joined, Lost, Back, Said, Said]
        assert service.sessions[-1].resumed


@unhurried
async def test_a_bot_whose_session_is_forgotten_begins_anew_in_its_voice() -> None:
    async with running() as service, stage(hall(service)) as bots:
        await bots.told(Joined)
        bots.lines.give("one two three four five six seven eight.", "And this.")
        first = of_bots(service)[0]
        await until(lambda: first.track.last_speech_s is not None)
        await first.close("shutting_down")
        await bots.told(Said, 2)
        assert [type(one) for one in bots.news] == [Joined, Lost, Joined, Back, Said, Said]
        assert service.sessions[-1].voice_id == "mid"
        assert not service.sessions[-1].resumed


@unhurried
async def test_a_bot_that_is_not_wanted_does_not_come_back() -> None:
    async with nothing_left_behind(), running() as service, stage(hall(service)) as bots:
        await bots.told(Joined)
        await of_bots(service)[0].close("ended_by_operator")
        with pytest.raises(BotFailed, match="bot: .*ended_by_operator"):
            async with asyncio.timeout(5):
                await bots.performing
        assert len(service.sessions) == 1


@unhurried
async def test_a_service_that_stays_away_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voicepeer.bot.GIVE_UP_S", 1.0)
    async with AsyncExitStack() as services:
        service = await services.enter_async_context(running())
        async with nothing_left_behind(), stage(hall(service)) as bots:
            await bots.told(Joined)
            await services.aclose()
            with pytest.raises(BotFailed, match="no way back for 1 s: is the service"):
                async with asyncio.timeout(10):
                    await bots.performing
            assert [type(one) for one in bots.news] == [Joined, Lost]


@unhurried
async def test_two_bots_of_one_user_are_told_why_only_one_can_stay() -> None:
    config = SignalingConfig(auth=AuthConfig(tokens=TOKENS))
    async with nothing_left_behind(), running(LocalService(config=config)) as service:
        cast = ("first", "mid"), ("second", "mid")
        async with stage(hall(service, token()), *cast) as bots:
            with pytest.raises(BotFailed, match="first: another participant of the same user"):
                async with asyncio.timeout(10):
                    await bots.performing

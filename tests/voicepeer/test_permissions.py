"""What somebody may do in a session, by their key's rights and limits, over a real connection."""

from __future__ import annotations

import asyncio
from typing import get_args

import pytest

from engines.fakes import CHAR_MS
from signaling.limits import LimitKind, LimitReached, Limits, Rate
from signaling.principal import ALL_RIGHTS, Principal, Right
from signaling.sessions import SessionRequest
from tests.peers.caller import MemoryShelf, connected
from tests.peers.clock import unhurried
from tests.peers.engine import LocalEngine
from voicepeer.call import Call
from voicepeer.core.errors import NotPermitted, RateLimited
from voicepeer.core.messages import (
    Append,
    Cancel,
    ClientMessage,
    Done,
    EnrolStart,
    Failed,
    Ping,
    SetControls,
    Speak,
    Stats,
    StatsGet,
    VoiceMix,
    VoiceSave,
    VoiceSelected,
    VoiceUse,
)
from voicepeer.core.resumption import Resumptions
from voicepeer.core.rtvi import ClientReady, Error, SendText
from voicepeer.permissions import RIGHTS, Permissions
from voicepeer.session import Session
from voicepeer.session_state import SessionSettings, SessionState

pytestmark = pytest.mark.peer

SPEAKING: tuple[ClientMessage, ...] = (
    SendText(content="Hello."),
    Speak(utterance_id="a", text="Hello."),
    Append(utterance_id="b", text="Hello."),
    SetControls(speed=1.1),
    VoiceUse(voice_id="mid"),
    VoiceMix(weights={"mid": 1.0, "low": 1.0}),
)
ENROLLING: tuple[ClientMessage, ...] = (EnrolStart(consent="I agree."), VoiceSave(name="Ada"))
HARMLESS: tuple[ClientMessage, ...] = (ClientReady(), Ping(), StatsGet(), Cancel())


def request(*rights: Right) -> SessionRequest:
    return SessionRequest("room", "name", principal=Principal("k", frozenset(rights)))


def named(message: object) -> str:
    return type(message).__name__


@pytest.mark.unit
@pytest.mark.parametrize("right", sorted(ALL_RIGHTS))
@pytest.mark.parametrize("message", [*SPEAKING, *ENROLLING, *HARMLESS], ids=named)
@unhurried
async def test_each_message_needs_its_right_and_no_other(
    message: ClientMessage, right: Right
) -> None:
    needed = {"speak"} if message in SPEAKING else {"enrol"} if message in ENROLLING else ALL_RIGHTS
    permissions = Permissions(Principal("k", frozenset({right})))
    if right in needed:
        await permissions.check(message)
    else:
        with pytest.raises(NotPermitted) as refused:
            await permissions.check(message)
        assert refused.value.code == "forbidden"


@pytest.mark.unit
def test_no_message_is_forgotten() -> None:
    assert RIGHTS.keys() == {*get_args(ClientMessage)}


@pytest.mark.unit
@unhurried
async def test_text_is_counted_in_characters_and_enrolments_as_clones() -> None:
    spent: list[tuple[LimitKind, float]] = []

    async def spend(kind: LimitKind, cost: float) -> None:
        spent.append((kind, cost))

    permissions = Permissions(spend=spend)
    for message in (*SPEAKING, *ENROLLING, *HARMLESS):
        await permissions.check(message)
    assert spent == [("characters", 6)] * 3 + [("clones", 1)]


@pytest.mark.unit
@unhurried
async def test_who_has_used_up_their_limit_is_told_when_to_come_again() -> None:
    async def spend(kind: LimitKind, cost: float) -> None:
        raise LimitReached(kind, 17)

    with pytest.raises(RateLimited, match="17 s"):
        await Permissions(spend=spend).check(Speak(utterance_id="a", text="Hello."))


@pytest.mark.peer
@unhurried
async def test_what_is_refused_is_told_and_the_session_goes_on() -> None:
    async with connected(request=request("listen")) as both:
        both.send(Speak(utterance_id="a", text="Hello."), EnrolStart(consent="I agree."))
        first, second = await both.wait_for(Error), await both.wait_for(Error, 2)
        assert (first.code, first.utterance_id, first.fatal) == ("forbidden", "a", False)
        assert (second.code, "enrol" in second.error) == ("forbidden", True)
        both.send(StatsGet())
        await both.wait_for(Stats)


@pytest.mark.peer
@unhurried
async def test_who_may_only_speak_is_not_sent_what_is_said() -> None:
    async with connected(request=request("speak")) as both:
        assert both.session.peer is not None
        (audio,) = both.session.peer.getTransceivers()
        assert audio.currentDirection == "recvonly"
        await both.use_stock_voice()
        both.send(Speak(utterance_id="a", text="Hello there."))
        done = await both.wait_for(Done)
        assert done.audio_ms == pytest.approx(12 * CHAR_MS, abs=1)


@pytest.mark.peer
@unhurried
async def test_a_session_spends_from_its_keys_limits() -> None:
    limits = Limits({"characters": (Rate(15),)})

    async def spend(kind: LimitKind, cost: float) -> None:
        limits.take(kind, ("key k",), cost, asyncio.get_running_loop().time())

    async with connected(request=SessionRequest("room", "name", spend=spend)) as both:
        await both.use_stock_voice()
        both.send(Speak(utterance_id="a", text="Hello there."))
        both.send(Speak(utterance_id="b", text="Hello again."))
        refused = await both.wait_for(Error)
        assert (refused.code, refused.utterance_id) == ("rate_limited", "b")
        assert "try again in" in refused.error
        await both.wait_for(Done)


@pytest.mark.peer
@unhurried
async def test_a_text_costs_what_it_is_when_it_is_said() -> None:
    spent: list[float] = []

    async def spend(kind: LimitKind, cost: float) -> None:
        if sum(spent) + cost > 60:
            raise LimitReached(kind, 9)
        spent.append(cost)

    async with connected(request=SessionRequest("room", "name", spend=spend)) as both:
        await both.use_stock_voice()
        both.send(Speak(utterance_id="a", text="It is 1999."))
        await both.wait_for(Done)
        assert spent == [11, len("It is nineteen ninety-nine.") - 11]
        both.send(Speak(utterance_id="b", text="$999,999.99"))
        failed = await both.wait_for(Failed)
        assert (failed.code, failed.utterance_id, failed.retryable) == ("rate_limited", "b", True)
        both.send(Speak(utterance_id="c", text="Hello."))
        assert (await both.wait_for(Done, 2)).utterance_id == "c"


@pytest.mark.peer
@unhurried
async def test_an_utterance_that_numbers_make_too_long_is_refused_with_the_setting() -> None:
    settings = SessionSettings(max_audio_s=3.0)
    async with connected(settings=settings) as both:
        await both.use_stock_voice()
        both.send(Speak(utterance_id="a", text="1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17"))
        failed = await both.wait_for(Failed)
        assert (failed.code, failed.retryable) == ("text_too_long", False)
        assert "speaking.max_audio_s" in failed.message
        both.send(Speak(utterance_id="b", text="Letters may be as many as they are. " * 3))
        assert (await both.wait_for(Done)).utterance_id == "b"


@pytest.mark.peer
@unhurried
async def test_a_client_secrets_voice_is_what_its_session_begins_with() -> None:
    asked = SessionRequest("room", "name", principal=Principal("k"), voice="mid")
    async with connected(request=asked) as both:
        both.send(Speak(utterance_id="a", text="Hello."))
        await both.wait_for(Done)
        assert both.got(VoiceSelected) == []
        assert both.session.voice_id == "mid"


@pytest.mark.peer
@pytest.mark.parametrize(
    ("who", "resumes"),
    [
        (Principal("acme", subject="ada"), True),
        (Principal("acme.2", subject="ada"), True),
        (Principal("acme", subject="bob"), False),
        (Principal("acme"), False),
        (Principal("bolt", subject="ada"), False),
    ],
)
@unhurried
async def test_a_lost_session_is_resumed_by_its_owner_only(who: Principal, resumes: bool) -> None:
    kept: Resumptions[SessionState] = Resumptions()
    engine, shelf = LocalEngine(), MemoryShelf()

    async def session(principal: Principal, token: str | None) -> Session:
        asked = SessionRequest("room", "name", resume_token=token, principal=principal)
        made = Session(asked, engine, shelf, resumptions=kept)
        await made.take_over()
        return made

    first, call = await session(Principal("acme.1", subject="ada"), None), Call()
    try:
        await first.answer(await call.offer())
        await first.close("connection_lost")
        second = await session(who, first.resume_token)
        assert second.resumed is resumes
        await second.close("client_left")
    finally:
        await call.close()
        await first.close("test over")

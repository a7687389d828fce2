"""Which messages end a text and how, and what users tell of it; the rest needs a service."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from loadtests import scenarios
from loadtests.arrivals import Arrivals
from loadtests.scenarios import MIXED, ROUNDS, STORM_EVERY_S
from loadtests.user import LoadUser, Voice, ended
from loadtests.voices import FAKE_F0_HZ, phrases
from loadtests.wire import KINDS, Event, Timed, Trouble, UserPlan
from voicepeer.call import CallEnded
from voicepeer.client import RequestFailed
from voicepeer.core.messages import Cancelled, Done, Failed, ServerMessage, Started
from voicepeer.core.rtvi import Error

pytestmark = pytest.mark.unit

MINE, OTHER = "0011223344556677", "8899aabbccddeeff"
VOICES = [Voice(Path(f"{f0_hz:g}.wav"), phrases(f0_hz)) for f0_hz in FAKE_F0_HZ]


def done(utterance_id: str = MINE) -> Done:
    return Done(utterance_id, 1_500.0, 80.0, 0.1, 0)


def user(told: list[Event], seed: int = 1) -> LoadUser:
    plan = UserPlan(name="user-7", kind="mix", seed=seed)
    return LoadUser(
        plan, scenarios.mix, "http://127.0.0.1:9", None, VOICES, told.append, Arrivals()
    )


async def messages(*given: ServerMessage) -> AsyncIterator[ServerMessage]:
    for one in given:
        yield one


def test_a_text_ends_with_its_own_last_word() -> None:
    assert ended(done(), MINE) == done()
    assert ended(done(OTHER), MINE) is None
    assert ended(Started(MINE, 80.0), MINE) is None
    assert ended(Cancelled(OTHER, 20.0), MINE) is None
    assert ended(Failed(OTHER, "engine_failed", "it broke", 0.0, True), MINE) is None
    assert ended(Error("no", "rate_limited", utterance_id=OTHER), MINE) is None


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (Cancelled(MINE, 20.0), "cancelled"),
        (Failed(MINE, "engine_failed", "it broke", 0.0, True), "engine_failed"),
        (Error("no", "rate_limited", utterance_id=MINE), "rate_limited"),
        (Error("no", "bad_message"), "bad_message"),
    ],
)
def test_another_end_has_its_code(message: ServerMessage, code: str) -> None:
    with pytest.raises(RequestFailed) as failed:
        ended(message, MINE)
    assert failed.value.code == code


async def test_an_interruption_is_that_of_ones_own_text() -> None:
    coming = messages(Cancelled(OTHER, 1.0), done(OTHER), Started(MINE, 1.0), Cancelled(MINE, 9.0))
    await scenarios._until(coming, Started, MINE)
    await scenarios._until(coming, Cancelled, MINE)
    assert [one async for one in coming] == []


async def test_a_text_that_was_said_to_its_end_was_not_interrupted() -> None:
    with pytest.raises(RequestFailed) as failed:
        await scenarios._until(messages(Started(MINE, 1.0), done()), Cancelled, MINE)
    assert failed.value.code == "not_interrupted"


async def test_a_text_that_failed_was_not_interrupted_either() -> None:
    broken = Failed(MINE, "engine_failed", "it broke", 0.0, True)
    with pytest.raises(RequestFailed) as failed:
        await scenarios._until(messages(broken), Started, MINE)
    assert failed.value.code == "engine_failed"


def test_what_a_user_tells_is_of_that_user_and_of_what_it_does_now() -> None:
    told: list[Event] = []
    one = user(told)
    one.kind = "storm"
    began_s = time.monotonic() - 0.25
    one.trouble("timeout")
    one.timed("interrupted", began_s)
    trouble, timed = told
    assert isinstance(trouble, Trouble)
    assert isinstance(timed, Timed)
    assert (trouble.user, trouble.kind, trouble.code) == ("user-7", "storm", "timeout")
    assert (timed.user, timed.kind, timed.what) == ("user-7", "storm", "interrupted")
    assert 250.0 <= timed.ms < 10_000.0
    assert began_s < trouble.at_s <= timed.at_s


def test_the_same_seed_has_the_same_voice_and_the_same_chances() -> None:
    first, again = user([], seed=5), user([], seed=5)
    assert first.voice is again.voice
    assert first.chance.random() == again.chance.random()
    assert len({user([], seed=seed).voice.file for seed in range(40)}) == len(VOICES)


def test_what_a_user_wants_to_be_lost_is_lost() -> None:
    told: list[Event] = []
    arrivals, plan = Arrivals(), UserPlan(name="user-7", kind="lossy")
    url = "http://127.0.0.1:9"
    one = LoadUser(plan, scenarios.lossy, url, None, VOICES, told.append, arrivals)
    one.lose(1.0)
    assert arrivals.loses()
    one.lose(0.0)
    assert not arrivals.loses()


def test_every_kind_of_user_has_a_round_and_a_mix_has_all_others() -> None:
    assert ROUNDS.keys() == set(KINDS)
    assert set(MIXED) == set(KINDS) - {"mix"}
    assert 0 < STORM_EVERY_S[0] < STORM_EVERY_S[1]


async def test_a_user_rests_for_as_long_as_was_said() -> None:
    began_s = time.monotonic()
    await user([]).rest(lambda: 0.2)
    assert 0.2 <= time.monotonic() - began_s < 2.0
    await user([]).rest(lambda: -1.0)


async def test_a_rest_ends_earlier_once_more_is_wanted() -> None:
    resting = user([])
    resting.share = 0.01
    task = asyncio.create_task(resting.rest(lambda: 1.0 / resting.share))
    await asyncio.sleep(0.05)
    assert not task.done(), "a hundred seconds are not over"
    resting.share = 1.0
    async with asyncio.timeout(10):
        began_s = time.monotonic()
        resting.share = 100.0
        await task
    assert time.monotonic() - began_s < 5.0


async def test_a_rest_that_has_become_longer_goes_on() -> None:
    resting = user([])
    resting.share = 10.0
    task = asyncio.create_task(resting.rest(lambda: 1.0 / resting.share))
    await asyncio.sleep(0)
    resting.share = 1.0
    await asyncio.sleep(0.3)
    assert not task.done()
    task.cancel()


async def test_what_is_refused_ends_no_call() -> None:
    told: list[Event] = []
    rounds = 0

    async def refused(one: LoadUser) -> None:
        nonlocal rounds
        rounds += 1
        raise RequestFailed("at_capacity", "too many")

    plan = UserPlan(name="user-7", kind="talk", seed=1)
    one = LoadUser(plan, refused, "http://127.0.0.1:9", None, VOICES, told.append, Arrivals())
    await one._round_or_trouble()
    await one._round_or_trouble()
    assert rounds == 2
    assert [event.code for event in told if isinstance(event, Trouble)] == ["at_capacity"] * 2


async def test_what_is_no_refusal_ends_the_call() -> None:
    async def gone(one: LoadUser) -> None:
        raise CallEnded("over")

    told: list[Event] = []
    plan = UserPlan(name="user-7", kind="talk", seed=1)
    one = LoadUser(plan, gone, "http://127.0.0.1:9", None, VOICES, told.append, Arrivals())
    with pytest.raises(CallEnded):
        await one._round_or_trouble()

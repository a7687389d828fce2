"""Which messages end a text and how, and what users tell of it; the rest needs a service."""

from __future__ import annotations

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

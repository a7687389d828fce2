from __future__ import annotations

import asyncio

import pytest

from loadtests.peers import calls, contestant
from loadtests.peers.bench import contestant_of
from loadtests.peers.contestant import Samples
from loadtests.peers.install import PeerUnavailable
from tests.loadtests.peers.fakes import SHORT, fake_bot

pytestmark = pytest.mark.peer


async def test_a_call_is_measured_as_it_is_heard() -> None:
    samples = Samples()
    async with fake_bot("--calls", "--delay-s", "0.3") as bot:
        await contestant_of(bot).perform(SHORT, samples)
    (short, first), (long, second) = samples.heard
    assert (short, long) == ("three", "many")
    for heard in (first, second):
        assert heard.first_audible_ms is not None
        assert heard.first_audible_ms > 300
    assert first.speech_ms == pytest.approx(300, abs=100)
    (cancelled_ms,) = samples.cancelled_ms
    # The text would have lasted for four seconds.
    assert cancelled_ms < 2_000
    assert [round(one.synthesis_s, 3) for one in samples.spoken] == [0.3, 0.3]
    (watched,) = samples.watched
    assert watched.seconds >= SHORT.slots_s
    assert watched.speech_s == pytest.approx(first.speech_ms / 1000)
    assert watched.cpu_s > 0
    assert len(samples.connected_ms) == len(samples.memory_mb) == len(samples.session_mb) == 1


async def test_lost_packets_are_lost_at_the_listener() -> None:
    samples = Samples()
    async with fake_bot("--calls") as bot:
        await contestant_of(bot).perform_lossy(SHORT, samples, seed=1)
    (lossy,) = samples.lossy
    (heard,) = lossy.heard
    assert lossy.lost > 0
    assert lossy.restored + lossy.concealed > 0
    assert heard.first_audible_ms is not None


async def test_who_gives_samples_is_measured_without_a_call() -> None:
    samples = Samples()
    async with fake_bot("--delay-s", "0.1") as bot:
        reader = contestant_of(bot)
        await reader.perform(SHORT, samples)
        await reader.perform_lossy(SHORT, samples, seed=1)
    assert [name for name, _ in samples.heard] == ["three", "many"]
    for _, heard in samples.heard:
        assert heard.first_audible_ms is not None
        assert heard.first_audible_ms > 100
    assert samples.heard[1][1].speech_ms == pytest.approx(4_000, abs=20)
    assert [one.seconds for one in samples.watched] == [SHORT.slots_s]
    assert not samples.cancelled_ms
    assert not samples.lossy
    assert not samples.connected_ms


async def test_who_says_nothing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contestant, "ANSWER_TIMEOUT_S", 0.3)
    async with fake_bot("--calls", "--deaf") as bot:
        with pytest.raises(PeerUnavailable, match="nothing was heard"):
            await contestant_of(bot).perform(SHORT, Samples())


async def test_an_offer_that_is_refused_is_a_failure() -> None:
    async with fake_bot("--calls") as bot:
        assert bot.ready.offer_url is not None
        elsewhere = bot.ready.offer_url + "/none"
        object.__setattr__(bot.ready, "offer_url", elsewhere)
        with pytest.raises(PeerUnavailable, match="offer"):
            async with calls.bot_call(bot):
                pass


async def test_an_interrupted_call_leaves_nothing_behind() -> None:
    async with fake_bot("--calls") as bot:
        task = asyncio.create_task(contestant_of(bot).perform(SHORT, Samples()))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

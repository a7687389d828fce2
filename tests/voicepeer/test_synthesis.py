"""Whole texts outside of calls: the same pieces as in calls, no faster than they are taken."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import EngineError, Pcm
from engines.fakes import CHAR_MS, Script
from tests.peers.engine import LocalEngine
from voicepeer.core.errors import TextRejected
from voicepeer.core.speaking.delivery import Delivery
from voicepeer.core.speaking.job import Job
from voicepeer.core.speaking.order import Order
from voicepeer.synthesis import prepared, synthesized

pytestmark = pytest.mark.unit

TEXT = "Hello there. This is the second sentence."


async def said(text: str, order: Order | None = None, engine: LocalEngine | None = None) -> Pcm:
    engine = engine or LocalEngine()
    voice = (await engine.stock_voices())["mid"]
    order = order or Order()
    jobs = prepared(text, order, engine.info, 100_000)
    pieces = [pcm async for pcm in synthesized(jobs, voice, engine, order)]
    return np.concatenate([np.zeros(0, np.float32), *pieces])


def seconds(pcm: Pcm) -> float:
    return pcm.size / LocalEngine().info.sample_rate_hz


async def test_all_of_a_text_is_said() -> None:
    engine = LocalEngine()
    heard = await said(TEXT, engine=engine)
    assert " ".join(one.text.strip() for one in engine.segments) == TEXT
    assert seconds(heard) == pytest.approx((len(TEXT) - 1) * CHAR_MS / 1000, abs=0.1)
    assert all(stream.cancelled for stream in engine.streams)


async def test_delivery_is_followed() -> None:
    plain = await said(TEXT)
    fast = await said(TEXT, Order(delivery=Delivery(speed=2.0, volume=0.5)))
    assert seconds(fast) == pytest.approx(seconds(plain) / 2, abs=0.05)
    assert np.abs(fast).max() == pytest.approx(np.abs(plain).max() / 2, rel=0.01)


async def test_markup_may_ask_for_silence() -> None:
    with_pause = await said('<speak>One.<break time="700ms"/>Two.</speak>', Order(ssml=True))
    assert seconds(with_pause) - seconds(await said("One. Two.")) == pytest.approx(0.7, abs=0.15)


async def test_nothing_to_say_is_nothing() -> None:
    assert (await said("  ...  ")).size == 0


async def test_what_the_engine_cannot_do_is_refused_before_it_is_asked() -> None:
    engine = LocalEngine()
    with pytest.raises(TextRejected, match="speed"):
        await said(TEXT, Order(delivery=Delivery(speed=9.0)), engine)
    assert engine.streams == []
    with pytest.raises(TextRejected):
        await said("x" * 60_000, engine=engine)


async def test_a_failing_engine_is_told_of_and_its_stream_ended() -> None:
    engine = LocalEngine(Script(fault="refuse", fault_after=1))
    with pytest.raises(EngineError):
        await said(TEXT, engine=engine)
    assert engine.streams[0].cancelled


async def test_closing_ends_the_engines_work() -> None:
    engine = LocalEngine()
    voice = (await engine.stock_voices())["mid"]
    jobs = prepared(TEXT * 20, Order(), engine.info, 100_000)
    pieces = synthesized(jobs, voice, engine, Order())
    await anext(pieces)
    assert not engine.streams[0].cancelled
    await pieces.aclose()
    assert engine.streams[0].cancelled
    assert len(engine.streams) == 1


@pytest.mark.parametrize(
    "text", ["9" * 4_000, "987654321 " * 400, "12/12/1999 " * 360, "$999,999.99 " * 330]
)
def test_what_is_said_is_counted_and_not_only_what_is_written(text: str) -> None:
    """Whatever it is made of: a page of digits is twenty minutes of speech."""
    info = LocalEngine().info
    assert len(text) <= 4_096
    with pytest.raises(TextRejected, match="more than 12288 characters"):
        prepared(text, Order(), info, 12_288, 10_000.0)
    assert said_chars(prepared(text, Order(), info, 100_000, 10_000.0)) > 2 * len(text)


def test_prose_with_numbers_in_it_is_not_too_long() -> None:
    line = "On 3 May 2024 about 1,250 people paid $12.50 each, which is 30 % more than in 2019. "
    jobs = prepared(line * 36, Order(), LocalEngine().info, 12_288)
    assert len(line * 36) < said_chars(jobs) <= 12_288


def test_how_long_it_lasts_is_bounded_as_well() -> None:
    info = LocalEngine().info
    with pytest.raises(TextRejected, match="400 s") as refused:
        prepared("1 " * 2_000, Order(), info, 12_288)
    assert refused.value.code == "text_too_long"
    assert prepared("1 " * 2_000, Order(), info, 12_288, 500.0)


def said_chars(jobs: list[Job]) -> int:
    return sum(len(job.spoken.text) for job in jobs)

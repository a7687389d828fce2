"""An engine is measured as a session uses it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from engines.api import Segment
from engines.host import EngineHost, HostSpec
from engines.progress import no_progress
from loadtests.model.engine_meter import jobs_of, measure_engine, say
from loadtests.model.parts import MeasuringFailed
from voicepeer.core.pcm import WIRE_RATE_HZ
from voicepeer.core.speaking.segment import FIRST_MAX_WORDS, SHORT_FIRST_WORDS

pytestmark = pytest.mark.peer

SLOW = {"fake.first_chunk_delay_ms": "30", "fake.chunk_delay_ms": "4"}
LONG = "This one has so many words that it takes two pieces, and then it is over."


@pytest.fixture
async def host() -> AsyncIterator[EngineHost]:
    """A scripted engine in its own process, whose work takes a known time."""
    async with EngineHost(HostSpec("fake", "fake", "fake", SLOW)) as host:
        yield host


async def test_texts_are_cut_as_a_session_cuts_them(host: EngineHost) -> None:
    whole, early = (jobs_of(host, LONG, early=early) for early in (False, True))
    assert len(whole[0].piece.text.split()) <= FIRST_MAX_WORDS
    assert len(early[0].piece.text.split()) <= SHORT_FIRST_WORDS
    for jobs in (whole, early):
        assert " ".join(job.piece.text for job in jobs) == LONG
        assert [job.first for job in jobs] == [True, *[False] * (len(jobs) - 1)]
        assert jobs[-1].last


async def test_work_is_told_chunk_by_chunk(host: EngineHost) -> None:
    voice = (await host.stock_voices())["low"]
    said, pcm = await say(host, Segment("Hello there."), voice)
    assert said.front_ms == pytest.approx(30.0, abs=0.1)
    assert said.made_ms[0] >= 34.0
    assert all(made_ms >= 4.0 for made_ms in said.made_ms)
    # A busy machine makes it longer, never shorter.
    assert said.work_ms >= 30.0 + 4.0 * len(said.made_ms)
    assert said.audio_ms == pytest.approx(pcm.size * 1000.0 / host.info.sample_rate_hz, abs=0.1)


async def test_an_engine_that_says_nothing_cannot_be_measured(host: EngineHost) -> None:
    voice = (await host.stock_voices())["low"]
    with pytest.raises(MeasuringFailed, match="said nothing"):
        await say(host, Segment(""), voice)


async def test_an_engine_without_a_voice_cannot_be_measured(host: EngineHost) -> None:
    host._stock = {}
    with pytest.raises(MeasuringFailed, match="no voice of its own"):
        await measure_engine(host, [LONG], 1, no_progress)


async def test_every_text_is_said_in_both_ways_and_as_often_as_asked(host: EngineHost) -> None:
    parts, speech = await measure_engine(host, ["Hello there.", LONG], 1, no_progress)
    assert [text.words for text in parts.texts] == [2, 16]
    assert [len(piece) for text in parts.texts for piece in text.pieces] == [1, 1, 1]
    long = parts.texts[1]
    firsts = [pieces[0][0].audio_ms for pieces in (long.early_pieces, long.pieces)]
    assert firsts[0] < firsts[1]
    assert sum(said[0].audio_ms for said in long.pieces) == pytest.approx(
        sum(said[0].audio_ms for said in long.early_pieces), rel=0.15
    )
    assert len(parts.sentence) == 2
    # It waits rather than works.
    assert 0.0 <= parts.cores < 1.0
    assert parts.rate_hz == host.info.sample_rate_hz
    assert speech.size > WIRE_RATE_HZ

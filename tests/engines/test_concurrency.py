"""Several streams at once and a killed engine, with a scripted engine in real processes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import numpy as np
import pytest

from engines import concurrency
from engines.api import Segment
from engines.concurrency import Task, spec_for
from engines.fakes import FakeSpeechEngine, Script
from engines.host import EngineHost

pytestmark = pytest.mark.peer

TEXT = "a sentence that goes on for a little while, and then for some time more"


def task(script: Script | None = None) -> Task:
    engine = FakeSpeechEngine()
    spec = spec_for("fake", engine.info.encoder, (script or Script()).to_options())
    return Task(spec, Segment(TEXT), engine.stock_voices()["mid"])


@pytest.fixture
async def slow() -> AsyncIterator[tuple[EngineHost, Task]]:
    """An engine that takes longer over a chunk than that lasts."""
    wanted = task(Script(chunk_delay_ms=130.0))
    async with EngineHost(wanted.spec) as host:
        yield host, wanted


def test_rows_have_the_agreed_form() -> None:
    told: list[float] = []
    rows, restart_ms = concurrency.measure(task(), (1, 3), lambda _what, share: told.append(share))
    assert json.loads(json.dumps(rows)) == rows
    assert [row["n"] for row in rows] == [1, 3]
    assert {"p50", "p95"} == set(rows[0]["first_audible_ms"])
    assert 0.0 < rows[0]["first_audible_ms"]["p50"] <= rows[0]["first_audible_ms"]["p95"]
    assert 0.0 < restart_ms < 60_000.0
    assert told == sorted(told)


async def test_an_engine_that_is_too_slow_has_gaps(slow: tuple[EngineHost, Task]) -> None:
    host, wanted = slow
    met = await concurrency.listen(
        host.speak(Segment("a few words"), wanted.voice), host.info.sample_rate_hz
    )
    assert met.gaps_ms
    assert min(met.gaps_ms) > 0.0
    # A gap stops the listener's clock: the next is counted from there, not from the beginning.
    assert max(met.gaps_ms) < 2_000.0


async def test_a_sound_in_a_later_chunk_is_the_first() -> None:
    wanted = task(Script(first_chunk_delay_ms=150.0))
    async with EngineHost(wanted.spec) as host:
        met = await concurrency.listen(
            host.speak(wanted.segment, wanted.voice), host.info.sample_rate_hz
        )
    assert met.first_ms >= 150.0


async def test_a_restart_is_measured_from_the_kill() -> None:
    wanted = task(Script(load_delay_ms=300.0))
    async with EngineHost(wanted.spec) as host:
        assert await concurrency.restart_ms(host, wanted) >= 300.0
        assert host.restarts == 1
        # The host is in order afterwards.
        rate_hz = host.info.sample_rate_hz
        met = await asyncio.wait_for(
            concurrency.listen(host.speak(wanted.segment, wanted.voice), rate_hz), 20.0
        )
    assert np.isfinite(met.first_ms)

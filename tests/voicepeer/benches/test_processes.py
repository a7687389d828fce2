"""The benches that need processes of their own: that they measure, not how fast it is here."""

from __future__ import annotations

import pytest

from engines.host import EngineHost, HostSpec
from voicepeer.benches import cost, departures, interruptions

pytestmark = pytest.mark.peer


async def test_every_packet_of_every_stream_is_seen_leaving_beside_a_busy_engine() -> None:
    async with EngineHost(HostSpec("fake", "fake", "fake")) as host:
        figures = await departures.measure(streams=2, seconds=1.0, host=host)
    assert 20 <= figures["packets"] <= 130
    assert 5.0 <= figures["inter_departure_ms"]["p50"] <= 50.0
    assert figures["inter_departure_ms"]["p99"] <= figures["inter_departure_ms"]["max"]
    assert figures["engine_cpu_cores"] > 0


async def test_both_sides_send_and_their_cost_is_a_time() -> None:
    figures = await cost.measure(streams=2, seconds=1.0, rounds=1)
    assert 0.5 < figures["ours_ms"] < 500
    assert 0.5 < figures["stock_ms"] < 500
    assert figures["ratio"] == pytest.approx(figures["ours_ms"] / figures["stock_ms"], abs=0.01)


async def test_interruptions_through_an_engine_in_a_process_send_no_wrong_sample() -> None:
    async with EngineHost(HostSpec("fake", "fake", "fake")) as host:
        figures = await interruptions.measure(host, rounds=4)
    assert figures["wrong_samples"] == 0
    assert figures["interrupted_while_heard"] >= 1

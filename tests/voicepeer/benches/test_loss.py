"""The bad network of issue 4, on a scripted clock: the same figures on a busy machine."""

from __future__ import annotations

from typing import Any

import pytest

from tests.peers.clock import ScriptedClock, scripted
from voicepeer.benches import loss
from voicepeer.benches.network import Impairment

pytestmark = pytest.mark.peer


@scripted
async def test_a_bad_network_costs_only_what_it_loses(clock: ScriptedClock) -> None:
    figures = await loss.measure(20.0)
    for name in ("speech", "mic"):
        way: dict[str, Any] = figures[name]
        assert way["missing_beyond_lost"] == 0, name
        assert way["lost_on_the_way"] > 30, "the network was bad"
        assert way["recovered_by_fec"] > 0.7 * way["lost_on_the_way"]
        assert way["delay_ms"]["p50"] <= 55.0
        assert way["back_after_burst_ms"] is not None
        assert way["back_after_burst_ms"] <= 2000.0
    assert figures["speech"]["longest_gap_ms"] <= 60.0


@scripted
async def test_a_perfect_network_costs_nothing(clock: ScriptedClock) -> None:
    figures = await loss.measure(3.0, Impairment())
    for way in figures.values():
        assert (way["lost_on_the_way"], way["missing_beyond_lost"], way["late"]) == (0, 0, 0)
    assert figures["speech"]["delay_ms"]["p99"] <= 51.0
    assert figures["mic"]["delay_ms"]["p50"] <= 1.0

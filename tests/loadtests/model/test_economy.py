"""A simulated service does with less when a real one would, and with as much less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.fakes import FakeSpeechEngine, Script
from loadtests.model.replica import Plant, _Economy
from tests.loadtests.model.made import parts
from voicepeer.core.degradation.ladder import RUNGS
from voicepeer.core.degradation.severity import Limits
from voicepeer.core.degradation.vitals import MIN_UTTERANCES, Vitals
from voicepeer.degrader import DegradationSettings, Degrader
from voicepeer.economy import Economy
from voicepeer.media import FEWER
from voicepeer.metrics import BuildInfo, Metrics

pytestmark = pytest.mark.unit

seconds = st.tuples(
    st.lists(st.sampled_from([100.0, 240.0, 400.0, 800.0, 2_000.0]), max_size=4),
    st.integers(0, 30),
)
"""What was heard in one, in ms, and how many wait."""


def service() -> tuple[Degrader, Economy, Vitals, list[int]]:
    """What decides in a service, of which the last is how many wait."""
    economy, vitals, waiting = Economy(), Vitals(), [0]
    metrics = Metrics(BuildInfo("1"), notes=vitals)
    degrader = Degrader(
        DegradationSettings(), economy, vitals, metrics, lambda: waiting[0], lambda: None
    )
    info = FakeSpeechEngine(Script()).info
    degrader.begin(replace(info, first_chunk_ms=parts().engine.first_chunk_ms))
    return degrader, economy, vitals, waiting


@settings(max_examples=40, deadline=None)
@given(course=st.lists(st.tuples(seconds, st.integers(1, 20)), min_size=1, max_size=8))
def test_the_steps_are_those_of_a_service(
    course: Sequence[tuple[tuple[Sequence[float], int], int]],
) -> None:
    degrader, economy, vitals, waiting = service()
    simulated = _Economy(Plant.of(parts()))
    now = 0.0
    for (heard_ms, count), lasts in course:
        for _ in range(lasts):
            now += 1.0
            waiting[0] = count
            for notes in (vitals, simulated.vitals):
                for latency_ms in heard_ms:
                    notes.first_audible(latency_ms, now)
            degrader.look(now)
            simulated.look(now, count)
            assert simulated.ladder.steps == economy.steps


def heard(latency_ms: float, seconds: int = 60) -> _Economy:
    """After everybody waited so long for a while."""
    economy = _Economy(Plant.of(parts()))
    for second in range(seconds):
        for _ in range(MIN_UTTERANCES):
            economy.vitals.first_audible(latency_ms, float(second))
        economy.look(float(second), 0)
    return economy


def test_who_is_heard_in_time_has_all() -> None:
    economy = heard(100.0)
    assert not economy.early
    assert economy.most(first=True) == economy.plant.max_streams


@pytest.mark.parametrize("rung", range(len(RUNGS)))
def test_the_worse_it_is_the_more_steps_are_taken(rung: int) -> None:
    plant = Plant.of(parts())
    limit_ms = Limits().latency_ms(plant.baseline_ms)
    under, over = (heard(share * RUNGS[rung].enter * limit_ms) for share in (0.99, 1.01))
    assert len(under.ladder.steps) == rung
    assert len(over.ladder.steps) == rung + 1
    assert over.early


def test_fewer_utterances_are_begun_but_those_that_are_begun_go_on() -> None:
    economy = heard(1e5)
    assert "fewer_utterances" in economy.ladder.steps
    most = economy.plant.max_streams
    assert economy.most(first=True) == most // FEWER
    assert economy.most(first=False) == most


def test_one_may_always_speak() -> None:
    economy = _Economy(Plant(cores=1.0, max_streams=2))
    economy.ladder = heard(1e5).ladder
    assert economy.most(first=True) == 1

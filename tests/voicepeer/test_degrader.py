"""The degradation with its surroundings: figures in, steps, counters and log lines out."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field

import pytest

from engines.fakes import FakeSpeechEngine, Script
from voicepeer.core.degradation.ladder import STEPS, Pace
from voicepeer.core.degradation.severity import Limits
from voicepeer.core.degradation.vitals import Vitals
from voicepeer.degrader import SENDING_MS, DegradationSettings, Degrader
from voicepeer.economy import Economy
from voicepeer.metrics import BuildInfo, Metrics

pytestmark = pytest.mark.unit

SETTINGS = DegradationSettings(pace=Pace(up_s=2.0, down_s=4.0), min_utterances=4)


@dataclass
class Service:
    """A degrader and what it looks at, with a clock that is moved by hand."""

    settings: DegradationSettings = SETTINGS
    waiting: int = 0
    free: float | None = 0.5
    gpu: float | None = None
    now: float = 0.0
    economy: Economy = field(default_factory=Economy)

    def __post_init__(self) -> None:
        self.vitals = Vitals(self.settings.window_s, self.settings.min_utterances)
        self.metrics = Metrics(BuildInfo("1"), notes=self.vitals)
        self.degrader = Degrader(
            self.settings,
            self.economy,
            self.vitals,
            self.metrics,
            lambda: self.waiting,
            lambda: self.free,
            lambda: self.gpu,
        )

    def hear(self, latency_ms: float, count: int = 4) -> None:
        for _ in range(count):
            self.vitals.first_audible(latency_ms, self.now)

    def go_on_hearing(self, latency_ms: float, seconds: int) -> None:
        """As much more of it every second."""
        for _ in range(seconds):
            self.hear(latency_ms)
            self.look(1)

    def fail(self, count: int = 4) -> None:
        for _ in range(count):
            self.vitals.ended(self.now, failed=True)

    def look(self, seconds: int) -> None:
        for _ in range(seconds):
            self.now += 1.0
            self.degrader.look(self.now)

    def moves(self, direction: str) -> float:
        value = self.metrics.registry.get_sample_value(
            "voicepeer_degradation_changes_total", {"direction": direction}
        )
        assert value is not None
        return value


def test_slow_speech_takes_steps_and_quick_speech_gives_them_up() -> None:
    service = Service()
    service.go_on_hearing(1_000.0, 14)
    assert service.economy.steps == STEPS
    assert service.moves("down") == 4
    service.look(60)
    assert service.economy.steps == ()
    assert service.moves("up") == 4


def test_a_little_too_slow_takes_the_mildest_step_alone() -> None:
    service = Service()
    service.go_on_hearing(210.0, 25)
    assert service.economy.steps == STEPS[:1]


def test_one_burst_takes_one_step_however_bad_it_was() -> None:
    service = Service()
    service.hear(1_000.0)
    service.fail()
    service.look(30)
    assert service.moves("down") == 1
    assert service.economy.steps == ()


def test_a_step_more_needs_enough_utterances_since_the_one_before() -> None:
    service = Service()
    service.hear(1_000.0)
    service.look(3)
    service.hear(1_000.0, 3)
    service.look(3)
    assert service.economy.steps == STEPS[:1]
    service.hear(1_000.0, 1)
    service.look(3)
    assert service.economy.steps == STEPS[:2]


def test_errors_alone_never_send_new_sessions_away() -> None:
    service = Service()
    for _ in range(40):
        service.fail()
        service.look(1)
    assert service.economy.steps == STEPS[:3]
    assert "no_new_sessions" not in service.economy


def test_an_engine_that_is_always_slow_is_not_overloaded() -> None:
    service = Service()
    service.degrader.begin(FakeSpeechEngine(Script(first_chunk_delay_ms=800.0)).info)
    service.hear(1_000.0)
    service.look(25)
    assert service.economy.steps == ()
    assert service.degrader.condition.baseline_ms == 800.0 + SENDING_MS
    service.go_on_hearing(1_400.0, 10)
    assert service.economy.steps == STEPS[:1]


def test_an_engine_that_does_not_know_its_speed_has_no_baseline() -> None:
    service = Service()
    service.degrader.begin(FakeSpeechEngine.info)
    service.look(1)
    assert service.degrader.condition.baseline_ms == 0.0


@pytest.mark.parametrize(("waiting", "free", "steps"), [(5, 0.5, 2), (0, 0.07, 1), (0, 0.001, 4)])
def test_queues_and_memory_count_as_well(waiting: int, free: float, steps: int) -> None:
    service = Service(waiting=waiting, free=free)
    service.look(20)
    assert service.economy.steps == STEPS[:steps]


def test_a_full_gpu_asks_for_less_but_sends_nobody_away() -> None:
    service = Service()
    service.gpu = 0.0
    service.look(60)
    assert service.economy.steps == STEPS[:3]
    service.gpu = 0.5
    service.look(60)
    assert service.economy.steps == ()


def test_memory_that_nobody_tells_of_is_no_cause() -> None:
    service = Service(free=None)
    service.look(20)
    assert service.economy.steps == ()


def test_slow_embeddings_lead_to_the_lighter_path_and_to_nothing_else() -> None:
    service = Service()
    for _ in range(4):
        service.vitals.embedded(150.0, service.now)
    service.look(10)
    assert service.economy.steps == ("light_listening",)
    assert service.moves("down") == 0
    service.look(60)
    assert not service.economy.steps


def test_switched_off_it_only_looks() -> None:
    service = Service(DegradationSettings(enabled=False, pace=SETTINGS.pace, min_utterances=4))
    service.hear(1_000.0)
    service.look(20)
    assert service.economy.steps == ()
    assert service.degrader.condition.severities["first_audible"] == 5.0


def test_whoever_runs_the_service_is_told_why(caplog: pytest.LogCaptureFixture) -> None:
    service = Service()
    service.hear(300.0)
    with caplog.at_level(logging.WARNING):
        service.go_on_hearing(300.0, 6)
        service.look(60)
    first, *_, last = (record.getMessage() for record in caplog.records)
    assert first == "too much to do (first_audible at 1.5 of its limit): now with short_first_piece"
    assert last == "what is done with less has changed: now nothing"
    assert [record.levelno for record in caplog.records].count(logging.WARNING) == 4


async def test_it_looks_by_itself() -> None:
    quick = DegradationSettings(
        limits=Limits(waiting=1), pace=Pace(up_s=0.05, down_s=60.0), every_s=0.01
    )
    service = Service(quick, waiting=100)
    changed = asyncio.Event()
    service.economy.listen(changed.set)
    running = asyncio.create_task(service.degrader.run())
    try:
        async with asyncio.timeout(20.0):
            await changed.wait()
    finally:
        running.cancel()
    assert service.economy.steps == STEPS[:1]
    late = service.metrics.registry.get_sample_value("voicepeer_event_loop_late_seconds_count")
    assert late is not None
    assert late >= 3


def test_an_economy_tells_of_changes_and_of_nothing_else() -> None:
    economy, told = Economy(), []
    stop = economy.listen(lambda: told.append(economy.steps))
    assert economy.change(["fewer_utterances", "short_first_piece"])
    assert not economy.change(["short_first_piece", "fewer_utterances"])
    assert "fewer_utterances" in economy
    assert "no_new_sessions" not in economy
    stop()
    assert economy.change([])
    assert told == [("short_first_piece", "fewer_utterances")]

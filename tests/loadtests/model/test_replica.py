"""The simulator against closed forms, and against what a service does."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

import pytest

from loadtests import user
from loadtests.model import crowd
from loadtests.model.crowd import Passers, Recited, Talkers
from loadtests.model.outcome import Outcome
from loadtests.model.parts import Said, Text
from loadtests.model.queueing import mg1_wait_s, mm1_wait_s, mmc_wait_s
from loadtests.model.replica import Plant, Replica
from tests.loadtests.model.made import parts

pytestmark = pytest.mark.unit

IDEAL = Plant(cores=100.0, max_streams=1_000_000, degrades=False)
"""Nothing but the engine takes time, and nobody is refused."""


@dataclass
class Works:
    """Texts of one chunk each, whose work takes what ``draw_s`` gives."""

    draw_s: Callable[[], float]

    def draw(self, early: bool) -> Sequence[Said]:
        """The next of them."""
        return [Said(0.0, (self.draw_s() * 1000.0,), 80.0)]


def mean_wait_s(
    draw_s: Callable[[], float], arrivals_hz: float, engines: int = 1, texts: int = 12_000
) -> float:
    """Mean wait of many texts that come at random."""
    replica = Replica(
        replace(IDEAL, engines=engines), Passers(arrivals_hz, Random(5)), Works(draw_s)
    )
    outcome = replica.run(texts / arrivals_hz, warm_up_s=20.0)
    return statistics.fmean(outcome.waited_s)


@pytest.mark.parametrize("load", [0.3, 0.7])
def test_random_work_waits_as_in_an_m_m_1_queue(load: float) -> None:
    chance = Random(7)
    waited_s = mean_wait_s(lambda: chance.expovariate(10.0), load * 10.0)
    assert waited_s == pytest.approx(mm1_wait_s(load * 10.0, 0.1), rel=0.15)


@pytest.mark.parametrize("engines", [2, 4])
def test_several_engines_wait_as_in_an_m_m_c_queue(engines: int) -> None:
    chance = Random(8)
    arrivals_hz = 0.7 * 10.0 * engines
    waited_s = mean_wait_s(lambda: chance.expovariate(10.0), arrivals_hz, engines)
    assert waited_s == pytest.approx(mmc_wait_s(engines, arrivals_hz, 0.1), rel=0.15)


def test_equal_work_waits_as_in_an_m_d_1_queue() -> None:
    waited_s = mean_wait_s(lambda: 0.1, 7.0)
    assert waited_s == pytest.approx(mg1_wait_s(7.0, 0.1, 0.0), rel=0.1)


def test_uneven_work_waits_as_pollaczek_and_khinchine_say() -> None:
    chance = Random(9)
    short_s, long_s = 0.02, 0.4

    def draw_s() -> float:
        return long_s if chance.random() < 0.2 else short_s

    mean_s = 0.8 * short_s + 0.2 * long_s
    deviation_s = math.sqrt(0.8 * short_s**2 + 0.2 * long_s**2 - mean_s**2)
    waited_s = mean_wait_s(draw_s, 7.0, texts=30_000)
    assert waited_s == pytest.approx(mg1_wait_s(7.0, mean_s, deviation_s), rel=0.15)


def talking(users: int, talk: float, plant: Plant | None = None, seed: int = 1) -> Outcome:
    """Users who say what was made up for two minutes."""
    made = parts()
    script = Recited(made.engine.texts, Random(seed))
    people = Talkers(users, talk, script.audio_s, Random(seed))
    return Replica(plant or Plant.of(made), people, script, seed).run(120.0, 10.0)


def test_one_user_alone_is_heard_after_the_first_chunk_and_its_frame() -> None:
    outcome = talking(1, 0.5)
    firsts = [said.made_ms[0] for one in parts().engine.texts for said in one.pieces[0]]
    assert min(firsts) / 1000.0 <= min(outcome.heard_after_s)
    assert max(outcome.heard_after_s) <= max(firsts) / 1000.0 + 0.02
    assert outcome.waited_s == [0.0] * len(outcome.waited_s)
    assert (outcome.underruns, outcome.refused) == (0, 0)


def test_users_are_spoken_to_for_the_share_that_was_asked_for() -> None:
    made = parts()
    script = Recited(made.engine.texts, Random(1))
    people = Talkers(4, 0.25, script.audio_s, Random(1))
    outcome = Replica(Plant.of(made), people, script).run(3_000.0)
    assert outcome.spoken_s / (4 * 3_000.0) == pytest.approx(0.25, rel=0.1)


def test_the_engine_is_as_busy_as_what_is_said_takes() -> None:
    outcome = talking(4, 0.5)
    factor = parts().engine.real_time_factor
    assert outcome.engine_busy == pytest.approx(factor * outcome.spoken_s / 120.0, rel=0.15)


def test_sessions_take_cores_whether_or_not_anybody_speaks() -> None:
    outcome = talking(4, 0.5)
    # 20 ms for the service, 10 ms a session, 6 ms a second of speech.
    spoken_cores = 0.006 * outcome.spoken_s / 120.0
    assert outcome.media_cores == pytest.approx(0.020 + 4 * 0.010 + spoken_cores)


def test_more_users_wait_longer() -> None:
    waits_ms = [talking(users, 0.5).first_audible_ms(95) for users in (1, 4, 8)]
    assert waits_ms == sorted(waits_ms, key=lambda ms: ms or 0.0)
    assert waits_ms[2] is not None
    assert waits_ms[0] is not None
    assert waits_ms[2] > 1.3 * waits_ms[0]


def test_far_too_many_users_run_dry_and_a_service_does_with_less() -> None:
    roomy = replace(Plant.of(parts()), max_streams=100)
    stubborn = talking(30, 1.0, replace(roomy, degrades=False))
    yielding = talking(30, 1.0, roomy)
    assert stubborn.engine_busy > 0.95
    assert (stubborn.refused, stubborn.steps) == (0, ())
    assert "short_first_piece" in yielding.steps
    assert yielding.refused > 0
    assert yielding.underruns < stubborn.underruns
    assert stubborn.underruns > 50


def test_more_streams_than_there_may_be_are_refused() -> None:
    plant = replace(Plant.of(parts()), max_streams=3, degrades=False)
    outcome = talking(20, 1.0, plant)
    assert outcome.refused > 0
    assert outcome.texts >= len(outcome.heard_after_s) + outcome.refused


def test_programs_beside_it_make_the_engine_slower() -> None:
    made = parts()
    alone = talking(6, 0.5, Plant.of(made))
    beside = talking(6, 0.5, Plant.of(made, other_cores=1.2))
    assert beside.engine_busy > 1.5 * alone.engine_busy
    # It takes as much of the processor, for longer.
    assert beside.engine_cores == pytest.approx(alone.engine_cores, rel=0.15)


def test_nothing_is_made_more_than_a_few_seconds_ahead() -> None:
    long = Said(50.0, (50.0,) + (1.0,) * 249, 80.0)
    script = Recited([Text(60, ((long,), (long,)), ((long,), (long,)))], Random(1))
    people = Talkers(1, 1.0, 40.0, Random(1))
    outcome = Replica(Plant.of(parts()), people, script).run(120.0)
    # 20 s a piece: 0.3 s of work; only what is made at the pace of playing takes it so long.
    assert outcome.spoken_s >= 80.0
    assert outcome.texts <= 4
    assert outcome.underruns == 0


def test_the_same_seed_is_the_same_and_another_is_not() -> None:
    assert talking(5, 0.5, seed=4) == talking(5, 0.5, seed=4)
    assert talking(5, 0.5, seed=4).heard_after_s != talking(5, 0.5, seed=5).heard_after_s


def test_what_was_before_does_not_count() -> None:
    made = parts()
    script = Recited(made.engine.texts, Random(1))
    people = Talkers(2, 1.0, script.audio_s, Random(1))
    short = Replica(Plant.of(made), people, script).run(20.0, warm_up_s=100.0)
    assert 0 < short.texts < 20
    assert short.engine_busy < 1.0


def test_users_are_those_of_the_load_test() -> None:
    assert crowd.SILENT_S == user.SILENT_S

"""Holds what the simulation says against what was measured of a running service."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from loadtests.model.crowd import Choir, Recited, Talkers
from loadtests.model.measured import Point, Spread, Streams
from loadtests.model.outcome import Outcome, percentile_ms
from loadtests.model.parts import Parts, Text
from loadtests.model.replica import Plant, Replica
from voicepeer.core.errors import ConfigInvalid

WARM_UP_S = 30.0
SIMULATED_S = 600.0
"""Speech is random, so more is simulated than was measured."""

TOLERANCE = 0.35
"""A prediction counts as right when it is off by no more than this share."""

CHOIRS = 30
"""How often streams begin at once."""

BENCH_ROUNDS = 3
"""And how often they do in the bench."""

DRAWS = 400

SLACK_MS = 30.0
"""Or by no more than this: less than two frames is nothing that a model of means can know."""


@dataclass(frozen=True, slots=True)
class StreamsComparison:
    """Streams at once: measured, predicted, and how far apart; the engine by itself."""

    n: int
    measured_ms: Spread
    predicted_ms: Spread
    p50_error: float | None
    p95_error: float | None
    underruns_per_stream: tuple[float, float]
    right: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """One point of the curve: measured, predicted, and how far apart."""

    users: int
    talk: float
    measured_ms: Spread
    predicted_ms: Spread
    p50_error: float | None
    """Predicted by measured, less one."""
    p95_error: float | None
    p95_by_chance_ms: tuple[float, float] | None
    """Where the p95 of as few texts as were measured lies in 95 of 100 cases, if each is one of the
    predicted, whatever the others were."""
    underruns_per_minute: tuple[float, float]
    """A minute of the run, of all users: measured and predicted."""
    cpu_cores: tuple[float | None, float]
    right: bool
    """Whether both percentiles are within ``TOLERANCE`` or ``SLACK_MS``, the p95 also where chance
    explains it."""


def simulate(
    parts: Parts, users: int, talk: float, plant: Plant, seconds: float, seed: int
) -> Outcome:
    """So many users of one replica, who say what was measured."""
    script = Recited(parts.engine.texts, Random(seed))
    crowd = Talkers(users, talk, script.audio_s, Random(seed + 1))
    return Replica(plant, crowd, script, seed + 2).run(seconds, WARM_UP_S)


def rest_ms(parts: Parts, measured_ms: float | None = None, seed: int = 1) -> float:
    """What is not simulated of a latency, from that of one caller alone.

    Args:
        measured_ms: median of the same run; else the one among ``parts`` is taken.

    Raises:
        ConfigInvalid: nothing was measured of one caller alone.
    """
    if measured_ms is None:
        measured_ms = percentile_ms([one / 1000.0 for one in parts.single_first_audible_ms], 50)
    alone = simulate(parts, 1, 0.25, Plant.of(parts), SIMULATED_S, seed)
    simulated_ms = alone.first_audible_ms(50)
    if measured_ms is None or simulated_ms is None:
        raise ConfigInvalid("nothing was measured of one caller alone: measure the parts again")
    return measured_ms - simulated_ms


def compare(parts: Parts, point: Point, seed: int = 1) -> Comparison:
    """Simulate what was measured, with what the testers took of the same machine."""
    plant = Plant.of(parts, other_cores=point.tester_cores)
    outcome = simulate(parts, point.users, point.talk, plant, SIMULATED_S, seed)
    rest = rest_ms(parts, point.single_first_audible_ms.p50, seed)
    measured = point.first_audible_ms
    texts = len(outcome.heard_after_s)
    predicted = Spread(
        outcome.first_audible_ms(50, rest), outcome.first_audible_ms(95, rest), texts
    )
    by_chance = _by_chance_ms(outcome, measured.n, rest, seed)
    return Comparison(
        point.users,
        point.talk,
        measured,
        predicted,
        _error(predicted.p50, measured.p50),
        _error(predicted.p95, measured.p95),
        by_chance,
        (
            round(point.underruns * 60.0 / point.seconds, 2),
            round(outcome.underruns * 60.0 / outcome.seconds, 2),
        ),
        (point.cpu_cores, round(outcome.cores, 2)),
        _near(predicted.p50, measured.p50)
        and (_near(predicted.p95, measured.p95) or _within(by_chance, measured.p95)),
    )


def _by_chance_ms(
    outcome: Outcome, texts: int, rest: float, seed: int
) -> tuple[float, float] | None:
    """Bounds of the p95 of so many texts, by drawing as many of the simulated again and again."""
    if not texts or not outcome.heard_after_s:
        return None
    random = np.random.default_rng(seed)
    drawn = random.choice(outcome.heard_after_s, (DRAWS, texts))
    low, high = np.percentile(np.percentile(drawn, 95, axis=1), [2.5, 97.5])
    return round(float(low) * 1000.0 + rest, 1), round(float(high) * 1000.0 + rest, 1)


def _within(bounds: tuple[float, float] | None, value: float | None) -> bool:
    return bounds is not None and value is not None and bounds[0] <= value <= bounds[1]


def compare_streams(parts: Parts, measured: Sequence[Streams]) -> list[StreamsComparison]:
    """Simulate streams that begin at once, without any service; one alone gives what is left out.

    Raises:
        ConfigInvalid: the parts are of a time when the bench's sentence was not among them, or no
            stream was measured alone.
    """
    alone = next((one.first_audible_ms.p50 for one in measured if one.n == 1), None)
    simulated = _choir(parts, 1).first_audible_ms(50) if parts.engine.sentence else None
    if alone is None or simulated is None:
        raise ConfigInvalid("measure the parts again, and the bench with one stream alone")
    return [_compared_streams(one, _choir(parts, one.n), alone - simulated) for one in measured]


def _choir(parts: Parts, streams: int) -> Outcome:
    sentence = Text(10, (parts.engine.sentence,), (parts.engine.sentence,))
    alone = replace(Plant.of(parts), idle_cores=0.0, session_cores=0.0, speaking_cores=0.0)
    plant = replace(alone, degrades=False)
    # Each time the one before is long over, also where an engine is slower than speech.
    work_s = streams * max(said.work_ms for said in parts.engine.sentence) / 1000.0
    crowd = Choir(streams, 20.0 + sentence.audio_ms / 1000.0 + work_s)
    replica = Replica(plant, crowd, Recited([sentence], Random(1)), 2)
    return replica.run(CHOIRS * crowd.every_s - 1.0)


def _compared_streams(one: Streams, outcome: Outcome, rest: float) -> StreamsComparison:
    measured, texts = one.first_audible_ms, len(outcome.heard_after_s)
    predicted = Spread(
        outcome.first_audible_ms(50, rest), outcome.first_audible_ms(95, rest), texts
    )
    return StreamsComparison(
        one.n,
        measured,
        predicted,
        _error(predicted.p50, measured.p50),
        _error(predicted.p95, measured.p95),
        (round(one.underruns / (BENCH_ROUNDS * one.n), 2), round(outcome.underruns / texts, 2)),
        _near(predicted.p50, measured.p50) and _near(predicted.p95, measured.p95),
    )


def _error(predicted: float | None, measured: float | None) -> float | None:
    if predicted is None or not measured:
        return None
    return round(predicted / measured - 1.0, 3)


def _near(predicted: float | None, measured: float | None) -> bool:
    if predicted is None or measured is None:
        return False
    return abs(predicted - measured) <= max(SLACK_MS, TOLERANCE * measured)

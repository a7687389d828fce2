"""Predictions are held against what was measured, and told as they are."""

from __future__ import annotations

import msgspec
import pytest

from engines import concurrency
from loadtests.model import trial
from loadtests.model.measured import ClientUse, Point, Spread, Streams
from loadtests.model.replica import Plant
from loadtests.model.trial import compare, rest_ms
from tests.loadtests.model.made import parts
from voicepeer.core.errors import ConfigInvalid

pytestmark = pytest.mark.unit

SINGLE = Spread(150.0, 170.0)


def point(p50: float, p95: float, *, users: int = 4, testers: tuple[ClientUse, ...] = ()) -> Point:
    """A run that was measured for five minutes."""
    return Point(users, 0.25, 300.0, Spread(p50, p95), 0, SINGLE, 0.4, testers)


def test_one_user_alone_is_predicted_because_the_rest_is_taken_from_it() -> None:
    compared = compare(parts(), point(150.0, 170.0, users=1))
    assert compared.p50_error == pytest.approx(0.0, abs=0.1)
    assert compared.right


def test_what_is_far_off_is_said_to_be() -> None:
    compared = compare(parts(), point(600.0, 2_000.0))
    assert compared.p95_error is not None
    assert compared.p95_error < -0.5
    assert not compared.right


def test_a_few_milliseconds_are_forgiven_however_large_their_share() -> None:
    assert trial._near(40.0, 15.0)
    assert not trial._near(50.0, 15.0)
    assert not trial._near(None, 15.0)


def test_of_few_texts_chance_explains_more() -> None:
    few, many = (
        compare(parts(), Point(4, 0.5, 60.0, Spread(150.0, 180.0, n), 0, SINGLE)).p95_by_chance_ms
        for n in (5, 500)
    )
    assert few is not None
    assert many is not None
    assert few[1] - few[0] > 2.0 * (many[1] - many[0])
    assert compare(parts(), point(150.0, 170.0)).p95_by_chance_ms is None
    assert trial._within(few, few[1])
    assert not trial._within(few, few[1] + 1.0)
    assert not trial._within(None, 1.0)


def test_a_p95_that_chance_explains_is_right() -> None:
    high = trial.compare(parts(), Point(4, 0.5, 60.0, Spread(150.0, 150.0, 4), 0, SINGLE))
    assert high.p95_by_chance_ms is not None
    worst = high.p95_by_chance_ms[1]
    near_p50 = high.predicted_ms.p50
    measured = Spread(near_p50, worst, 4)
    assert trial.compare(parts(), Point(4, 0.5, 60.0, measured, 0, SINGLE)).right


def test_what_testers_take_of_the_machine_is_part_of_the_prediction() -> None:
    alone = compare(parts(), point(150.0, 170.0, users=10))
    beside = compare(
        parts(), point(150.0, 170.0, users=10, testers=(ClientUse(0.7), ClientUse(0.7)))
    )
    assert beside.predicted_ms.p95 is not None
    assert alone.predicted_ms.p95 is not None
    assert beside.predicted_ms.p95 > alone.predicted_ms.p95


def test_underruns_are_told_by_the_minute() -> None:
    many = Point(4, 0.25, 30.0, Spread(150.0, 170.0), 3, SINGLE, None)
    assert compare(parts(), many).underruns_per_minute[0] == 6.0


def test_the_rest_is_what_one_user_waits_more_than_is_simulated() -> None:
    made = parts()
    simulated = trial.simulate(made, 1, 0.25, Plant.of(made), trial.SIMULATED_S, seed=1)
    alone_ms = simulated.first_audible_ms(50)
    assert alone_ms is not None
    assert rest_ms(made) == pytest.approx(150.0 - alone_ms)
    assert rest_ms(made, 200.0) == pytest.approx(200.0 - alone_ms)


def test_without_a_user_alone_there_is_no_rest() -> None:
    nobody = msgspec.structs.replace(parts(), single_first_audible_ms=())
    with pytest.raises(ConfigInvalid, match="measure the parts again"):
        rest_ms(nobody)


def measured_streams() -> list[Streams]:
    """As they might have been: the engine of the parts gives one stream 90 ms."""
    return [Streams(1, Spread(90.0, 92.0), 0), Streams(4, Spread(3_000.0, 3_000.0), 6)]


def test_streams_at_once_are_predicted_from_one_alone() -> None:
    one, four = trial.compare_streams(parts(), measured_streams())
    assert one.right
    assert one.p50_error == pytest.approx(0.0, abs=0.02)
    assert one.underruns_per_stream == (0.0, 0.0)
    assert not four.right
    assert four.underruns_per_stream[0] == 0.5


def test_a_stream_waits_for_the_beginnings_of_those_before_it() -> None:
    streams = [Streams(n, Spread(90.0, 90.0), 0) for n in (1, 2, 4, 8)]
    compared = trial.compare_streams(parts(), streams)
    last_ms = [one.predicted_ms.p95 or 0.0 for one in compared]
    beginning_ms = min(said.made_ms[0] for said in parts().engine.sentence)
    assert last_ms == sorted(last_ms)
    assert last_ms[3] > last_ms[0] + 6 * beginning_ms


def test_streams_of_a_slow_engine_do_not_wait_for_those_that_began_before() -> None:
    sentence = tuple(
        msgspec.structs.replace(said, made_ms=tuple(20.0 * one for one in said.made_ms))
        for said in parts().engine.sentence
    )
    engine = msgspec.structs.replace(parts().engine, sentence=sentence)
    outcome = trial._choir(msgspec.structs.replace(parts(), engine=engine), 8)
    work_s = 8 * max(said.work_ms for said in sentence) / 1000.0
    assert work_s > 30.0
    assert outcome.refused == 0
    assert outcome.texts == 8 * trial.CHOIRS
    assert max(outcome.heard_after_s) < work_s


def test_the_bench_says_its_streams_as_often_as_is_thought() -> None:
    assert trial.BENCH_ROUNDS == concurrency._ROUNDS


def test_streams_without_one_alone_or_without_its_sentence_say_nothing() -> None:
    without = msgspec.structs.replace(
        parts(), engine=msgspec.structs.replace(parts().engine, sentence=())
    )
    with pytest.raises(ConfigInvalid, match="measure the parts again"):
        trial.compare_streams(without, measured_streams())
    with pytest.raises(ConfigInvalid, match="one stream alone"):
        trial.compare_streams(parts(), measured_streams()[1:])

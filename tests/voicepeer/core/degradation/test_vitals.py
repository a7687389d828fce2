"""Figures of the last seconds."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.degradation.vitals import (
    CALM_READINGS,
    MAX_NOTES,
    MIN_EMBEDDINGS,
    MIN_UTTERANCES,
    Reading,
    Vitals,
    percentile,
)

pytestmark = pytest.mark.unit


def heard(count: int, latency_ms: float = 100.0, at: float = 0.0) -> Vitals:
    """So many utterances that were heard at once."""
    vitals = Vitals(window_s=30.0)
    for _ in range(count):
        vitals.first_audible(latency_ms, at)
    return vitals


def test_without_notes_nothing_is_known() -> None:
    assert Vitals().read(0.0) == Reading()


def test_a_percentile_needs_some_utterances() -> None:
    assert heard(MIN_UTTERANCES - 1).read(1.0).first_audible_ms is None
    assert heard(MIN_UTTERANCES).read(1.0).first_audible_ms == 100.0


def test_one_slow_utterance_of_many_is_not_the_95th_percentile() -> None:
    vitals = heard(39)
    vitals.first_audible(2_000.0, 0.0)
    assert vitals.read(1.0).first_audible_ms == 100.0
    vitals.first_audible(2_000.0, 0.0)
    vitals.first_audible(2_000.0, 0.0)
    assert vitals.read(1.0).first_audible_ms == 2_000.0


def test_what_is_older_than_the_window_is_forgotten() -> None:
    vitals = heard(10, 500.0, at=0.0)
    for _ in range(10):
        vitals.first_audible(100.0, 20.0)
    assert vitals.read(29.9).first_audible_ms == 500.0
    assert vitals.read(30.0).first_audible_ms == 100.0
    assert vitals.read(50.0).first_audible_ms is None


def test_the_share_of_failures() -> None:
    vitals = Vitals()
    for number in range(20):
        vitals.ended(0.0, failed=number < 2)
    assert vitals.read(1.0).error_share == 0.1
    assert vitals.read(31.0).error_share is None


def test_a_queue_counts_when_it_does_not_get_shorter() -> None:
    vitals = Vitals()
    assert [vitals.read(float(at), waiting=9).waiting for at in range(4)] == [0, 0, 9, 9]
    assert vitals.read(4.0, waiting=2).waiting == 2
    assert [vitals.read(5.0 + at, waiting=7).waiting for at in range(3)] == [2, 2, 7]
    assert CALM_READINGS == 3


def test_what_was_said_can_be_forgotten_and_nothing_else() -> None:
    vitals = heard(MIN_UTTERANCES)
    for _ in range(MIN_UTTERANCES):
        vitals.ended(0.0, failed=True)
        vitals.embedded(20.0, 0.0)
    vitals.forget_speech()
    assert vitals.read(1.0) == Reading(embedding_ms=20.0)


def test_embeddings_by_their_median() -> None:
    vitals = Vitals()
    for took_ms in (20.0, 30.0, 40.0):
        vitals.embedded(took_ms, 0.0)
    assert vitals.read(0.0).embedding_ms is None
    vitals.embedded(4_000.0, 0.0)
    assert vitals.read(0.0).embedding_ms == 30.0
    assert MIN_EMBEDDINGS == 4


def test_memory_is_passed_on() -> None:
    read = Vitals().read(0.0, free_memory_share=0.25, free_gpu_share=0.5)
    assert (read.free_memory_share, read.free_gpu_share) == (0.25, 0.5)


def test_notes_are_bounded() -> None:
    vitals = heard(2 * MAX_NOTES, 100.0)
    for _ in range(MAX_NOTES):
        vitals.first_audible(300.0, 1.0)
    assert vitals.read(2.0).first_audible_ms == 300.0
    assert len(vitals._latencies.values(2.0)) == MAX_NOTES


@given(st.lists(st.floats(0.0, 1e6), min_size=1, max_size=300), st.floats(0.01, 1.0))
def test_a_percentile_is_one_of_the_values_and_reached_by_its_share(
    values: list[float], share: float
) -> None:
    found = percentile(values, share)
    assert found in values
    assert sum(value <= found for value in values) >= share * len(values) * (1.0 - 1e-9)
    assert sum(value < found for value in values) < share * len(values) * (1.0 + 1e-9)


@given(st.lists(st.floats(0.0, 1e6), min_size=1, max_size=99))
def test_the_half_percentile_is_the_lower_median(values: list[float]) -> None:
    assert percentile(values, 0.5) == statistics.median_low(values)

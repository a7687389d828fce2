"""From figures to how bad they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.degradation.severity import (
    CAUSES,
    WORST,
    WORST_OF_ERRORS,
    WORST_OF_GPU,
    Cause,
    Limits,
    embedding_severity,
    severities,
)
from voicepeer.core.degradation.vitals import Reading

pytestmark = pytest.mark.unit

LIMITS = Limits()


@pytest.mark.parametrize(
    ("reading", "cause", "severity"),
    [
        (Reading(first_audible_ms=200.0), "first_audible", 1.0),
        (Reading(first_audible_ms=500.0), "first_audible", 2.5),
        (Reading(error_share=0.05), "errors", 1.0),
        (Reading(error_share=0.1), "errors", 2.0),
        (Reading(error_share=1.0), "errors", WORST_OF_ERRORS),
        (Reading(waiting=4), "waiting", 1.0),
        (Reading(waiting=16), "waiting", 4.0),
        (Reading(free_memory_share=0.5), "memory", 0.16),
        (Reading(free_memory_share=0.08), "memory", 1.0),
        (Reading(free_memory_share=0.02), "memory", 4.0),
        (Reading(free_memory_share=0.0), "memory", WORST),
        (Reading(free_gpu_share=0.5), "gpu_memory", 0.1),
        (Reading(free_gpu_share=0.04), "gpu_memory", 1.25),
        (Reading(free_gpu_share=0.0), "gpu_memory", WORST_OF_GPU),
        (Reading(first_audible_ms=1e9), "first_audible", WORST),
    ],
)
def test_a_figure_at_its_limit_is_one_and_twice_as_bad_is_two(
    reading: Reading, cause: Cause, severity: float
) -> None:
    found = severities(reading, LIMITS)
    assert found[cause] == pytest.approx(severity)
    assert all(value == 0.0 for name, value in found.items() if name != cause)


def test_what_is_not_known_is_not_bad() -> None:
    assert severities(Reading(), LIMITS) == dict.fromkeys(CAUSES, 0.0)
    assert embedding_severity(Reading(), LIMITS) == 0.0


@pytest.mark.parametrize(
    ("baseline_ms", "limit_ms"), [(0.0, 200.0), (90.0, 200.0), (140.0, 210.0), (1_000.0, 1_500.0)]
)
def test_a_slow_machine_is_not_an_overloaded_one(baseline_ms: float, limit_ms: float) -> None:
    assert LIMITS.latency_ms(baseline_ms) == pytest.approx(limit_ms)
    found = severities(Reading(first_audible_ms=limit_ms), LIMITS, baseline_ms)
    assert found["first_audible"] == pytest.approx(1.0)


@given(st.floats(1.0, 1e5))
def test_a_machine_as_slow_as_when_it_was_alone_is_never_overloaded(baseline_ms: float) -> None:
    found = severities(Reading(first_audible_ms=baseline_ms), LIMITS, baseline_ms)
    assert found["first_audible"] < 1.0


def test_embeddings_have_a_limit_of_their_own() -> None:
    reading = Reading(embedding_ms=150.0)
    assert embedding_severity(reading, LIMITS) == 1.5
    assert max(severities(reading, LIMITS).values()) == 0.0


@given(
    st.builds(
        Reading,
        st.none() | st.floats(0.0, 1e9),
        st.none() | st.floats(0.0, 1.0),
        st.integers(0, 10_000),
        st.none() | st.floats(0.0, 1.0),
        st.none() | st.floats(0.0, 1.0),
    )
)
def test_severities_are_bounded(reading: Reading) -> None:
    assert all(0.0 <= value <= WORST for value in severities(reading, LIMITS, 50.0).values())

"""What counts as broken, and what broke first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loadtests.limits import Excess, Limits, exceeded
from loadtests.report import ServiceFigures, WindowFigures, spread_of_ms, window_figures
from tests.loadtests.samples import journal, samples

pytestmark = pytest.mark.unit

LIMITS = Limits()


@pytest.fixture
def fine() -> WindowFigures:
    told = window_figures(journal(), samples(cores=0.3), users=2, talk=0.25, seconds=60.0)
    return replace(told, errors=0, frames_lost=0)


def test_within_all_limits_nothing_is_told(fine: WindowFigures) -> None:
    assert exceeded(fine, LIMITS, free_memory=0.5) == []


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"first_audible_ms": spread_of_ms([700.0] * 20)}, "first audible p95 ms"),
        ({"inter_departure_ms": spread_of_ms([31.0] * 20)}, "between packets p99 ms"),
        ({"underruns": 5}, "underruns a minute of speech"),
        ({"frames_lost": 100}, "share of frames lost"),
        ({"errors": 2}, "errors a text"),
        (
            {"service": ServiceFigures(1.5, 0.95, 500.0, 0.0, 40, 12)},
            "cores of the network's process",
        ),
    ],
)
def test_each_limit_is_looked_at(fine: WindowFigures, change: dict[str, object], name: str) -> None:
    (only,) = exceeded(replace(fine, **change), LIMITS)  # type: ignore[arg-type]
    assert only.name == name
    assert only.times > 1
    assert name in str(only)


def test_memory_that_is_nearly_gone_is_told(fine: WindowFigures) -> None:
    (only,) = exceeded(fine, LIMITS, free_memory=0.01)
    assert only.name == "memory in use"


def test_the_worst_comes_first(fine: WindowFigures) -> None:
    both = replace(
        fine,
        first_audible_ms=spread_of_ms([650.0] * 20),
        inter_departure_ms=spread_of_ms([100.0] * 20),
    )
    assert [one.name for one in exceeded(both, LIMITS)] == [
        "between packets p99 ms",
        "first audible p95 ms",
    ]


def test_what_could_not_be_measured_is_no_excess(fine: WindowFigures) -> None:
    nothing = replace(
        fine,
        spoken_share=0.0,
        first_audible_ms=spread_of_ms([]),
        inter_departure_ms=spread_of_ms([]),
        service=ServiceFigures(None, None, None, None, None, None),
    )
    assert exceeded(nothing, LIMITS) == []


@pytest.mark.parametrize(
    ("value", "told"), [(1234.3, "1234"), (872.4, "872"), (0.0588, "0.0588"), (99_999.0, "99999")]
)
def test_large_values_are_told_without_powers_of_ten(value: float, told: str) -> None:
    assert str(Excess("first audible p95 ms", value, 600.0)) == (
        f"first audible p95 ms {told} (limit 600)"
    )

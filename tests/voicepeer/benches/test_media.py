"""``voicepeer bench media``: what it takes and what it prints."""

from __future__ import annotations

from typing import Any

import pytest

from engines.host import HostSpec
from tests.voicepeer.commandline import voicepeer
from voicepeer.benches import media
from voicepeer.benches.figures import percentile, spread_ms

pytestmark = pytest.mark.unit

WAY = {
    "frames_sent": 3000, "lost_on_the_way": 150, "missing_beyond_lost": 0,
    "delay_ms": {"p50": 50.1, "p99": 61.0}, "longest_gap_ms": 40.0, "back_after_burst_ms": 900.0,
}  # fmt: skip
FIGURES: dict[str, Any] = {
    "load": 0.5,
    "loss": {"speech": WAY, "mic": WAY},
    "departures": {
        "streams": 10, "engine_cpu_cores": 1.0,
        "inter_departure_ms": {"p50": 20.0, "p99": 22.0, "max": 30.0},
    },
    "interruptions": {
        "rounds": 200, "wrong_samples": 0, "cancel_to_silence_ms": {"p50": 20.0, "max": 40.0},
    },
    "faults": [
        {
            "fault": "nan", "outcome": "done", "then": "done",
            "heard_ms": 900, "underruns": 0, "repaired": 1,
        }
    ],
    "cost": {"streams": 10, "ours_ms": 12.0, "stock_ms": 31.0, "ratio": 0.39},
}  # fmt: skip


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What the command asks to be measured, answered with figures."""
    calls: list[tuple[Any, ...]] = []

    def run(*arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever the command passes
        calls.append(arguments)
        return {"load": FIGURES["load"]} | {part: FIGURES[part] for part in arguments[0]}

    monkeypatch.setattr(media, "run", run)
    return calls


def test_all_parts_are_measured_unless_some_are_named(asked: list[tuple[Any, ...]]) -> None:
    assert voicepeer("bench", "media", "--engine", "fake", "--json").json == FIGURES
    parts, spec, seconds, rounds, _ = asked[0]
    assert (parts, seconds, rounds) == (media.PARTS, 60.0, 200)
    assert isinstance(spec, HostSpec)
    assert spec.speech == "fake"
    assert set(voicepeer("bench", "media", "--only", "loss, cost", "--json").json) == {
        "load", "loss", "cost",
    }  # fmt: skip


def test_a_person_gets_a_line_or_a_table_for_each_part(asked: list[tuple[Any, ...]]) -> None:
    lines = voicepeer("bench", "media", "--seconds", "5", "--rounds", "7").out.splitlines()
    assert asked[0][2:4] == (5.0, 7)
    assert lines[0].split()[:3] == ["WAY", "SENT", "LOST"]
    assert lines[1].split()[:4] == ["speech", "3000", "150", "0"]
    assert any("p99 22.0 ms" in line for line in lines)
    assert any("0 wrong samples" in line for line in lines)
    assert any(line.startswith("nan ") for line in lines)
    assert any("ratio 0.39" in line for line in lines)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--only", "loss,jitter"], "--only takes loss, departures"),
        (["--seconds", "0"], "1 or more"),
        (["--rounds", "0"], "1 or more"),
    ],
)
def test_what_cannot_be_measured_is_explained(arguments: list[str], part: str) -> None:
    ran = voicepeer("bench", "media", *arguments)
    assert ran.code == 2
    assert part in ran.complaint


def test_percentiles_of_nothing_are_nothing() -> None:
    assert percentile([], 50) is None
    assert spread_ms([]) == {"p50": None, "p95": None, "p99": None, "max": None}
    assert spread_ms([0.02, 0.04]) == {"p50": 30.0, "p95": 39.0, "p99": 39.8, "max": 40.0}

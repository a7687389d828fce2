"""The command line of the model."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import msgspec
import pytest

from loadtests.__main__ import main
from loadtests.model import command
from loadtests.model.cluster import Ability, Goal
from loadtests.model.measured import Point, Spread, Streams
from loadtests.model.outcome import Outcome
from tests.loadtests.model.made import parts
from voicepeer.core.errors import ConfigInvalid

pytestmark = pytest.mark.unit

GOAL_MS = 260.0
"""With some room over the 160 ms of one user alone: as short a simulation says little of it."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Parts and a curve, as commands print them."""
    (tmp_path / "parts.json").write_bytes(msgspec.json.encode(parts(texts=3)))
    alone = Point(1, 0.25, 60.0, Spread(150.0, 170.0), 0)
    streams = [Streams(n, Spread(90.0 * n, 92.0 * n), 0) for n in (1, 2)]
    (tmp_path / "bench.json").write_bytes(msgspec.json.encode({"streams": streams}))
    (tmp_path / "ramp.json").write_bytes(msgspec.json.encode({"steps": [alone]}))
    return tmp_path


def words(folder: Path, *more: str) -> list[str]:
    """A short simulation with a goal that is soon missed."""
    quick = ["--seconds", "20", "--p95-ms", str(GOAL_MS), "--users", "10", "500"]
    return ["--parts", str(folder / "parts.json"), *quick, *more]


def test_figures_are_one_json_object(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    curve = ["--curve", str(folder / "ramp.json")]
    more = ["--gpu-streams", "32", "--pooled", "2", "--json"]
    more += ["--bench", str(folder / "bench.json")]
    assert main(["model", *words(folder, *curve, *more)]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["goal"]["p95_ms"] == GOAL_MS
    assert figures["gpu"]["users"] > 32
    assert [one["n"] for one in figures["streams"]["points"]] == [1, 2]
    (pool,) = figures["pooled"]
    assert pool["users"] == 2 * pool["users_per_engine"]
    assert (figures["check"]["right"], figures["check"]["of"]) == (1, 1)
    assert [one["users"] for one in figures["replica"]["by_users"]][:2] == [1, 2]
    asked = [(one["users"], one["balancer"]) for one in figures["clusters"]]
    assert asked == [(10, "least"), (10, "random"), (500, "least"), (500, "random")]
    assert all(one["first_audible_ms"]["p95"] <= GOAL_MS for one in figures["clusters"])
    assert figures["notes"] == {}


def test_a_person_gets_tables(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    curve = ["--curve", str(folder / "ramp.json")]
    bench = ["--bench", str(folder / "bench.json")]
    assert main(["model", *words(folder, *curve, *bench)]) == 0
    shown = capsys.readouterr().out
    assert "1 of 1 points are predicted" in shown
    assert "REPLICAS" in shown
    assert "STREAMS" in shown
    assert "note: gpu: no GPU was measured" in shown


def test_what_was_not_measured_is_null_with_a_reason(folder: Path) -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    figures = command.figures_of(parser.parse_args(words(folder)))
    assert figures["gpu"] is None
    assert figures["check"] is None
    assert figures["notes"].keys() == {"gpu", "check", "streams"}


def test_without_a_goal_it_is_three_times_one_user_alone(folder: Path) -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    quick = ["--seconds", "10", "--users", "1", "--talk", "1.0"]
    options = ["--parts", str(folder / "parts.json"), *quick]
    figures = command.figures_of(parser.parse_args(options))
    alone = figures["replica"]["by_users"][0]["first_audible_ms"]["p95"]
    assert figures["goal"]["p95_ms"] == pytest.approx(3.0 * alone, abs=0.2)


def test_a_goal_that_is_never_met_leaves_the_rest(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", *words(folder, "--p95-ms", "20")]) == 0
    shown = capsys.readouterr().out
    assert "note: clusters: no number of replicas is enough" in shown
    assert "REPLICAS" not in shown
    assert "users keep a core busy" in shown


def test_a_time_in_which_nobody_speaks_is_told_from_a_goal_that_is_never_met(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rare = ["--talk", "0.01", "--seconds", "10"]
    assert main(["model", *words(folder, *rare)]) == 2
    assert "give more --seconds" in capsys.readouterr().err


def test_what_one_balancer_cannot_do_takes_nothing_from_the_other() -> None:
    def outcome(users: int, wait_ms: float) -> Outcome:
        return Outcome(60.0, users, heard_after_s=[wait_ms / 1000.0], spoken_s=60.0)

    # Whoever is not alone waits for too long, and chance brings two together again and again.
    able = Ability({1: outcome(1, 100.0), 2: outcome(2, 900.0)}, 0.0, Goal(300.0))
    notes: dict[str, str] = {}
    (found,) = command._clusters([10], able, 2, notes)
    assert (found["balancer"], found["replicas"]) == ("least", 10)
    assert "where sessions go to any" in notes["clusters"]


@pytest.mark.parametrize(
    "wrong",
    [
        *(["--talk", "0"], ["--talk", "1.5"], ["--mic", "-1"], ["--users", "0"]),
        *(["--seconds", "1"], ["--call-minutes", "0"], ["--gpu-streams", "0"], ["--pooled", "1"]),
        *(["--p95-ms", "0"], ["--p95-ms", "-3"], ["--curve", "nowhere.json"]),
        *(["--bench", "nowhere.json"], ["--p95-ms", "nan"], ["--seconds", "nan"]),
        # These would never come to an end.
        *(["--seconds", "inf"], ["--gpu-streams", "1000000000"], ["--pooled", "2", "17"]),
        *(["--call-minutes", "nan"], ["--call-minutes", "inf"], ["--seed", "-1"]),
    ],
)
def test_what_is_asked_for_wrongly_is_one_line(
    folder: Path, wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", *words(folder, *wrong)]) == 2
    told = capsys.readouterr().err.splitlines()
    assert len([line for line in told if line.startswith("voicepeer: ")]) == 1
    assert "internal error" not in told[-1]


def test_missing_parts_are_named(tmp_path: Path) -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    with pytest.raises(ConfigInvalid, match=r"parts\.json"):
        command.figures_of(parser.parse_args(["--parts", str(tmp_path / "parts.json")]))

"""What commands print is read as far as it matters to the model."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import msgspec
import pytest

from loadtests.figures_report import Machine, Report
from loadtests.journal import Journal
from loadtests.model.measured import ClientUse, Point, Spread, Streams, read_curve, read_streams
from loadtests.report import WindowFigures, run_json, spread_of_ms, window_figures
from voicepeer.core.errors import ConfigInvalid

pytestmark = pytest.mark.unit


def test_what_the_bench_of_an_engine_prints_can_be_read(tmp_path: Path) -> None:
    file = tmp_path / "bench.json"
    row = {"n": 1, "first_audible_ms": {"p50": 86.0, "p95": 88.0}, "underruns": 0}
    file.write_bytes(msgspec.json.encode({"engine": "kokoro", "streams": [row]}))
    assert read_streams(file) == (Streams(1, Spread(86.0, 88.0), 0),)


def printed(users: int, talk: float) -> dict[str, object]:
    """What `run --json` prints of a run in which nothing happened."""

    def figures(count: int) -> WindowFigures:
        return window_figures(Journal(), [], users=count, talk=talk, seconds=60.0)

    engine = {"engine": "fake", "provider": "cpu", "precision": "fp32"}
    return run_json(figures(users), figures(1), seed=1, engine=engine)


def test_what_run_prints_can_be_read(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_bytes(msgspec.json.encode(printed(8, 0.25)))
    (found,) = read_curve([file])
    assert (found.users, found.talk, found.seconds) == (8, 0.25, 60.0)
    assert found.first_audible_ms == Spread(None, None)
    assert found.tester_cores == 0.0
    assert asdict(spread_of_ms([1.0])).keys() >= {"p50", "p95"}


def test_a_curve_is_files_folders_and_reports_of_record(tmp_path: Path) -> None:
    machine = Machine("a processor", 2, 8.0)
    for users in (8, 2):
        report = Report(
            f"run-{users}", "2026-11-30", "abc", machine, "run", 1.0, printed(users, 0.25)
        )
        report.write(tmp_path / "reports")
    ramp = tmp_path / "ramp.json"
    ramp.write_bytes(msgspec.json.encode({"steps": [printed(4, 1.0), printed(1, 1.0)]}))
    points = read_curve([tmp_path / "reports", ramp])
    assert [(one.users, one.talk) for one in points] == [(2, 0.25), (8, 0.25), (1, 1.0), (4, 1.0)]


def test_the_step_of_one_user_is_what_a_ramp_has_of_one_alone(tmp_path: Path) -> None:
    ramp = tmp_path / "ramp.json"
    alone, others = Spread(140.0, 150.0), Spread(200.0, 300.0)
    steps = [Point(1, 1.0, 60.0, others, 0), Point(1, 0.25, 60.0, alone, 0)]
    steps.append(Point(8, 0.25, 60.0, others, 0))
    ramp.write_bytes(msgspec.json.encode({"steps": steps}))
    assert [one.single_first_audible_ms for one in read_curve([ramp])] == [alone] * 3


@pytest.mark.parametrize("content", ["", "[]", '{"users": 1}', "no JSON"])
def test_what_is_no_curve_is_named(tmp_path: Path, content: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(content)
    with pytest.raises(ConfigInvalid, match=r"other\.json"):
        read_curve([file])


def figures(**changed: float) -> dict[str, object]:
    """A run that could be read if it were not for what is changed."""
    spread = {"p50": 150.0, "p95": 170.0, "n": 9}
    made = {"users": 4, "talk": 0.25, "seconds": 60.0, "underruns": 0}
    return {**made, "first_audible_ms": spread, **changed}


@pytest.mark.parametrize("wrong", [{"users": 0}, {"talk": 0.0}, {"talk": 1.5}, {"seconds": 0.0}])
def test_a_run_of_nobody_or_of_no_time_is_no_point(tmp_path: Path, wrong: dict[str, float]) -> None:
    file = tmp_path / "run.json"
    file.write_bytes(msgspec.json.encode(figures()))
    assert len(read_curve([file])) == 1
    file.write_bytes(msgspec.json.encode(figures(**wrong)))
    with pytest.raises(ConfigInvalid, match=next(iter(wrong))):
        read_curve([file])


def test_a_bench_of_no_streams_is_none(tmp_path: Path) -> None:
    file = tmp_path / "bench.json"
    row = {"n": 0, "first_audible_ms": {"p50": 86.0, "p95": 88.0}, "underruns": 0}
    file.write_bytes(msgspec.json.encode({"streams": [row]}))
    with pytest.raises(ConfigInvalid, match=r"bench\.json"):
        read_streams(file)


def test_an_empty_folder_is_no_curve(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid, match="no point"):
        read_curve([tmp_path])


def test_what_testers_take_is_summed_up_where_it_is_known() -> None:
    testers = (ClientUse(0.25), ClientUse(None), ClientUse(0.5))
    point = Point(4, 0.25, 60.0, Spread(1.0, 2.0, 3), 0, testers=testers)
    assert point.tester_cores == 0.75


def test_a_ramp_without_one_user_alone_has_no_figure_of_one(tmp_path: Path) -> None:
    ramp = tmp_path / "ramp.json"
    steps = [Point(4, 0.25, 60.0, Spread(200.0, 300.0), 0)]
    ramp.write_bytes(msgspec.json.encode({"steps": steps}))
    (found,) = read_curve([ramp])
    assert found.single_first_audible_ms == Spread(None, None)


def test_what_is_no_bench_is_named(tmp_path: Path) -> None:
    file = tmp_path / "demo.json"
    file.write_text('{"rtf": 0.1}')
    with pytest.raises(ConfigInvalid, match=r"demo\.json"):
        read_streams(file)

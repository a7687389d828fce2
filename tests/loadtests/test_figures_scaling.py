"""The tables of docs/scaling.md, from what the commands print."""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec
import pytest

from loadtests import figures_scaling
from loadtests.figures_report import Report
from loadtests.figures_scaling import checked, clusters, cost, parts, streams
from loadtests.model import command
from loadtests.model.measured import Point, Spread, Streams
from tests.loadtests.model.made import parts as made_parts
from tests.loadtests.test_figures_report import report
from voicepeer.core.errors import ConfigInvalid

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """What the command really makes of parts and of a curve of two points."""
    folder = tmp_path_factory.mktemp("reports")
    (folder / "parts.json").write_bytes(msgspec.json.encode(made_parts()))
    slow = Spread(900.0, 2_000.0)
    steps = [Point(1, 0.25, 60.0, Spread(150.0, 170.0), 0), Point(4, 0.25, 60.0, slow, 2)]
    (folder / "curve.json").write_bytes(msgspec.json.encode({"steps": steps}))
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    words = ["--parts", str(folder / "parts.json"), "--curve", str(folder / "curve.json")]
    words += ["--users", "100", "10000", "--seconds", "30", "--p95-ms", "200"]
    bench = [Streams(n, Spread(90.0 * n, 95.0 * n), n - 1) for n in (1, 4)]
    (folder / "bench.json").write_bytes(msgspec.json.encode({"streams": bench}))
    words += ["--pooled", "2", "--bench", str(folder / "bench.json")]
    return report("model", **command.figures_of(parser.parse_args(words)))


def test_parts_are_told_with_their_source() -> None:
    measured = report("parts", **msgspec.to_builtins(made_parts()))
    written = parts({"parts": measured})
    assert "| memory of a session | 3.0 MB |" in written
    assert "| one caller alone: text sent to first audible, median | 150 ms |" in written
    assert written.endswith("`voicepeer demo`")


def test_parts_of_another_kind_are_refused() -> None:
    with pytest.raises(ConfigInvalid, match=r"parts\.json"):
        parts({"parts": report("parts", cores=2)})


def test_a_bill_sums_up(model: Report) -> None:
    written = cost({"model": model})
    rows = [line.split("|")[2] for line in written.splitlines()[2:] if line.startswith("|")]
    *items, total = map(float, rows)
    assert sum(items) == pytest.approx(total, abs=0.4)
    assert "users keep a core busy" in written


def test_the_check_tells_its_failures(model: Report) -> None:
    written = checked({"model": model})
    assert "| 1 | 25 % | 0 | 150 / 170 ms |" in written
    assert "1 of 2 points are within 35 % or 30 ms" in written
    (off,) = (line for line in written.splitlines() if line.startswith("| 4 "))
    assert "-8" in off.split("|")[7]


def test_clusters_are_told_for_both_balancers(model: Report) -> None:
    written = clusters({"model": model})
    assert "| 10,000 | to the one with the fewest |" in written
    assert "| 10,000 | to any |" in written
    assert "A replica of 2 cores serves" in written
    assert "which no service has: 2 engines " in written
    unasked = report("model", **{**model.figures, "pooled": []})
    assert "which no service has" not in clusters({"model": unasked})


def test_a_goal_that_is_never_met_is_told(model: Report) -> None:
    figures = {**model.figures, "clusters": [], "notes": {"clusters": "never met"}}
    assert clusters({"model": report("model", **figures)}).startswith("never met\n\n- [model]")


def test_streams_are_told_beside_the_bench(model: Report) -> None:
    written = streams({"model": model})
    assert "| 1 | 90 / 95 ms | 90 / " in written
    assert "| 4 | 360 / 380 ms |" in written
    assert "| 0.25, " in written


@pytest.mark.parametrize("block", [parts, cost, checked, streams, clusters])
def test_what_was_not_measured_says_how_to(block: figures_scaling.Block) -> None:
    assert block({}).startswith("Not measured yet: `python -m loadtests record ")


def test_a_model_without_a_curve_has_no_check(model: Report) -> None:
    figures = {**model.figures, "check": None, "streams": None}
    assert checked({"model": report("model", **figures)}).startswith("Not measured yet")
    assert streams({"model": report("model", **figures)}).startswith("Not measured yet")


def test_reports_are_found_from_the_page() -> None:
    assert (Path("docs") / figures_scaling.FOLDER).resolve() == Path("loadtests/reports").resolve()

from __future__ import annotations

from pathlib import Path

import pytest

from loadtests.peers import bench, figures
from loadtests.peers.catalogue import Ours, Peer
from tests.loadtests.peers.fakes import SHORT, installed

pytestmark = pytest.mark.e2e

OURS = Ours("ours", ("--engine", "fake", "--set", "degradation.enabled=false"), "mid", "fake")
HUMS = Peer("hums", "not run", "a fake that takes calls")
MISSING = Peer("missing", "not run", "nobody installed it")


@pytest.fixture(autouse=True)
def _requirements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of packages are beside the environments."""
    monkeypatch.setattr("loadtests.peers.catalogue._REQUIREMENTS", tmp_path)


async def test_all_that_can_be_run_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, HUMS)
    monkeypatch.setenv("FAKE_OPTIONS", "--calls --delay-s 0.4")
    told: list[str] = []
    plan = bench.Plan(tmp_path, rounds=1, seconds=600.0, script=SHORT)
    compared = await bench.compare(
        [OURS], [HUMS, MISSING], plan, lambda what, share: told.append(what)
    )
    runs = compared.runs
    assert [run.who.name for run in runs] == ["hums", "ours", "missing"]
    assert [*dict.fromkeys(told)] == ["starting", "warming up", "round 1 of 1", "lossy calls"]
    result = figures.report(compared, SHORT)
    assert result["listener_late_ms"]["p50"] is not None
    hums, ours, missing = result["runs"]
    assert "not installed" in missing["notes"]["run"]
    for run in (hums, ours):
        assert "run" not in run["notes"], run["notes"]
        assert run["first_audible_ms"]["n"] == len(SHORT.lines)
        assert run["cpu_per_session"] > 0
        assert run["memory_mb"] > 10
        assert run["loss"]["lost"] > 0
    assert hums["about"] == {"fake-bot": "1.2.3"}
    assert ours["about"]["engine"] == "fake"
    assert hums["first_audible_ms"]["p50"] > 400
    assert ours["rtf"] is not None
    assert result["ratios"]["hums"]["first_audible_p95"] > 0
    assert result["ratios"]["missing"]["first_audible_p95"] is None


async def test_no_round_begins_that_has_no_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, HUMS)
    monkeypatch.setenv("FAKE_OPTIONS", "--delay-s 0")
    plan = bench.Plan(tmp_path, rounds=5, seconds=0.0, script=SHORT)
    (run,) = (await bench.compare([], [HUMS], plan)).runs
    assert run.samples.failure is None
    assert run.samples.heard == []
    assert run.samples.idle_cores is not None


async def test_who_does_not_get_ready_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = installed(tmp_path, HUMS)
    python.write_text("#!/bin/sh\nexec sleep 60\n")
    monkeypatch.setattr(bench, "START_TIMEOUT_S", 0.3)
    monkeypatch.setattr("loadtests.peers.process.STOP_TIMEOUT_S", 0.2)
    plan = bench.Plan(tmp_path, rounds=1, seconds=60.0, script=SHORT)
    (run,) = (await bench.compare([], [HUMS], plan)).runs
    assert run.samples.failure == "it did not get ready in time"
    assert run.samples.heard == []


@pytest.mark.parametrize("wanted", ["fake-bot==2.0.0\n", None], ids=["another", "half"])
async def test_who_is_not_installed_as_its_file_asks_for_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: str | None
) -> None:
    installed(tmp_path, HUMS)
    monkeypatch.setenv("FAKE_OPTIONS", "--delay-s 0")
    if wanted is None:
        (tmp_path / HUMS.name / "installed.txt").unlink()
    else:
        HUMS.requirements.write_text(wanted)
    plan = bench.Plan(tmp_path, rounds=1, seconds=0.0, script=SHORT)
    (run,) = (await bench.compare([], [HUMS], plan)).runs
    assert run.samples.failure is not None
    assert "--install" in run.samples.failure
    assert run.about == {}

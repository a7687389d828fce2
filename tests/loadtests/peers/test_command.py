from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from loadtests.__main__ import main
from loadtests.peers import bench, install
from loadtests.peers.bench import Comparison, Plan
from loadtests.peers.catalogue import OURS, PEERS, Ours, Peer
from tests.loadtests.peers.test_figures import called, only_samples

pytestmark = pytest.mark.unit


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[Plan]:
    """How much was asked for, with figures at once instead of minutes later."""
    asked: list[Plan] = []

    async def compare(
        ours: Sequence[Ours], peers: Sequence[Peer], plan: Plan, progress: object
    ) -> Comparison:
        asked.append(plan)
        runs = [called(one, 0.25) for one in ours]
        runs += [called(one) if one.calls else only_samples(one) for one in peers]
        return Comparison(runs, [30.0])

    monkeypatch.setattr(bench, "compare", compare)
    return asked


def test_figures_are_one_json_object(
    plans: list[Plan], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "reports" / "new"
    assert main(["peers", "--json", "--report", str(folder)]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [run["peer"] for run in result["runs"]] == [one.name for one in (*OURS, *PEERS)]
    assert {*result["ratios"], *result["floors"]} == {peer.name for peer in PEERS}
    assert json.loads((folder / "peers.json").read_text()) == result
    (plan,) = plans
    assert (plan.rounds, plan.seconds) == (5, 600.0)


def test_tables_are_for_people(plans: list[Plan], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["peers", "--only", "pipecat", "kokoro-onnx", "--quick"]) == 0
    shown = capsys.readouterr().out
    assert "voicepeer to pipecat: first_audible_p95 0.25 (ok, goal 0.35)" in shown
    assert "voicepeer to kokoro-onnx: first_audible_p95 16.016, cpu_per_session 0.5\n" in shown
    assert "note: kokoro-onnx: loss: it has no network" in shown
    assert "note: listener_late_ms: by 30 ms" in shown
    assert "fastrtc" not in shown
    assert "30 WORDS" in shown
    assert plans[0].rounds == 1


def test_who_is_named_twice_is_compared_once(
    plans: list[Plan], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["peers", "--json", "--only", "livekit", "pipecat", "livekit"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [run["peer"] for run in result["runs"][len(OURS) :]] == ["livekit", "pipecat"]


def test_a_report_that_has_no_place_is_told_before_anything_is_measured(
    plans: list[Plan], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("")
    assert main(["peers", "--report", str(tmp_path / "taken" / "reports")]) != 0
    assert "cannot write into" in capsys.readouterr().err
    assert plans == []


@pytest.mark.parametrize(
    "options",
    [
        *(["--only", "nobody"], ["--rounds", "0"], ["--rounds", "1000000000"]),
        *(["--minutes", "0"], ["--minutes", "nan"], ["--minutes", "inf"]),
    ],
)
def test_what_is_asked_for_wrongly_is_said(
    options: list[str], plans: list[Plan], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["peers", *options]) == 2
    assert options[0] in capsys.readouterr().err
    assert plans == []


def test_installing_measures_nothing(
    plans: list[Plan], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[tuple[Path, list[str]]] = []

    def note(folder: Path, peers: Sequence[Peer], tell: object) -> None:
        asked.append((folder, [peer.name for peer in peers]))

    monkeypatch.setattr(install, "install", note)
    folder = str(tmp_path)
    assert main(["peers", "--install", "--folder", folder, "--only", "livekit", "fastrtc"]) == 0
    assert asked == [(tmp_path, ["livekit", "fastrtc"])]
    assert plans == []

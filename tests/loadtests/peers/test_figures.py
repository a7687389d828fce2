from __future__ import annotations

import json
from pathlib import Path

import pytest

from loadtests.peers.bench import Comparison, Run
from loadtests.peers.catalogue import OURS, PEERS, Ours, Peer
from loadtests.peers.contestant import Lossy, Samples, Watched
from loadtests.peers.figures import GOALS, ratios, report, run_figures, share
from loadtests.peers.heard import Heard
from loadtests.peers.protocol import Spoken
from loadtests.peers.script import SCRIPT

pytestmark = pytest.mark.unit


def heard(first_audible_ms: float | None, **flaws: int) -> Heard:
    found = {"glitches": 0, "stalls": 0, "holes": 0, "frames": 100, "frames_lost": 0, **flaws}
    return Heard(first_audible_ms, speech_ms=2_000, longest_pause_ms=150.0, **found)


def called(who: Ours | Peer, scale: float = 1.0) -> Run:
    """Somebody of whom everything was measured, in five rounds."""
    samples = Samples(idle_cores=0.01)
    for index in range(5):
        for line in SCRIPT.lines:
            samples.heard.append((line.name, heard(scale * (100 * line.words + index))))
        samples.cancelled_ms.append(80.0 + index)
        samples.watched.append(Watched(seconds=8.0, cpu_s=scale * 1.6, speech_s=4.0))
        samples.connected_ms.append(200.0)
        samples.memory_mb.append(500.0 + index)
        samples.session_mb.append(3.0)
    samples.spoken += [Spoken(1.0, 4.0), Spoken(1.0, 1.0)]
    samples.lossy.append(Lossy((heard(110.0, frames_lost=4, glitches=3),), 5, 3, 2))
    return Run(who, about={"package": "1.0"}, samples=samples)


def only_samples(who: Peer) -> Run:
    """Somebody without a network."""
    samples = Samples(heard=[("2 words", heard(50.0))], memory_mb=[100.0])
    samples.watched.append(Watched(seconds=7.6, cpu_s=0.76, speech_s=3.8))
    return Run(who, samples=samples)


def test_figures_of_a_call() -> None:
    figures = run_figures(called(PEERS[0]))
    assert figures["peer"] == "pipecat"
    assert figures["about"] == {"package": "1.0"}
    assert figures["first_audible_ms"] == {"p50": 1352.0, "p95": 3203.05, "n": 20} | {
        "p95": pytest.approx(3203, abs=1)
    }
    assert [text["text"] for text in figures["texts"]] == [line.name for line in SCRIPT.lines]
    assert figures["texts"][0]["first_audible_ms"] == {"p50": 202.0, "p95": 203.8, "n": 5}
    assert figures["rtf"] == 0.4
    assert figures["cpu_per_session"] == 0.2
    assert figures["cpu_per_speech_s"] == 0.4
    assert figures["speech_share"] == 0.5
    assert figures["memory_mb"] == 502.0
    assert figures["session_mb"] == 3.0
    assert figures["cancel_to_silence_ms"] == {"p50": 82.0, "p95": 83.8, "n": 5}
    assert figures["glitches"] == figures["stalls"] == figures["holes"] == 0
    assert figures["loss"] == {
        "share": 0.05, "first_audible_ms": 110.0, "lost": 5, "restored": 3, "concealed": 2,
        "frames": 100, "missing_share": 0.04, "glitches": 3, "stalls": 0,
    }  # fmt: skip
    assert figures["notes"] == {}


def test_what_has_no_network_has_no_figures_of_it_but_reasons() -> None:
    figures = run_figures(only_samples(PEERS[2]))
    empty = {name for name, value in figures.items() if value is None}
    assert empty >= {"glitches", "stalls", "holes", "frames_lost", "loss", "connected_ms"}
    assert {"glitches", "stalls", "holes", "frames_lost", "loss"} <= set(figures["notes"])
    assert figures["cancel_to_silence_ms"]["p50"] is None
    assert "cancel_to_silence_ms" in figures["notes"]
    assert figures["cpu_per_session"] == 0.1
    assert figures["notes"]["first_audible_p95"] == "of 1 samples only"


def test_who_failed_has_a_reason_and_nothing_else() -> None:
    run = Run(PEERS[1], samples=Samples(failure="it has ended"))
    figures = run_figures(run)
    assert figures["notes"]["run"] == "it has ended"
    assert figures["first_audible_ms"] == {"p50": None, "p95": None, "n": 0}
    assert figures["cpu_per_session"] is None
    assert figures["rtf"] is None


def test_what_was_never_heard_does_not_count_as_fast() -> None:
    run = called(PEERS[0])
    run.samples.heard = [("2 words", heard(None)), ("2 words", heard(300.0))]
    assert run_figures(run)["first_audible_ms"] == {"p50": 300.0, "p95": 300.0, "n": 1}


def test_ratios_are_ours_by_the_others() -> None:
    runs = [called(OURS[0], 0.25), called(PEERS[0]), called(OURS[1], 0.5), only_samples(PEERS[2])]
    result = report(Comparison(runs, [1.0, 2.0, 3.0]))
    assert result["ours"] == ["voicepeer", "voicepeer-int8"]
    assert [run["peer"] for run in result["runs"]] == [run.who.name for run in runs]
    assert set(result["ratios"]) == {"pipecat"}
    assert set(result["floors"]) == {"kokoro-onnx"}
    assert result["ratios"]["pipecat"] == {
        "first_audible_p95": 0.25,
        "cpu_per_session": 0.25,
        "voicepeer-int8": {"first_audible_p95": 0.5, "cpu_per_session": 0.5},
    }
    assert result["floors"]["kokoro-onnx"]["cpu_per_session"] == 0.5
    assert set(GOALS) < set(result["ratios"]["pipecat"])
    assert result["listener_late_ms"] == {"p50": 2.0, "p99": 3.0}
    assert result["notes"] == {}


def test_a_listener_that_was_late_is_told() -> None:
    result = report(Comparison([called(OURS[0])], [90.0]))
    assert "by 90 ms" in result["notes"]["listener_late_ms"]
    assert report(Comparison([]))["listener_late_ms"] == {"p50": None, "p99": None}


def test_there_is_no_ratio_to_who_failed() -> None:
    failed = Run(PEERS[1], samples=Samples(failure="it has ended"))
    assert report(Comparison([called(OURS[0]), failed]))["ratios"]["fastrtc"] == dict.fromkeys(
        GOALS
    )
    assert ratios([], run_figures(called(PEERS[0]))) == dict.fromkeys(GOALS)
    assert share(1.0, None) is share(None, 1.0) is share(1.0, 0.0) is None


def test_the_report_is_json(tmp_path: Path) -> None:
    result = report(Comparison([called(OURS[0]), called(PEERS[0]), only_samples(PEERS[2])]))
    file = tmp_path / "peers.json"
    file.write_text(json.dumps(result, allow_nan=False))
    assert json.loads(file.read_text()) == json.loads(json.dumps(result))

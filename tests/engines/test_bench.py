"""The bench against scripted engines, whose figures are known."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import numpy as np
import pytest

from engines import bench
from engines.api import Pcm
from engines.bench import Measured, measure

pytestmark = pytest.mark.unit

RATE_HZ = 24_000


def loud(ms: float) -> Pcm:
    return np.full(int(ms * RATE_HZ / 1000), 0.1, np.float32)


class Scripted:
    """Silence at once, sound after a while."""

    rate_hz = RATE_HZ

    def __init__(self, first_s: float = 0.03, chunk_s: float = 0.0, chunks: int = 5) -> None:
        self._first_s, self._chunk_s, self._chunks = first_s, chunk_s, chunks

    def say(self, text: str) -> Iterator[Pcm]:
        yield loud(80) * np.float32(0.0)
        time.sleep(self._first_s)
        for _ in range(self._chunks):
            yield loud(80)
            time.sleep(self._chunk_s)


def test_silence_does_not_count_as_the_first_sound() -> None:
    measured = measure(Scripted(first_s=0.05), "x")
    assert 45.0 < measured.first_audible_ms < 500.0
    assert measured.audio_ms == 480.0
    assert measured.total_ms >= measured.first_audible_ms


def test_nothing_said_is_no_error() -> None:
    measured = measure(Scripted(chunks=0), "x")
    assert measured.first_audible_ms == measured.total_ms


def test_real_time_factor() -> None:
    assert Measured(10.0, 500.0, 2000.0).real_time_factor == 0.25


def test_the_report_has_the_agreed_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "_ROUNDS", 2)
    monkeypatch.setattr(bench, "STREAMS", (1, 2))
    told: list[str] = []
    report = bench.run("fake", {}, None, lambda what, _share: told.append(what))
    assert json.loads(json.dumps(report)) == report
    assert report["engine"] == "fake"
    assert [row["words"] for row in report["texts"]] == [2, 10, 30]
    assert [row["n"] for row in report["streams"]] == [1, 2]
    assert {"p50", "p95"} == set(report["texts"][0]["first_audible_ms"])
    assert report["peak_rss_mb"] > 10.0
    assert report["restart_ms"] > 0.0
    assert {"provider", "precision", "front_ms", "first_chunk_ms"} <= set(report)
    assert "against" not in report
    assert told


def test_ratios_are_of_medians(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "_ROUNDS", 1)
    monkeypatch.setattr(bench, "STREAMS", ())
    monkeypatch.setattr(bench, "_peer", lambda _name: Scripted(first_s=0.2))
    against = bench.run("fake", {}, "slow-one")["against"]
    assert against["name"] == "slow-one"
    assert set(against["first_audible_ratio"]) == {"2", "10", "30"}
    assert all(0.0 < ratio < 1.0 for ratio in against["first_audible_ratio"].values())


def test_unknown_packages_are_refused() -> None:
    with pytest.raises(ValueError, match="kokoro-onnx"):
        bench.run("fake", {}, "espeak")

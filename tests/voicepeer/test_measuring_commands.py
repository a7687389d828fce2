"""``bench``, ``eval`` and ``engines``: what they print, for programs and for people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.voicepeer.commandline import voicepeer
from voicepeer import evaluation

pytestmark = pytest.mark.unit


def test_bench_prints_the_documented_figures() -> None:
    figures = voicepeer("bench", "engine", "--engine", "fake", "--json").json
    assert {"engine", "provider", "precision", "front_ms", "first_chunk_ms", "peak_rss_mb"} <= set(
        figures
    )
    assert [row["words"] for row in figures["texts"]] == [2, 10, 30]
    assert [row["n"] for row in figures["streams"]] == [1, 2, 4, 8]
    for row in (*figures["texts"], *figures["streams"]):
        assert set(row["first_audible_ms"]) == {"p50", "p95"}


def test_bench_prints_tables_for_a_person() -> None:
    ran = voicepeer("bench", "engine", "--engine", "fake")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].startswith("fake, cpu, fp32: front ")
    assert len(lines) == 1 + 4 + 5 + 1


@pytest.mark.parametrize(
    ("arguments", "code", "part"),
    [
        (["bench", "engine", "--engine", "kokro"], 1, "did you mean 'kokoro'?"),
        (["bench", "engine", "--against", "others"], 2, "invalid choice"),
        (["engines", "build", "--engine", "fake"], 2, "no files to build"),
        (["engines", "verify", "--engine", "../x"], 2, "no files to build"),
        (["eval", "clone", "--speakers", "/nonexistent.txt"], 2, "nonexistent.txt"),
        (["eval", "clone"], 2, "--speakers"),
    ],
)
def test_what_cannot_be_measured_is_explained(arguments: list[str], code: int, part: str) -> None:
    ran = voicepeer(*arguments)
    assert ran.code == code
    assert part in ran.complaint


def test_engine_files_that_were_never_built_cannot_be_verified(tmp_path: Path) -> None:
    ran = voicepeer("engines", "verify", "--set", f"engine.cache_dir={tmp_path}")
    assert (ran.code, ran.out) == (1, "")
    assert "build" in ran.complaint


FIGURES: dict[str, Any] = {
    "refine_s": 0.0,
    "mean": {"cosine": 0.71, "ceiling": 0.85, "dnsmos": None},
    "speakers": [
        {"name": "ada", "cosine": 0.7123, "ceiling": 0.85, "stock": 0.6, "dnsmos": None, "rank": 1}
    ],
    "notes": {"dnsmos": "not installed"},
}


def test_eval_hands_its_options_on_and_prints_a_row_a_speaker(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[tuple[Any, ...]] = []

    def run(*arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever the command passes
        asked.append(arguments[:4])
        arguments[4]("cloning", 1.0)
        return FIGURES

    monkeypatch.setattr(evaluation, "run", run)
    options = ["--speakers", "s.txt", "--limit", "3", "--refine", "2.5", "--report", str(tmp_path)]
    ran = voicepeer("eval", "clone", *options)
    assert asked == [(Path("s.txt"), 3, 2.5, tmp_path)]
    assert ran.out.splitlines() == [
        "SPEAKER  COSINE  CEILING  STOCK  DNSMOS  F0_SEMITONES  RANK",
        "ada      0.712   0.85     0.6    -       -             1",
        "mean cosine: 0.71",
        "mean ceiling: 0.85",
        "mean dnsmos: -",
        "note: dnsmos: not installed",
    ]
    assert ran.err == "cloning …\n"
    assert voicepeer("eval", "clone", "--speakers", "s.txt", "--json").json == FIGURES

"""The README's table: its rows, from reports as commands print them."""

from __future__ import annotations

from typing import Any

import pytest

from loadtests.figures_cells import MISSING
from loadtests.figures_summary import ROWS, summary
from tests.loadtests.test_figures_report import report

pytestmark = pytest.mark.unit

SPREAD = {"p50": 140.0, "p95": 210.0, "p99": 22.0}

PRINTED: dict[str, dict[str, Any]] = {
    "demo": {
        "usable_ms": 4300.0,
        "ready_ms": 6200.0,
        "first_audible_ms": 140.0,
        "rtf": 0.12,
        "similarity": 0.93,
        "stock_similarity": 0.79,
        "dnsmos": 3.2,
        "underruns": 0,
        "frames_lost": 0,
        "glitches": 0,
    },
    "eval-clone": {
        "mean": {"cosine": 0.77, "stock": 0.65, "ceiling": 0.85, "top1": 0.74},
        "speakers": [{"name": "a"}, {"name": "b"}],
    },
    "bench-engine": {
        "texts": [{"words": 10, "first_audible_ms": SPREAD, "rtf": 0.1}],
        "streams": [{"n": 4, "underruns": 0}, {"n": 8, "underruns": 3}],
    },
    "bench-kokoro-onnx": {"against": {"first_audible_ratio": {"10": 0.07}}},
    "load-10": {
        "first_audible_ms": SPREAD,
        "single_first_audible_ms": {"p50": 120.0, "p95": 140.0},
        "underruns": 1,
        "frames_lost": 0,
        "errors": 0,
        "inter_departure_ms": SPREAD,
        "cpu_cores": 0.7,
        "rss_mb": 1500.0,
    },
    "model": {"replica": {"users": 9}, "clusters": [{"users": 10_000, "replicas": 1_112}]},
    "sfu": {
        "cpu_ms_per_stream_s": 1.9,
        "added_latency_ms": {"p99": 9.0},
        "ratios": {"mediarelay": 0.1, "janus": 2.3},
    },
    "soak": {"leaks": [], "minutes": 50.02},
}


def test_every_row_has_its_figure() -> None:
    written = summary({name: report(name, **figures) for name, figures in PRINTED.items()})
    assert MISSING not in written
    assert {row.report for row in ROWS} == PRINTED.keys()
    assert "0.77 (stock 0.65, ceiling 0.85; 2 speakers) | [eval-clone]" in written
    assert "| 140 / 210 ms | [load-10]" in written
    assert "| 1.5 | [load-10]" in written
    assert "| nothing in 50 minutes | [soak]" in written


def test_a_row_says_where_it_is_from_and_each_report_is_explained_once() -> None:
    written = summary({"demo": report("demo", **PRINTED["demo"])})
    assert written.count("- [demo](loadtests/reports/demo.json): 30 November 2026") == 1
    assert written.count("| [demo](loadtests/reports/demo.json) |") == len(PRINTED["demo"]) - 2


def test_reports_that_are_not_there_have_no_rows() -> None:
    written = summary({"sfu": report("sfu", **PRINTED["sfu"])})
    assert "[demo]" not in written
    assert "Janus" in written


def test_without_any_report_it_says_how_to_make_one() -> None:
    assert summary({}).startswith("Not measured yet")
    assert summary({"other": report("other")}).startswith("Not measured yet")


def test_what_could_not_be_measured_is_told() -> None:
    figures = {**PRINTED["sfu"], "ratios": {"mediarelay": 0.1, "janus": None}}
    assert f"Janus's | {MISSING} |" in summary({"sfu": report("sfu", **figures)})


def test_each_peer_has_its_rows() -> None:
    ratios = {
        "pipecat": {"first_audible_p95": 0.2, "cpu_per_session": 0.5},
        "fastrtc": {"first_audible_p95": None},
    }
    written = summary({"peers": report("peers", ratios=ratios)})
    assert "first audible p95 by pipecat's, the same call | 0.20 |" in written
    assert f"processor time of a session by fastrtc's | {MISSING} |" in written


def test_what_grows_is_named() -> None:
    found = {"soak": report("soak", leaks=["rss_mb", "fds"], minutes=3.0)}
    assert "| rss_mb, fds in 3 minutes | [soak]" in summary(found)


def test_what_is_not_known_to_grow_is_not_called_nothing() -> None:
    slopes = {"fds": {"slope": 0.1}, "rss_mb": None}
    found = report("soak", leaks=[], minutes=3.0, slopes_per_hour=slopes)
    assert f"| {MISSING} | [soak]" in summary({"soak": found})
    grows = report("soak", leaks=["fds"], minutes=3.0, slopes_per_hour=slopes)
    assert "| fds in 3 minutes | [soak]" in summary({"soak": grows})

"""The README's table: which figures it has, and out of which reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from loadtests.figures_cells import (
    Figures,
    Missing,
    Row,
    milliseconds,
    number,
    numbers,
    percent,
    quotient,
    seconds,
    source,
    table,
)
from loadtests.figures_report import Report

FOLDER: Final = "loadtests/reports/"


def _speakers(figures: Figures) -> str:
    mean = [f"{figures(f'mean.{name}'):.2f}" for name in ("cosine", "stock", "ceiling")]
    speakers = figures.at("speakers")
    count = len(speakers) if isinstance(speakers, list) else 0
    return f"{mean[0]} (stock {mean[1]}, ceiling {mean[2]}; {count} speakers)"


def _leaks(figures: Figures) -> str:
    found = figures.at("leaks")
    if not isinstance(found, list | dict):
        raise Missing("leaks")
    slopes = figures.report.figures.get("slopes_per_hour") or {}
    if not found and None in slopes.values():
        raise Missing("slopes_per_hour")
    grows = ", ".join(map(str, found)) if found else "nothing"
    return f"{grows} in {figures('minutes'):.0f} minutes"


ROWS: Final = (
    Row(
        "first speech heard to a usable voice (3 s of it are needed)", "demo", seconds("usable_ms")
    ),
    Row(
        "first speech heard to the ready voice (5 s of it are needed)", "demo", seconds("ready_ms")
    ),
    Row(
        "text sent to first audible sample at the client, receive buffer included",
        "demo",
        milliseconds("first_audible_ms"),
    ),
    Row("real-time factor", "demo", number("rtf", 2)),
    Row(
        "GE2E cosine, one clip, against the speech that was cloned", "demo", number("similarity", 2)
    ),
    Row("the same of the nearest stock voice", "demo", number("stock_similarity", 2)),
    Row("DNSMOS overall of the returned voice, 1 to 5", "demo", number("dnsmos", 1)),
    Row(
        "underruns, lost frames, glitches", "demo", numbers("underruns", "frames_lost", "glitches")
    ),
    Row("GE2E cosine held out: unseen half of the clip, unseen sentences", "eval-clone", _speakers),
    Row("nearest to its own speaker among all of them", "eval-clone", percent("mean.top1")),
    Row(
        "engine alone, ten words: first audible p50 / p95",
        "bench-engine",
        milliseconds(
            "texts[words=10].first_audible_ms.p50", "texts[words=10].first_audible_ms.p95"
        ),
    ),
    Row(
        "first audible of ten words by kokoro-onnx's, same weights, same run",
        "bench-kokoro-onnx",
        number("against.first_audible_ratio.10", 2),
    ),
    Row(
        "underruns of four and of eight streams begun at once",
        "bench-engine",
        numbers("streams[n=4].underruns", "streams[n=8].underruns"),
    ),
    Row(
        "ten users, each spoken to a quarter of the time: first audible p50 / p95",
        "load-10",
        milliseconds("first_audible_ms.p50", "first_audible_ms.p95"),
    ),
    Row(
        "that p95 by the p95 of one user alone in the same run",
        "load-10",
        quotient("first_audible_ms.p95", "single_first_audible_ms.p95"),
    ),
    Row(
        "their underruns, frames lost, errors",
        "load-10",
        numbers("underruns", "frames_lost", "errors"),
    ),
    Row("between their packets of 20 ms, p99", "load-10", milliseconds("inter_departure_ms.p99")),
    Row("cores that the service takes for them", "load-10", number("cpu_cores", 2)),
    Row("memory of the service with its models, MB", "load-10", number("rss_mb")),
    Row("users that two cores serve, by the model", "model", number("replica.users")),
    Row("replicas for 10,000 users", "model", number("clusters[users=10000].replicas")),
    Row(
        "processor time of a forwarded stream, ms a second", "sfu", number("cpu_ms_per_stream_s", 2)
    ),
    Row("delay that forwarding adds, p99", "sfu", milliseconds("added_latency_ms.p99")),
    Row("cost of a forwarded stream by Janus's", "sfu", number("ratios.janus", 2)),
    Row("the same by MediaRelay's", "sfu", number("ratios.mediarelay", 2)),
    Row("what grows under a mix of all that users do", "soak", _leaks),
)


def peer_rows(report: Report) -> Iterable[Row]:
    """Two lines for each of the others that was measured beside us."""
    ratios = report.figures.get("ratios", {})
    for peer in ratios if isinstance(ratios, dict) else {}:
        yield Row(
            f"first audible p95 by {peer}'s, the same call",
            report.name,
            number(f"ratios.{peer}.first_audible_p95", 2),
        )
        yield Row(
            f"processor time of a session by {peer}'s",
            report.name,
            number(f"ratios.{peer}.cpu_per_session", 2),
        )


def summary(reports: Mapping[str, Report]) -> str:
    """The table and where its figures are from; of reports that are there."""
    peers = list(peer_rows(reports["peers"])) if "peers" in reports else []
    rows = [row for row in (*ROWS, *peers) if row.report in reports]
    if not rows:
        return "Not measured yet: `python -m loadtests record demo -- make demo JSON=1`."
    lines = [
        [row.what, row.written(reports[row.report]), f"[{row.report}]({FOLDER}{row.report}.json)"]
        for row in rows
    ]
    used = dict.fromkeys(row.report for row in rows)
    sources = "\n".join(source(reports[name], FOLDER) for name in used)
    return f"{table(['figure', 'value', 'report'], lines)}\n\n{sources}"

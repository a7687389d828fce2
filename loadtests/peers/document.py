"""The figures of ``docs/peers.md``, written from the report of record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from loadtests.figures_cells import source, table
from loadtests.figures_report import Report

FOLDER: Final = "../loadtests/reports/"
REPORT: Final = "peers"
COMMAND: Final = "python -m loadtests record peers -- python -m loadtests peers --json"


def peers(reports: Mapping[str, Report]) -> str:
    """Everything that was measured beside us, and the reasons for what was not."""
    report = reports.get(REPORT)
    if report is None:
        return f"Not measured yet: `{COMMAND}`."
    result = report.figures
    parts = (
        _calls(result["runs"]),
        "First audible sample by text, median in ms:",
        _texts(result["runs"]),
        "A call that loses packets:",
        _losses(result["runs"]),
        "Ours as shares of theirs:",
        _ratios(result),
        "\n".join(_notes(result["runs"])),
        f"The listener was late by {_shown(result['listener_late_ms']['p99'], 1)} ms (p99).",
        source(report, FOLDER),
    )
    return "\n\n".join(part for part in parts if part)


def _calls(runs: list[dict[str, Any]]) -> str:
    header = [
        "who", "first audible p50 / p95 ms", "RTF", "cores a session", "MB", "MB a session",
        "cancel to silence p50 / p95 ms", "made up, late, cut", "longest pause ms", "idle cores",
    ]  # fmt: skip
    rows = [
        [
            run["peer"],
            _pair(run["first_audible_ms"], 0),
            _shown(run["rtf"], 2),
            _shown(run["cpu_per_session"], 2),
            _shown(run["memory_mb"], 0),
            _shown(run["session_mb"], 0),
            _pair(run["cancel_to_silence_ms"], 0),
            ", ".join(_shown(run[name], 0) for name in ("glitches", "stalls", "holes")),
            _shown(run["longest_pause_ms"]["max"], 0),
            _shown(run["idle_cores"], 2),
        ]
        for run in runs
    ]
    return table(header, rows)


def _texts(runs: list[dict[str, Any]]) -> str:
    rows = [
        [run["peer"], *(_shown(text["first_audible_ms"]["p50"], 0) for text in run["texts"])]
        for run in runs
    ]
    return table(["who", *(text["text"] for text in runs[0]["texts"])], rows)


def _losses(runs: list[dict[str, Any]]) -> str:
    names = "lost", "restored", "concealed", "glitches", "stalls"
    header = ["who", "lost", "restored from copies", "made up", "places of both", "came late"]
    rows = [
        [run["peer"], *(_shown(run["loss"][name], 0) for name in names)]
        for run in runs
        if run["loss"] is not None
    ]
    return table(header, rows)


def _ratios(result: dict[str, Any]) -> str:
    first, *further = result["ours"]
    header = ["to", "ours", "first audible p95", "cores a session"]
    compared = {**result["ratios"], **result["floors"]}
    rows = [
        [name, ours, *(_shown(values[goal], 2) for goal in result["goals"])]
        for name, shares in compared.items()
        for ours, values in ((first, shares), *((other, shares[other]) for other in further))
    ]
    wanted = (f"{goal:g}" for goal in result["goals"].values())
    goals = ["goal, for those that take calls", "", *wanted]
    return table(header, [*rows, goals])


def _notes(runs: list[dict[str, Any]]) -> Iterator[str]:
    for run in runs:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in run["notes"].items())
        if reasons:
            yield f"- {run['peer']}: {reasons}."


def _pair(spread: dict[str, Any], digits: int) -> str:
    return f"{_shown(spread['p50'], digits)} / {_shown(spread['p95'], digits)}"


def _shown(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"

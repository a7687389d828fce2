"""The tables of docs/loadtests.md: how many users there can be, what breaks first, what grows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from loadtests.figures_cells import MISSING, source, table
from loadtests.figures_report import Report
from loadtests.figures_scaling import FOLDER, unrecorded

_MEMORY: Final = {
    "rss_mb": "MB",
    "fds": "descriptors",
    "threads": "threads",
    "sessions": "sessions",
}


def curve(reports: Mapping[str, Report]) -> str:
    """The steps of a ramp, and the limit that each row of them exceeds first."""
    report = reports.get("ramp")
    if report is None:
        return unrecorded("ramp", "python -m loadtests ramp --through --json")
    header = [
        *("users", "talk", "texts", "first audible p50 / p95", "packets p99", "underruns"),
        *("lost", "errors", "cores", "of them network", "steps against it"),
    ]
    steps = sorted(report.figures["steps"], key=lambda step: (step["talk"], step["users"]))
    broken = [_broken(found) for found in report.figures["breaks"]]
    told = "\n".join(broken or ["No limit was exceeded."])
    rows = table(header, [_step(step) for step in steps])
    return f"{rows}\n\n{told}\n\n{source(report, FOLDER)}"


def _step(step: Mapping[str, Any]) -> list[str]:
    heard, sent = step["first_audible_ms"], step["inter_departure_ms"]
    return [
        f"{step['users']}",
        f"{step['talk']:.0%}",
        f"{step['utterances']}",
        f"{_ms(heard['p50'])} / {_ms(heard['p95'])} ms",
        f"{_ms(sent['p99'])} ms",
        f"{step['underruns']}",
        f"{step['frames_lost']}",
        f"{step['errors']}",
        _cores(step["cpu_cores"]),
        _cores(step["network_cores"]),
        f"{len(step['degraded'])}",
    ]


def _broken(found: Mapping[str, Any]) -> str:
    good = found["last_good_users"]
    good_for = f"{good} users are served well" if good else "nobody is served well"
    others = [name for name in found["exceeded"] if name != found["first"]]
    beside = f"; also: {'; '.join(others)}" if others else ""
    return (
        f"- Spoken to {found['talk']:.0%} of the time, {good_for}, and {found['users']} are not. "
        f"First: {found['first']}{beside}."
    )


def soaked(reports: Mapping[str, Report]) -> str:
    """What hours of a mix of everything came to, and what grew."""
    report = reports.get("soak")
    if report is None:
        return unrecorded("soak", "python -m loadtests soak --minutes 60 --json")
    figures = report.figures
    kinds = ", ".join(f"{count} {kind}" for kind, count in figures["utterances_by_kind"].items())
    codes = ", ".join(f"{count} {code}" for code, count in figures["error_codes"].items())
    heard = figures["first_audible_ms"]
    rows = [
        ["users, minutes", f"{figures['users']}, {figures['minutes']:.0f}"],
        ["texts heard to their end", f"{figures['utterances']} ({kinds})"],
        ["errors", f"{figures['errors']} ({codes})" if codes else f"{figures['errors']}"],
        ["first audible p50 / p95", f"{_ms(heard['p50'])} / {_ms(heard['p95'])} ms"],
        ["underruns", f"{figures['underruns']}"],
        ["memory, at most", f"{_ms(figures['rss_mb'])} MB"],
        *([f"{name} an hour", _slope(figures, key)] for key, name in _MEMORY.items()),
    ]
    leaks = figures["leaks"]
    told = f"What may be a leak: {', '.join(leaks)}." if leaks else "Nothing leaks."
    return f"{table(['figure', 'value'], rows)}\n\n{told}\n\n{source(report, FOLDER)}"


def _slope(figures: Mapping[str, Any], key: str) -> str:
    found = figures["slopes_per_hour"][key]
    if found is None:
        return MISSING
    return f"{found['slope']:+.1f} ({found['low']:+.1f} to {found['high']:+.1f})"


def _ms(value: float | None) -> str:
    return MISSING if value is None else f"{value:.0f}"


def _cores(value: float | None) -> str:
    return MISSING if value is None else f"{value:.2f}"
